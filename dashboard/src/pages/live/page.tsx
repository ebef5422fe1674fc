import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { LiveCalls } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter } from '../../kit/filter.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Caller, serviceChose } from '../../kit/phone.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { lastsText, useSecond } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { inProgress, useLiveCalls } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { phone, who } from '../../shell/person-columns.tsx';
import { EndCall } from '../people/end-call.tsx';
import { EndedLately } from './ended.tsx';
import type { LiveSearch } from './search.ts';

/** Every call in progress, the longest first, which can be hung up in its row; and those that ended last. */
const address = getRouteApi('/live');

type Row = LiveCalls['items'][number] & { id: string; longest: string };

/** Facts of a call that may be the same for all: then they are told once, above. */
const common: readonly [column: string, name: string, of: (row: Row) => string][] = [
  ['campaign', 'Campaign', ({ campaign }) => campaign],
  ['agent', 'Agent', ({ agent }) => agent ?? '–'],
  ['from', 'From', ({ from }) => from ?? serviceChose],
  ['key', 'Key', ({ key }) => key],
];

function sameOf([first, ...others]: readonly Row[]) {
  if (!first || others.length === 0) return [];
  return common
    .filter(([, , of]) => others.every((row) => of(row) === of(first)))
    .map(([id, name, of]) => ({ id, name, value: of(first) }));
}

export function LivePage() {
  const { phase, ...narrowed }: LiveSearch = address.useSearch();
  const live = useLiveCalls(narrowed);
  const mayAct = useMay('operate');
  const [hangingUp, setHangingUp] = useState<Row | null>(null);
  const items = live.data?.items;
  const rows = useMemo<Row[]>(() => {
    const longest = items?.[0]?.dialed_at ?? '';
    const wanted = items?.filter((each) => !phase || (each.phase === 'talking') === (phase === 'talking'));
    return (wanted ?? []).map((each) => ({ ...each, id: each.recipient, longest }));
  }, [items, phase]);
  const columns = useMemo(() => columnsOf(mayAct ? setHangingUp : null), [mayAct]);
  const same = sameOf(rows);
  if (!live.data) return <Opening title="Live calls" of={live} />;
  const { counts } = live.data;
  const all = inProgress(live.data);
  const isNarrowed = Object.keys(narrowed).length > 0;

  return (
    <>
      <PageHead title="Live calls" />
      {all === 0 && !isNarrowed ? (
        <Empty title="No call now">
          Calls stand here from the first ring to the end, the longest first. They begin when a{' '}
          <PageLink to="/campaigns" className="link">
            campaign
          </PageLink>{' '}
          runs and its people may be called.
        </Empty>
      ) : (
        <>
          <Narrowed all={all} talking={counts.talking} ringing={counts.ringing + counts.dialing} />
          {same.length > 0 && (
            <p className="mb-2 flex flex-wrap gap-x-4 text-sm text-quiet">
              {same.map(({ id, name, value }) => (
                <span key={id}>
                  {name} <span className="text-text">{value}</span>
                </span>
              ))}
            </p>
          )}
          <DataTable
            label="Calls in progress"
            rows={rows}
            columns={columns.filter(({ id }) => !same.some((each) => each.id === id))}
            keyOf={({ attempt }) => attempt}
            keys={mayAct ? { h: setHangingUp } : {}}
          />
          {items!.length < all && (
            <p className="mt-2 text-sm text-quiet">
              The longest {count(items!.length)} of {counted(all, 'call')}.
            </p>
          )}
        </>
      )}
      {!isNarrowed && <EndedLately />}
      {hangingUp && (
        <EndCall
          id={hangingUp.attempt}
          who={hangingUp.name ?? hangingUp.phone}
          onClose={() => setHangingUp(null)}
        />
      )}
    </>
  );
}

/** Which of the calls are shown: by phase at one press, or those of a campaign or a key. */
function Narrowed({ all, talking, ringing }: { all: number; talking: number; ringing: number }) {
  const search: LiveSearch = address.useSearch();
  const navigate = address.useNavigate();
  const campaigns = useActiveCampaigns().data?.items ?? [];
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items ?? [];
  const go = (change: { [Field in keyof LiveSearch]: LiveSearch[Field] | undefined }) =>
    void navigate({ search: { ...search, ...change } as LiveSearch, replace: true });
  const phases = [
    [undefined, 'All', all],
    ['talking', 'talking', talking],
    ['ringing', 'ringing', ringing],
  ] as const;
  return (
    <Filters
      before={
        <Chips label="Phase">
          {phases.map(([phase, label, n]) => (
            <Chip key={label} on={search.phase === phase} onClick={() => go({ phase })} label={label} n={n} />
          ))}
        </Chips>
      }
    >
      {(campaigns.length > 1 || search.campaign) && (
        <SelectFilter
          label="Campaign"
          all="Every campaign"
          value={search.campaign}
          choices={choicesOf(campaigns, search.campaign)}
          onChange={(campaign) => go({ campaign })}
        />
      )}
      {(keys.length > 1 || search.key) && (
        <SelectFilter
          label="Key"
          all="Every key"
          value={search.key}
          choices={choicesOf(keys, search.key)}
          onChange={(key) => go({ key })}
        />
      )}
    </Filters>
  );
}

/** By name, with the one that the address names. */
function choicesOf(items: readonly { name: string }[], now: string | undefined) {
  const names = new Set([...items.map(({ name }) => name), ...(now ? [now] : [])]);
  return [...names].map((name) => ({ value: name, label: name }));
}

function columnsOf(hangUp: ((row: Row) => void) | null): readonly Column<Row>[] {
  const quiet = (text: string | null) => <span className="text-quiet">{text ?? '–'}</span>;
  return [
    {
      id: 'phase',
      head: 'Status',
      from: 'sm',
      cell: ({ phase, status }) => (
        <span title={status ?? undefined}>
          <Badge
            state={phase === 'dialing' ? 'ringing' : phase}
            {...(phase === 'dialing' && { label: 'dialling' })}
          />
        </span>
      ),
    },
    { id: 'time', head: 'Since dialled', from: 'sm', cell: (row) => <Lasts of={row} /> },
    who,
    phone,
    {
      id: 'campaign',
      head: 'Campaign',
      from: 'sm',
      cell: ({ campaign, campaign_id: id }) => (
        <PageLink to={`/campaigns/${id}`} className="text-quiet hover:underline">
          {campaign}
        </PageLink>
      ),
    },
    { id: 'agent', head: 'Agent', from: 'xl', cell: ({ agent }) => quiet(agent) },
    {
      id: 'from',
      head: 'From',
      from: 'xl',
      cell: ({ from }) => (
        <span className="text-quiet">
          <Caller phone={from} />
        </span>
      ),
    },
    { id: 'key', head: 'Key', from: 'lg', cell: ({ key }) => quiet(key) },
    ...(hangUp
      ? [
          {
            id: 'act',
            head: '',
            number: true,
            cell: (row: Row) => (
              <Button
                small
                onClick={() => hangUp(row)}
                title="H on the row"
                aria-label={`Hang up ${row.name ?? row.phone ?? ''}`}
                className="max-sm:min-h-10"
              >
                <Icon name="down" />
                Hang up
              </Button>
            ),
          },
        ]
      : []),
  ];
}

function Lasts({ of: { dialed_at: at, longest, phase } }: { of: Row }) {
  const now = useSecond();
  const part = (now - Date.parse(at)) / Math.max(1, now - Date.parse(longest));
  return (
    <span className="flex items-center gap-2.5">
      <span className="number font-medium text-text sm:w-12">{lastsText(at, now)}</span>
      {phase === 'talking' && (
        <span className="w-40 max-md:hidden" aria-hidden="true">
          <span
            className="block h-2 rounded-sm bg-live-fill"
            style={{ width: `${Math.max(4, Math.min(1, part) * 100)}%` }}
          />
        </span>
      )}
    </span>
  );
}
