import type { CampaignItem, Job, Key, NextPerson } from '../../api/ask.ts';
import { useAsk, useAsks, useLive, usePages } from '../../data/queries.ts';
import { PartsBar } from '../../kit/bars.tsx';
import { buttonClasses, stateText } from '../../kit/basics.tsx';
import { TextFilter } from '../../kit/filter.tsx';
import { Empty, Glance, Page, Section } from '../../kit/page.tsx';
import { Link, useFilters } from '../../kit/router.tsx';
import { DataTable, Listing, left, right } from '../../kit/table/data-table.tsx';
import {
  about,
  count,
  counted,
  durationText,
  groupsOf,
  sumOf,
  type WaitReason,
  waitWords,
} from '../../kit/words.ts';
import { waitingIn } from '../../shell/need.ts';
import { haltsOf, useNeeds } from '../../shell/needs.ts';
import { phone, who } from '../../shell/person-columns.tsx';
import { inProgress, useActiveCampaigns, useCallsOf, useLiveCalls, useMay } from '../../shell/reads.ts';
import { Until, Waits, type WaitsOf } from '../campaign/overview/waits.tsx';
import { KeyLines } from '../keys/line.tsx';

/** Everybody who is on the way to a call, as one bar: on the line, next, and who waits for a time or for something outside. */
function partsOf(keys: readonly Key[], waits: WaitsOf, callsOf: CallsOf) {
  const waiting = (fill: string) =>
    sumOf(Object.entries(waits).map(([reason, { n }]) => (fillOf(reason) === fill ? n : 0)));
  return [
    ['on the line', sumOf(keys.map(callsOf)), 'bg-live-fill'],
    ['about to be dialled', sumOf(keys.map(({ planned }) => planned)), 'bg-ink'],
    ['waiting for their turn', waiting('bg-ink-2'), 'bg-ink-2'],
    ['waiting for their time', waiting('bg-ink-3'), 'bg-ink-3'],
    ['held up', waiting('hatched'), 'hatched'],
  ] as const;
}

/** How a reason is drawn: its turn comes by itself, at a time, or only by an act or money. */
const fillOf = (reason: string) =>
  held.test(reason) ? 'hatched' : reason === 'calls' ? 'bg-ink-2' : 'bg-ink-3';

type CallsOf = ReturnType<typeof useCallsOf>;

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
  // Closed keys have a link each.
  const halts = haltsOf(needs).filter(({ id }) => !id.startsWith('key '));
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
        // That people wait is no fault, unless a key makes no calls, or a campaign.
        level={faults || isShut || grave ? 'act' : closed.length + halts.length > 0 ? 'watch' : 'fine'}
        title={
          faults ??
          grave?.what ??
          `${counted(inProgress(live), 'call is', 'calls are')} on the line, ${counted(waiting, 'person waits', 'people wait')}.`
        }
      >
        {!grave && halts.map(({ what }) => `${what} `)}
        {begun > 0 && `About ${about(begun)} calls began in the last minute. `}
        {closed.map((name) => (
          <Link key={name} to={`/keys/${encodeURIComponent(name)}`} className="link mr-2 text-bad">
            No new calls on {name}
          </Link>
        ))}
      </Glance>
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
          <KeyLines />
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

/** The rows of the queues: who is on the way to a call, and what they wait for. */
const held = /^(?:paused|no-run|no-credit|budget|refused|draft|canceled|never)$/;

/** A line and the pace of a key hold back by turns, many times a minute: they are one reason here. */
const mergedOf = (reason: WaitReason) => (reason === 'rate' ? 'calls' : reason);

type Row = Pick<Job, 'campaign' | 'phone' | 'name' | 'number' | 'until'> & {
  id: string;
  /** Null of one who is called now. */
  why: WaitReason | null;
  waits: string;
  place: number;
};

function rowOfPerson({ reason, attempts, ...of }: NextPerson): Row {
  const why = mergedOf(reason ?? 'calls');
  return { ...of, why, waits: waitWords[why], number: attempts + 1, place: 0 };
}

/** Of a call that was placed, only its next check is work; before it, its turn at the key comes by itself. */
function rowOfJob(job: Job): Row {
  const { kind, recipient: id, dialed_at: dialled, reason } = job;
  const row = { ...job, id, until: null, why: null, place: 0 };
  if (kind === 'track') return { ...row, waits: 'on the line' };
  if (dialled) return { ...row, waits: 'being dialled' };
  if (reason === null || reason === 'token' || reason === 'poll')
    return { ...row, waits: 'about to be dialled' };
  if (reason in waitWords) {
    const why = mergedOf(reason as WaitReason);
    return { ...row, why, until: why === 'calls' ? null : job.until, waits: waitWords[why] };
  }
  const why = reason === 'out_of_credit' ? 'no-credit' : 'refused';
  return { ...row, why, waits: `the key: ${stateText(reason)}` };
}

/** Who is dialled, who is next, who waits for a time, and who is held up, in no order. */
const rankOf = (why: WaitReason | null) => (why === null ? 0 : why === 'calls' ? 1 : held.test(why) ? 3 : 2);

/** The rows by what they wait for, in the order of their turns, each with its place among those. */
function grouped(rows: readonly Row[]): Row[] {
  const soonest = (a: Row, b: Row) =>
    rankOf(a.why) - rankOf(b.why) || (a.until ?? '').localeCompare(b.until ?? '');
  return [...groupsOf(rows, ({ waits }) => waits).values()]
    .map((group) => group.sort(soonest).map((row, nth) => ({ ...row, place: nth + 1 })))
    .sort(([a], [b]) => soonest(a!, b!))
    .flat();
}
