import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { LiveCalls } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter } from '../../kit/filter.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Phone } from '../../kit/phone.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { useSecond } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { inProgress, useLiveCalls, useMostCalls } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { CallStrip } from '../overview/on-the-line.tsx';
import { EndCall } from '../people/end-call.tsx';
import { people, places, time } from './columns.tsx';
import { EndedLately } from './ended.tsx';
import type { LiveSearch } from './search.ts';

/** Every call in progress, the longest first, which can be hung up in its row; and those that ended last. */
const address = getRouteApi('/live');

type Row = LiveCalls['items'][number] & { id: string };

/** As many as a screen has room for, with those that ended below them. */
const rowsInSight = 15;
const leastEnded = 8;

export function LivePage() {
  const { phase, ...narrowed }: LiveSearch = address.useSearch();
  const live = useLiveCalls(narrowed);
  const mayAct = useMay('operate');
  const [hangingUp, setHangingUp] = useState<Row | null>(null);
  const now = useSecond();
  const most = useMostCalls();
  if (!live.data) return <Opening title="Live calls" of={live} />;
  const { items, counts } = live.data;
  const rows = items
    .filter((each) => !phase || (each.phase === 'talking') === (phase === 'talking'))
    .map((each) => ({ ...each, id: each.recipient }));
  const all = inProgress(live.data);
  const isNarrowed = Object.keys(narrowed).length > 0;

  return (
    <>
      <PageHead
        title="Live calls"
        state={
          <span className="text-sm text-quiet max-md:hidden">
            {all > 0 &&
              !isNarrowed &&
              most !== null &&
              all <= most &&
              `${count(all)} of ${count(most)} lines in use`}
          </span>
        }
      />
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
          {!isNarrowed && <CallStrip live={live.data} />}
          <Narrowed all={all} talking={counts.talking} ringing={counts.ringing + counts.dialing} />
          <DataTable
            label="Calls in progress"
            rows={rows}
            columns={columnsOf(rows, now, mayAct ? setHangingUp : null)}
            keyOf={({ attempt }) => attempt}
            keys={mayAct ? { h: setHangingUp } : {}}
          />
          {items.length < all && (
            <p className="mt-2 text-sm text-quiet">
              The longest {count(items.length)} of {counted(all, 'call')}.
            </p>
          )}
        </>
      )}
      {!isNarrowed && <EndedLately shown={Math.max(leastEnded, rowsInSight - rows.length)} />}
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
    ['talking', 'Talking', talking],
    ['ringing', 'Ringing', ringing],
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

function columnsOf(
  rows: readonly Row[],
  now: number,
  hangUp: ((row: Row) => void) | null,
): readonly Column<Row>[] {
  return [
    {
      ...places.status,
      head: 'Status',
      cell: ({ phase, status: word }) => (
        <span title={word ?? undefined}>
          <Badge
            state={phase === 'dialing' ? 'ringing' : phase}
            {...(phase === 'dialing' && { label: 'dialling' })}
          />
        </span>
      ),
    },
    time(rows, {
      head: 'Duration',
      fillOf: ({ phase }) => (phase === 'talking' ? 'bg-live-fill' : 'bg-live-fill/45'),
      secondsOf: ({ dialed_at: at }) => Math.max(0, (now - Date.parse(at)) / 1_000),
    }),
    ...people,
    {
      ...places.campaign,
      cell: ({ campaign: name, campaign_id: id }) => (
        <PageLink to={`/campaigns/${id}`} className="text-quiet hover:underline">
          {name}
        </PageLink>
      ),
    },
    {
      id: 'from',
      head: 'From',
      px: 130,
      from: 'xl',
      cell: ({ from }) => <span className="text-quiet">{from ? <Phone phone={from} /> : '–'}</span>,
    },
    {
      id: 'agent',
      head: 'Agent',
      px: 92,
      from: 'xl',
      cell: ({ agent }) => <span className="text-quiet">{agent ?? '–'}</span>,
    },
    {
      id: 'key',
      head: 'Key',
      px: 56,
      from: 'xl',
      cell: ({ key }) => <span className="text-quiet">{key}</span>,
    },
    {
      ...places.act,
      cell: (row) =>
        hangUp && (
          <Button
            small
            kind="quiet"
            onClick={() => hangUp(row)}
            title="Hang up (H on the row)"
            aria-label={`Hang up ${row.name ?? row.phone ?? ''}`}
            className="max-sm:min-h-10 max-sm:min-w-10 max-sm:border-line"
          >
            <Icon name="down" />
            <span className="max-lg:sr-only">Hang up</span>
          </Button>
        ),
    },
  ];
}
