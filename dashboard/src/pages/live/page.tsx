import { useState } from 'react';
import type { CampaignItem, FoundPerson, LiveCalls } from '../../api/ask.ts';
import { EndCall } from '../../campaigns/start-stop.tsx';
import { StillLines } from '../../campaigns/state.tsx';
import { useLive } from '../../data/queries.ts';
import { PartBar } from '../../kit/bars.tsx';
import { Button, Icon, OutcomeMark, stateText } from '../../kit/basics.tsx';
import { Choose, Filters, SelectFilter } from '../../kit/filter.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { Link, MoreLink, useFilters } from '../../kit/router.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { Ago, Phone, useSecond } from '../../kit/values.tsx';
import { clockText, count, counted, lastsText } from '../../kit/words.ts';
import { haltsOf, useNeeds } from '../../shell/needs.ts';
import { NeedsList } from '../../shell/needs-list.tsx';
import { personAddress } from '../../shell/people.tsx';
import { campaign, phone, Tries, who } from '../../shell/person-columns.tsx';
import { inProgress, useActiveCampaigns, useLiveCalls, useMay, useMostCalls } from '../../shell/reads.ts';
import { CallStrip, partOf } from './strip.tsx';

const most = 5;
// Some of those who wait were not called lately: more are read than are shown.
const query = { state: 'done,waiting,unknown', limit: 2 * most };
const endOf = ({ ended_at: at }: FoundPerson) => at ?? '';

/** The calls that ended last, in a line: what becomes of calls is seen while they are made. */
function JustEnded() {
  const enabled = useMay('read_people');
  const found = useLive('GET /api/calls', query, { everyMs: 15_000, enabled }).data;
  const ended = found?.items.filter(endOf).toSorted((a, b) => endOf(b).localeCompare(endOf(a)));
  // The list below does not move when it comes.
  if (!ended) return enabled && <div className="h-5 max-sm:hidden" />;
  return (
    ended.length > 0 && (
      <section
        aria-label="Just ended"
        className="flex h-5 items-center gap-x-5 text-sm text-quiet max-sm:hidden"
      >
        <span className="shrink-0">Just ended</span>
        <ol className="flex min-w-0 flex-1 flex-wrap gap-x-6 overflow-hidden h-5">
          {ended.slice(0, most).map((row) => (
            <li key={row.id} className="inline-flex items-center gap-1.5 whitespace-nowrap">
              <OutcomeMark state={row.outcome ?? row.state} />
              <Link to={personAddress(row)} className="font-medium text-text hover:underline">
                {row.name ?? <Phone phone={row.phone} />}
              </Link>
              {row.duration ? clockText(row.duration) : stateText(row.outcome ?? row.state)}
              {row.error && `: ${row.error}`}, <Ago at={endOf(row)} />
            </li>
          ))}
        </ol>
        <MoreLink to="/people">All who were called</MoreLink>
      </section>
    )
  );
}

/** Every call in progress, the longest first, which can be hung up in its row. */

type Row = LiveCalls['items'][number] & { id: string; isLong: boolean };

export function LivePage() {
  const { search, set, filter } = useFilters('/live');
  const { phase, ...narrowed } = search;
  const live = useLiveCalls(narrowed);
  const mayAct = useMay('operate');
  const [hangingUp, setHangingUp] = useState<Row | null>(null);
  const now = useSecond();
  const most = useMostCalls();
  const campaigns = useActiveCampaigns().data?.items ?? [];
  const halts = haltsOf(useNeeds().items);
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items ?? [];
  if (!live.data) return <Page title="Live calls" of={live} />;
  const { items, counts } = live.data;
  const rows = items
    .filter((each) => !phase || (each.phase === 'talking') === (phase === 'talking'))
    .map((each) => ({ ...each, id: each.recipient, isLong: ringsLong(each, now) }));
  const all = inProgress(live.data);
  const isNarrowed = Object.keys(narrowed).length > 0;
  const ended = <JustEnded />;
  const phases = [
    [undefined, 'All', all],
    ['talking', 'Talking', counts.talking, 'talking'],
    ['ringing', 'Not answered yet', all - counts.talking, 'ringing'],
  ] as const;
  const filters = [
    ['campaign', 'Campaign', 'Every campaign', campaigns],
    ['key', 'Key', 'Every key', keys],
  ] as const;
  return (
    <Page
      title="Live calls"
      note={
        all > 0 && !isNarrowed && most !== null && all <= most && `${count(all)} of at most ${count(most)}`
      }
    >
      <NeedsList title="Why people are not called" items={halts} />
      {all === 0 && !isNarrowed ? (
        <>
          <Empty title="No call now">
            Calls stand here from the first ring to the end, the longest first. They begin when a{' '}
            <Link to="/campaigns">campaign</Link> runs and its people may be called. Those that ended are in{' '}
            <Link to="/people">People</Link>.
          </Empty>
          <StillLines campaigns={campaigns} />
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
          <div className="flex flex-wrap items-center justify-between gap-x-4">
            <Filters
              before={
                <Choose label="Phase" of={phases} value={phase} onChange={(each) => set({ phase: each })} />
              }
            >
              {filters.map(([field, label, every, those]) => {
                const names = new Set(those.map(({ name }) => name));
                // With the one that the address names.
                if (search[field]) names.add(search[field]);
                return (
                  names.size > 1 && (
                    <SelectFilter
                      key={field}
                      {...filter(field, label)}
                      all={every}
                      choices={[...names].map((name) => ({ value: name, label: name }))}
                    />
                  )
                );
              })}
            </Filters>
            <span className="text-sm text-quiet first-letter:uppercase">
              {items.length < all
                ? `the longest ${count(items.length)} of ${counted(all, 'call')}`
                : 'longest first'}
            </span>
          </div>
          <DataTable
            label="Calls in progress"
            rows={rows}
            columns={columnsOf(now, campaigns, mayAct ? setHangingUp : null)}
            keyOf={({ attempt }) => attempt}
            keys={mayAct ? { h: setHangingUp } : {}}
          />
        </>
      )}
      {hangingUp && (
        <EndCall
          id={hangingUp.attempt}
          who={hangingUp.name ?? hangingUp.phone}
          isOn={items.some(({ attempt }) => attempt === hangingUp.attempt)}
          onClose={() => setHangingUp(null)}
        />
      )}
    </Page>
  );
}

const quiet = (words: string | null) => <span className="text-quiet">{words ?? '–'}</span>;

/** Carriers end what nobody takes sooner than this. */
const longRingMs = 60_000;
const ringsLong = ({ phase, dialed_at: at }: LiveCalls['items'][number], now: number) =>
  phase !== 'talking' && now - Date.parse(at) > longRingMs;

function columnsOf(
  now: number,
  campaigns: readonly CampaignItem[],
  hangUp: ((row: Row) => void) | null,
): readonly Column<Row>[] {
  return [
    left('status', 'Status', { px: 108, from: 'sm' }, ({ phase, status, isLong }) => (
      <span className="inline-flex items-center gap-1.5" title={status ?? undefined}>
        <OutcomeMark state={phase} /> {isLong ? <b className="text-warn">ringing long</b> : stateText(phase)}
      </span>
    )),
    left('time', 'For', { px: 118, from: 'sm' }, ({ dialed_at: at, phase, isLong }) => (
      <span
        className="grid grid-cols-[2.75rem_minmax(0,1fr)] items-center gap-2"
        title={isLong ? 'It rings longer than calls do: look at the service, or hang up' : undefined}
      >
        <span className={`font-medium ${isLong ? 'text-warn' : 'text-text'}`}>{lastsText(at, now)}</span>
        <span className="max-sm:hidden">
          <PartBar
            part={partOf(now - Date.parse(at))}
            fill={isLong ? 'bg-warn-fill' : phase === 'talking' ? 'bg-live-fill' : 'bg-live-fill/45'}
          />
        </span>
      </span>
    )),
    { ...who, px: 112 },
    { ...phone, has: () => true, px: 144 },
    { ...campaign, px: 146, has: () => true },
    left('number', 'Attempt', { px: 72, from: 'xl', named: true }, ({ number, campaign_id: id }) => (
      <Tries n={number} most={campaigns.find((each) => each.id === id)?.max_attempts} />
    )),
    left('agent', 'Agent', { px: 92, from: 'wide' }, ({ agent }) => quiet(agent)),
    left('from', 'From', { px: 144, from: 'xl' }, ({ from }) =>
      from ? <Phone phone={from} /> : quiet(null),
    ),
    left('key', 'Key', { px: 60, from: 'xl' }, ({ key }) => quiet(key)),
    left(
      'act',
      '',
      { px: 106, number: true },
      (row) =>
        hangUp && (
          <Button
            acts
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
    ),
  ];
}
