import { useMemo, useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { CheckField, TextField } from '../../../kit/field.tsx';
import { ActsMenu } from '../../../kit/menu.tsx';
import { count } from '../../../kit/words.ts';
import { type BulkBody, BulkDialog } from '../bulk/dialog.tsx';
import type { PeopleSearch } from '../search.ts';

/** An act on those who are chosen, or on everyone whom the filter finds. */
type BulkMenuProps = { campaign: Campaign; filter: PeopleSearch; chosen: readonly string[] };
type Wanted = 'retry' | 'skip' | 'suppress' | 'called' | 'not-called' | 'export';

const acts: Record<Wanted, [menu: string, verb: string, text: string]> = {
  retry: [
    'Try again',
    'Try again',
    'Everyone of them who is done gets one more attempt, whatever the settings allow. Others are passed over.',
  ],
  skip: [
    'Skip',
    'Skip',
    'Those who wait are taken off the list: they are not called any more. A call in progress is not touched.',
  ],
  suppress: ['Suppress', 'Suppress', 'Their phones are not called any more, by any campaign.'],
  called: [
    'Settle unknown: was called',
    'Settle',
    'For those whose call is unknown: it was made. They count as called and are not tried again by it.',
  ],
  'not-called': [
    'Settle unknown: was not called',
    'Settle',
    'For those whose call is unknown: it was never made. They may be called again.',
  ],
  export: [
    'Export',
    'Export',
    'Their rows as they are now are written to a file, which is kept for seven days.',
  ],
};

const menu = Object.entries(acts).map(([act, [words]]) => [act as Wanted, words] as const);

export function BulkMenu({ campaign: { id, balance }, filter, chosen }: BulkMenuProps) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  // Of very many who have a part of a name, not all are looked at: no act is about them.
  const { name, ...exact } = filter;
  if (name !== undefined && chosen.length === 0)
    return <span className="text-sm text-quiet">Select people to act on them.</span>;
  // Rejected rows of a list have no person; how many of them do, the balance does not tell.
  const everyone = balance.rejected === 0 ? `all ${count(balance.rows)}` : 'everyone';
  const all = Object.keys(filter).length > 0 ? 'all who are found' : everyone;
  const who = chosen.length > 0 ? `the ${count(chosen.length)} chosen` : all;
  return (
    <>
      <ActsMenu small acts={menu} onChoose={(act) => setWanted(act)}>
        For {who} <span aria-hidden="true">▾</span>
      </ActsMenu>
      {wanted && (
        <Act
          wanted={wanted}
          // The people are those of the moment at which it was opened.
          filter={chosen.length > 0 ? { campaign: id, recipient: [...chosen] } : { campaign: id, ...exact }}
          onClose={() => setWanted(null)}
        />
      )}
    </>
  );
}

type Filter = BulkBody['filter'];

function Act({ wanted, filter, onClose }: { wanted: Wanted; filter: Filter; onClose(): void }) {
  const [until, setUntil] = useState('');
  const [reason, setReason] = useState('');
  const [hangUp, setHangUp] = useState(false);
  const [title, verb, text] = acts[wanted];
  // The fields next to it do not change who is meant, and are not counted by.
  const body = useMemo(() => bodyOf(wanted, filter), [wanted, filter]);
  const more = {
    ...(wanted === 'suppress' && until !== '' ? { until } : {}),
    ...(wanted === 'suppress' && hangUp ? { hang_up: true } : {}),
    ...(hasReason(wanted) && reason !== '' ? { reason } : {}),
  };
  return (
    <BulkDialog
      title={title}
      verb={verb}
      danger={wanted === 'skip' || wanted === 'suppress'}
      body={body}
      more={more}
      onClose={onClose}
    >
      <p>{text}</p>
      {wanted === 'suppress' && (
        <>
          <TextField
            label="Until"
            help="A time, a date, or a span such as 30d. For ever without it."
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
          <CheckField
            label="Hang up their calls in progress too"
            checked={hangUp}
            onChange={(event) => setHangUp(event.currentTarget.checked)}
          />
        </>
      )}
      {hasReason(wanted) && (
        <TextField label="Reason" value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
      )}
    </BulkDialog>
  );
}

function hasReason(wanted: Wanted): boolean {
  return wanted === 'suppress' || wanted === 'called' || wanted === 'not-called';
}

function bodyOf(wanted: Wanted, filter: Filter): BulkBody {
  if (wanted === 'called' || wanted === 'not-called') return { act: 'resolve', as: wanted, filter };
  return { act: wanted, filter };
}
