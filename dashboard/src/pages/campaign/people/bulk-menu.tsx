import { useState } from 'react';
import type { Campaign } from '../../../api/ask.ts';
import { CheckField, TextField, useForm } from '../../../kit/form.tsx';
import { ActsMenu } from '../../../kit/menu.tsx';
import { count } from '../../../kit/words.ts';
import { type BulkBody, BulkDialog } from '../bulk.tsx';
import type { PeopleSearch } from '../search.ts';

/** An act on those who are chosen, or on everyone whom the filter finds. */
type BulkMenuProps = { campaign: Campaign; filter: PeopleSearch; chosen: readonly string[] };

const acts = {
  retry: [
    'Try again',
    'Everyone of them who is done gets one more attempt, whatever the settings allow. Others are passed over.',
  ],
  skip: ['Skip', 'Those who wait are taken off the list. A call in progress is not touched.'],
  suppress: ['Suppress', 'Their phones are not called any more, by any campaign.'],
  called: [
    'Settle unknown: was called',
    'For those whose call is unknown: it was made. They count as called.',
  ],
  'not-called': [
    'Settle unknown: was not called',
    'For those whose call is unknown: it was never made. They may be called again.',
  ],
  export: ['Export', 'Their rows as they are now are written to a file, which is kept for seven days.'],
} as const;
type Wanted = keyof typeof acts;
const menu = Object.entries(acts).map(([act, [words]]) => [act as Wanted, words] as const);
export const settles = menu.filter(([act]) => act === 'called' || act === 'not-called');

export function BulkMenu({ campaign: { id, balance }, filter, chosen }: BulkMenuProps) {
  // The people are those of the moment at which it was opened.
  const [wanted, setWanted] = useState<Wish | null>(null);
  // Of very many who have a part of a name, not all are looked at: no act is about them.
  const { name, ...exact } = filter;
  if (name !== undefined && chosen.length === 0)
    return <span className="text-sm text-quiet">Select people to act on them.</span>;
  // Rejected rows of a list have no person; how many of them do, the balance does not tell.
  const everyone = balance.rejected === 0 ? `all ${count(balance.rows)}` : 'everyone';
  const all = Object.keys(filter).length > 0 ? 'all who are found' : everyone;
  return (
    <>
      <ActsMenu
        small
        acts={menu}
        onChoose={(act) =>
          setWanted({
            act,
            filter: { campaign: id, ...(chosen.length > 0 ? { recipient: [...chosen] } : exact) },
          })
        }
      >
        Act on {chosen.length > 0 ? `${count(chosen.length)} selected` : all}
      </ActsMenu>
      {wanted && <ActDialog {...wanted} onClose={() => setWanted(null)} />}
    </>
  );
}

export type Wish = { act: Wanted; filter: BulkBody['filter'] };

export function ActDialog({ act, filter, onClose }: Wish & { onClose(): void }) {
  const { given, field, box, typed } = useForm({ reason: '', hang_up: '' });
  const [title, text] = acts[act];
  const isSettled = act === 'called' || act === 'not-called';
  const { reason } = given();
  return (
    <BulkDialog
      title={title}
      verb={isSettled ? 'Settle' : title}
      danger={act === 'skip' || act === 'suppress'}
      body={isSettled ? { act: 'resolve', as: act, filter } : { act, filter }}
      // These do not change who is meant, and are not counted by.
      more={{
        ...(reason && { reason }),
        ...(typed.hang_up && { hang_up: true }),
        ...(act === 'suppress' && { source: 'manual' }),
      }}
      onClose={onClose}
    >
      <p>{text}</p>
      {act === 'suppress' && <CheckField label="Hang up their calls in progress too" {...box('hang_up')} />}
      {(isSettled || act === 'suppress') && <TextField {...field('reason', 'Reason')} />}
    </BulkDialog>
  );
}
