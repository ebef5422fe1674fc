import type { CampaignItem, Key } from '../../api/ask.ts';
import { StillLines } from '../../campaigns/state.tsx';
import { useAsk, useAsks, useLive, usePages } from '../../data/queries.ts';
import { PartBar, PartsBar } from '../../kit/bars.tsx';
import { buttonClasses, stateText } from '../../kit/basics.tsx';
import { TextFilter } from '../../kit/filter.tsx';
import { Empty, Glance, Page, Section } from '../../kit/page.tsx';
import { Link, useFilters } from '../../kit/router.tsx';
import { DataTable, Listing, left, right } from '../../kit/table/data-table.tsx';
import { about, classes, count, counted, durationText, sumOf, type WaitReason } from '../../kit/words.ts';
import { waitingIn } from '../../shell/need.ts';
import { useNeeds } from '../../shell/needs.ts';
import { phone, who } from '../../shell/person-columns.tsx';
import {
  inProgress,
  mostCalls,
  useActiveCampaigns,
  useCallsOf,
  useLiveCalls,
  useMay,
} from '../../shell/reads.ts';
import { Until, Waits, type WaitsOf } from '../campaign/overview/waits.tsx';
import { grouped, held, mergedOf, type Row, rankOf, rowOfJob, rowOfPerson } from './rows.ts';

/** Everybody who is on the way to a call, as one bar: on the line, next, and who waits for a time or for something outside. */
function partsOf(keys: readonly Key[], waits: WaitsOf, callsOf: CallsOf) {
  const waiting = (fill: string) =>
    sumOf(Object.entries(waits).map(([reason, { n }]) => (fillOf(reason) === fill ? n : 0)));
  return [
    ['on the line', sumOf(keys.map(callsOf)), 'bg-live-fill'],
    ['about to be dialled', sumOf(keys.map(({ planned }) => planned)), 'bg-ink'],
    ['waiting for a free place', waiting('bg-ink-2'), 'bg-ink-2'],
    ['waiting for their time', waiting('bg-ink-3'), 'bg-ink-3'],
    ['held up', waiting('hatched'), 'hatched'],
  ] as const;
}

/** How a reason is drawn: its turn comes by itself, at a time, or only by an act or money. */
const fillOf = (reason: string) =>
  held.test(reason) ? 'hatched' : reason === 'calls' ? 'bg-ink-2' : 'bg-ink-3';

type CallsOf = ReturnType<typeof useCallsOf>;

type Line = { name: string; to: string; n: number; most: number | null; closed?: string };

const lineOfKey = (key: Key, callsOf: CallsOf): Line => ({
  name: key.name,
  to: `/live?key=${encodeURIComponent(key.name)}`,
  n: callsOf(key),
  most: mostCalls(key),
  closed: key.state === 'open' ? '' : stateText(key.state),
});

/** Of campaigns only those with a limit of their own. */
const linesOfCampaigns = (campaigns: readonly CampaignItem[]): Line[] =>
  campaigns
    .filter(({ balance, max_calls: most }) => most !== null && balance.calling > 0)
    .map(({ id, name, balance, max_calls: most }) => ({
      name,
      to: `/campaigns/${id}?tab=order`,
      n: balance.calling,
      most,
    }));

/** One that uses all is not ill, and a closed one is not idle. */
const Lines = ({ title, note, of }: { title: string; note?: string; of: readonly Line[] }) =>
  of.length > 0 && (
    <Section title={title} note={note} ruled>
      {of.map(({ name, to, n, most, closed }) => (
        <div
          key={to}
          className="grid min-h-8 grid-cols-[minmax(0,1fr)_6rem_4.5rem] items-center gap-x-3 text-sm"
        >
          <Link to={to} className="truncate font-medium hover:underline">
            {name} {closed && <span className="font-normal text-bad">{closed}</span>}
            {!closed && most !== null && n >= most && <span className="font-normal text-quiet">full</span>}
          </Link>
          <span className={classes(closed && 'rounded-sm outline-[1.5px] outline-bad-fill outline-dashed')}>
            {most !== null && <PartBar part={n / Math.max(1, most)} fill="bg-ink" />}
          </span>
          <span className="number">
            {count(n)} {most !== null && `of ${count(most)}`}
          </span>
        </div>
      ))}
    </Section>
  );

const waitsMs = 15_000;
const mostCampaigns = 20;

/** Why people wait, over all campaigns that are not over; null of very many campaigns. */
function useWaits(campaigns: readonly CampaignItem[]): WaitsOf | null {
  const waiting = campaigns.filter(({ balance }) => balance.waiting + balance.parked > 0);
  const isMany = waiting.length > mostCampaigns;
  const read = useAsks('GET /api/campaigns/{id}', isMany ? [] : waiting.map(({ id }) => ({ id })), waitsMs);
  if (isMany || read.some(({ data }) => !data)) return null;
  const all: WaitsOf = {};
  for (const { data } of read) {
    for (const [id, { n, until }] of Object.entries(data!.waits)) {
      const reason = mergedOf(id as WaitReason);
      const known = all[reason];
      // They count people who are about to be dialled too, as waiting for the rate: these are a part of their own.
      const more = id === 'rate' ? n - data!.balance.queued : n;
      const first = [known?.until, until].filter((time) => time != null).sort()[0] ?? null;
      if (more > 0) all[reason] = { n: more + (known?.n ?? 0), until: first };
    }
  }
  return all;
}

/** Everybody on the way to a call: why others wait, who is next, and who is on the line. */
const everyMs = 5_000;
/** Of each group only the first few are listed: the others are told as a number. Who waits for a time is not next. */
const mostOf = (why: WaitReason | null) => (why === null || why === 'calls' ? 8 : 3);

export function JobsPage() {
  const { search, filter } = useFilters('/jobs', { resetScroll: false });
  const { q } = search;
  const maySeePeople = useMay('read_people');
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  const live = useLiveCalls().data;
  const needs = useNeeds().items;
  const campaigns = useActiveCampaigns().data?.items ?? [];
  const waits = useWaits(campaigns);
  const callsOf = useCallsOf();
  // A search looks everywhere; without one, those who come next are shown, and behind them those who wait first.
  const query = { limit: 50, ...(q ? { q } : { kind: 'dial' as const }) };
  const jobs = usePages('GET /api/jobs', query, { everyMs });
  const next = useAsk('GET /api/next', { limit: 40 }, { everyMs, enabled: !q });
  if (!keys.data || !live) return <Page title="Queues" of={{ ...keys, data: undefined }} />;
  const { items } = keys.data;
  const closed = items.filter(({ state, present }) => present && state !== 'open').map(({ name }) => name);
  const isShut = closed.length > 0 && closed.length === items.length;
  const faults = jobs.problem?.code === 'queue-unreachable' ? jobs.problem.message : undefined;
  const waiting = waits ? sumOf(Object.values(waits).map(({ n }) => n)) : waitingIn(campaigns);
  const grave = needs.find(({ all }) => all);
  const begun = items.reduce((sum, { last_minute: { requests } }) => sum + requests.create, 0);
  const all =
    jobs.rows && grouped([...jobs.rows.map(rowOfJob), ...((!q && next.data?.items) || []).map(rowOfPerson)]);
  const rows = q ? all : all?.filter(({ place, why }) => place <= mostOf(why));
  return (
    <Page
      title="Queues"
      acts={
        maySeePeople && (
          <a href="/queues" className={`${buttonClasses('quiet')} max-sm:hidden!`}>
            Queue board
          </a>
        )
      }
    >
      <Glance
        // That people wait is no fault, unless a key makes no calls.
        level={
          faults || isShut || grave
            ? 'act'
            : closed.length > 0 || needs.some(({ of = [] }) => of.length > 0)
              ? 'watch'
              : 'fine'
        }
        title={
          faults ??
          grave?.what ??
          `${counted(inProgress(live), 'call is', 'calls are')} on the line, ${counted(waiting, 'person waits', 'people wait')}.`
        }
      >
        {begun > 0 && `About ${about(begun)} calls began in the last minute. `}
        {closed.map((name) => (
          <Link key={name} to={`/keys/${encodeURIComponent(name)}`} className="link mr-2 text-bad">
            No new calls on {name}
          </Link>
        ))}
      </Glance>
      {/* One whose next call is in line stands still no more, though it was read a moment ago. */}
      <StillLines
        campaigns={campaigns.filter(
          ({ name }) => !rows?.some(({ campaign, why }) => campaign === name && rankOf(why) < 2),
        )}
      />
      <div className="mb-6 min-h-9">
        {waits && <PartsBar parts={partsOf(items, waits, callsOf)} thickness="fat" legend />}
      </div>
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
        <Section
          title={q ? 'Found' : 'Next in line'}
          acts={
            <TextFilter
              {...filter('q', 'Search')}
              placeholder={maySeePeople ? 'Phone, id or campaign' : 'Id or campaign'}
              error={q ? jobs.problem?.message : undefined}
            />
          }
        >
          <Listing
            list={{ ...jobs, rows }}
            empty={
              <Empty title={q ? 'No call fits the search' : 'Nobody is in line'}>
                A person who waits for hours or another try is not due yet: look for the person instead.
              </Empty>
            }
          >
            {(shown) => (
              <DataTable<Row>
                label="Calls in the queues"
                rows={shown}
                columns={[
                  right<Row>('place', 'Place', { has: () => !q }, ({ place, why }) =>
                    rankOf(why) < 3 ? count(place) : '',
                  ),
                  { ...who, main: true },
                  phone,
                  left<Row>('campaign', 'Campaign', { from: 'sm' }, ({ campaign }) => (
                    <span className="block max-w-48 truncate" title={campaign}>
                      {campaign}
                    </span>
                  )),
                  left<Row>('attempt', 'Call', { from: 'sm', named: true }, ({ number }) =>
                    number === 1 ? 'first' : count(number),
                  ),
                  whenAt(begun),
                ]}
                headOf={({ place, waits: words, why }) => {
                  const n = (why && waits?.[why]?.n) ?? 0;
                  const listed = shown.filter((row) => row.waits === words).length;
                  return (
                    place === 1 && (
                      <>
                        <span className="inline-block first-letter:uppercase">{words}</span>
                        {!q && n > listed && (
                          <span className="ml-2 font-normal text-quiet">
                            the first {listed > 1 && `${count(listed)} `}of {count(n)}
                          </span>
                        )}
                      </>
                    )
                  );
                }}
              />
            )}
          </Listing>
        </Section>
        <div>
          {waits && <Waits of={waits} fillOf={fillOf} />}
          <Lines title="On the line, by key" of={items.map((key) => lineOfKey(key, callsOf))} />
          <Lines
            title="The same calls, by campaign"
            note="those with a limit of their own"
            of={linesOfCampaigns(campaigns)}
          />
        </div>
      </div>
    </Page>
  );
}

/** How soon their turn comes is judged by how many calls began in the last minute. */
const whenAt = (begun: number) =>
  left<Row>('when', 'When', { from: 'sm' }, ({ why, until, place }) => {
    if (!why) return 'now';
    if (why !== 'calls' || begun === 0) return <Until of={why} at={until} />;
    return `in about ${durationText(Math.max(1_000, (place / begun) * 60_000))}`;
  });
