import { useState } from 'react';
import type { CampaignItem, LiveCalls } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { OutcomeMark, stateText } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter } from '../../kit/filter.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { PartBar } from '../../kit/part-bar.tsx';
import { Phone } from '../../kit/phone.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { lastsText, useSecond } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { inProgress, useLiveCalls, useMostCalls } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { campaign, phone, Tries, who } from '../../shell/person-columns.tsx';
import { EndCall } from '../people/end-call.tsx';
import { JustEnded } from './ended.tsx';
import { CallStrip } from './strip.tsx';

/** Every call in progress, the longest first, which can be hung up in its row. */

type Row = LiveCalls['items'][number] & { id: string; isLong: boolean };

export function LivePage() {
  const { phase, ...narrowed } = useSearch('/live');
  const live = useLiveCalls(narrowed);
  const mayAct = useMay('operate');
  const [hangingUp, setHangingUp] = useState<Row | null>(null);
  const now = useSecond();
  const most = useMostCalls();
  const campaigns = useActiveCampaigns().data?.items ?? [];
  if (!live.data) return <Opening title="Live calls" of={live} />;
  const { items, counts } = live.data;
  const rows = items
    .filter((each) => !phase || (each.phase === 'talking') === (phase === 'talking'))
    .map((each) => ({ ...each, id: each.recipient, isLong: ringsLong(each, now) }));
  const all = inProgress(live.data);
  const isNarrowed = Object.keys(narrowed).length > 0;
  const ended = <JustEnded />;
  return (
    <>
      <PageHead
        title="Live calls"
        state={
          all > 0 &&
          !isNarrowed &&
          most !== null &&
          all <= most && (
            <span className="text-sm text-quiet">
              {count(all)} of at most {count(most)}
            </span>
          )
        }
      />
      {all === 0 && !isNarrowed ? (
        <>
          <Empty title="No call now">
            Calls stand here from the first ring to the end, the longest first. They begin when a{' '}
            <PageLink to="/campaigns">campaign</PageLink> runs and its people may be called. Those that ended
            are in <PageLink to="/people">People</PageLink>.
          </Empty>
          {ended}
        </>
      ) : (
        <>
          {!isNarrowed && (
            <div className="mb-3 space-y-3 max-sm:hidden">
              <CallStrip live={live.data} />
              {ended}
            </div>
          )}
          <Narrowed all={all} talking={counts.talking} shown={items.length} shared={sharedOf(rows)} />
          <DataTable
            label="Calls in progress"
            rows={rows}
            columns={columnsOf(rows, now, campaigns, mayAct ? setHangingUp : null)}
            keyOf={({ attempt }) => attempt}
            keys={mayAct ? { h: setHangingUp } : {}}
          />
        </>
      )}
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
type NarrowedProps = { all: number; talking: number; shown: number; shared: string };

function Narrowed({ all, talking, shown, shared }: NarrowedProps) {
  const search = useSearch('/live');
  const campaigns = useActiveCampaigns().data?.items ?? [];
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items ?? [];
  const go = (change: typeof search) => void navigate({ search: { ...search, ...change }, replace: true });
  const phases = [
    [undefined, 'All', all],
    ['talking', 'Talking', talking],
    ['ringing', 'Ringing', all - talking],
  ] as const;
  const filters = [
    ['campaign', 'Campaign', 'Every campaign', campaigns],
    ['key', 'Key', 'Every key', keys],
  ] as const;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4">
      <Filters
        before={
          <Chips label="Phase">
            {phases.map(([phase, label, n]) => (
              <Chip
                key={label}
                on={search.phase === phase}
                onClick={() => go({ phase })}
                mark={phase}
                label={label}
                n={n}
              />
            ))}
          </Chips>
        }
      >
        {filters.map(([field, label, every, items]) => {
          const names = new Set(items.map(({ name }) => name));
          // With the one that the address names.
          if (search[field]) names.add(search[field]);
          return (
            names.size > 1 && (
              <SelectFilter
                key={field}
                label={label}
                all={every}
                value={search[field]}
                choices={[...names].map((name) => ({ value: name, label: name }))}
                onChange={(name) => go({ [field]: name })}
              />
            )
          );
        })}
      </Filters>
      <span className="text-sm text-quiet first-letter:uppercase">
        {shared}
        {shown < all ? `the longest ${count(shown)} of ${counted(all, 'call')}` : 'longest first'}
      </span>
    </div>
  );
}

const quiet = (words: string | null) => <span className="text-quiet">{words ?? '–'}</span>;

/** What all calls have in common is said once, and is no column. */
const isShared = (rows: readonly Row[], field: 'campaign' | 'agent') =>
  rows.length > 1 && rows.every((row) => row[field] === rows[0]![field]);

function sharedOf(rows: readonly Row[]): string {
  const of = isShared(rows, 'campaign') ? `all of ${rows[0]!.campaign}, ` : '';
  const by = isShared(rows, 'agent') && rows[0]!.agent ? `by the agent ${rows[0]!.agent}, ` : '';
  return `${of}${by}`;
}

/** Carriers end what nobody takes sooner than this. */
const longRingMs = 60_000;
const ringsLong = ({ phase, dialed_at: at }: LiveCalls['items'][number], now: number) =>
  phase !== 'talking' && now - Date.parse(at) > longRingMs;

function columnsOf(
  rows: readonly Row[],
  now: number,
  campaigns: readonly CampaignItem[],
  hangUp: ((row: Row) => void) | null,
): readonly Column<Row>[] {
  const ageOf = (at: string) => now - Date.parse(at);
  const longest = Math.max(60_000, ...rows.map(({ dialed_at: at }) => ageOf(at)));
  return [
    left(
      'status',
      'Status',
      ({ phase, status, isLong }) => (
        <span className="inline-flex items-center gap-1.5" title={status ?? undefined}>
          <OutcomeMark state={phase} />{' '}
          {isLong ? <b className="text-warn">ringing long</b> : stateText(phase)}
        </span>
      ),
      { px: 108, from: 'sm' },
    ),
    left(
      'time',
      'For',
      ({ dialed_at: at, phase, isLong }) => (
        <span
          className="grid grid-cols-[2.75rem_minmax(0,1fr)] items-center gap-2"
          title={isLong ? 'It rings longer than calls do: look at the service, or hang up' : undefined}
        >
          <span className={`font-medium ${isLong ? 'text-warn' : 'text-text'}`}>{lastsText(at, now)}</span>
          <span className="max-sm:hidden">
            <PartBar
              part={ageOf(at) / longest}
              fill={isLong ? 'bg-warn-fill' : phase === 'talking' ? 'bg-live-fill' : 'bg-live-fill/45'}
            />
          </span>
        </span>
      ),
      { px: 118, from: 'sm' },
    ),
    { ...who, px: 112 },
    { ...phone, has: () => true, px: 144 },
    { ...campaign, px: 146, has: () => !isShared(rows, 'campaign') },
    left(
      'number',
      'Attempt',
      ({ number, campaign_id: id }) => (
        <Tries n={number} most={campaigns.find((each) => each.id === id)?.max_attempts} />
      ),
      { px: 72, from: 'xl', named: true },
    ),
    left('agent', 'Agent', ({ agent }) => quiet(agent), {
      px: 92,
      from: 'wide',
      has: () => !isShared(rows, 'agent'),
    }),
    left('from', 'From', ({ from }) => (from ? <Phone phone={from} /> : quiet(null)), {
      px: 144,
      from: 'xl',
    }),
    left('key', 'Key', ({ key }) => quiet(key), { px: 60, from: 'xl' }),
    left(
      'act',
      '',
      (row) =>
        hangUp && (
          <Button
            small
            kind="quiet"
            onClick={() => hangUp(row)}
            title="Hang up (H on the row)"
            aria-label={`Hang up ${row.name ?? row.phone ?? ''}`}
            className="max-sm:min-h-10 max-sm:border-line [tr:is(:hover,:focus,:focus-within)_&]:border-line-strong [tr:is(:hover,:focus,:focus-within)_&]:bg-card [tr:is(:hover,:focus,:focus-within)_&]:text-text"
          >
            <Icon name="down" />
            Hang up
            <kbd className="key-in-button hidden md:[tr:is(:hover,:focus,:focus-within)_&]:inline">H</kbd>
          </Button>
        ),
      { px: 106, number: true },
    ),
  ];
}
