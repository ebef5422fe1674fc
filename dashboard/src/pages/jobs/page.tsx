import { Fragment } from 'react';
import type { Job, NextPerson } from '../../api/description.ts';
import { usePages } from '../../data/pages.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { stateText } from '../../kit/badge.tsx';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { TextFilter } from '../../kit/filter.tsx';
import { Glance } from '../../kit/glance.tsx';
import { groupsOf } from '../../kit/groups.ts';
import { Listing } from '../../kit/listing.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { type WaitReason, waitWords } from '../../kit/waits.ts';
import { about, count, counted, sumOf } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { inProgress, useLiveCalls } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { phone, who } from '../../shell/person-columns.tsx';
import { Until, Waits } from '../campaign/overview/waits.tsx';
import { fillOf, isFull, mergedOf, OnTheLine, useLines, useWaits, Way } from './way.tsx';

/** Everybody on the way to a call: why others wait, who is next, and who is on the line. */
const everyMs = 5_000;
/** Of each group only the first few are listed: the others are told as a number. Who waits for a time is not next. */
const mostOf = (why: WaitReason | null) => (why === null || why === 'calls' ? 8 : 3);

export function JobsPage() {
  const { q } = useSearch('/jobs');
  const maySeePeople = useMay('read_people');
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  const live = useLiveCalls().data;
  const campaigns = useActiveCampaigns().data?.items ?? [];
  const waits = useWaits(campaigns);
  const lines = useLines(keys.data?.items ?? [], campaigns);
  // A search looks everywhere; without one, those who come next are shown, and behind them those who wait first.
  const query = { limit: 50, ...(q ? { q } : { kind: 'dial' as const }) };
  const jobs = usePages('GET /api/jobs', { query }, { everyMs });
  const next = useAsk('GET /api/next', { query: { limit: 40 } }, { everyMs, enabled: !q });
  if (!keys.data || !live) return <Opening title="Queues" of={{ ...keys, data: undefined }} />;
  const { items } = keys.data;
  const closed = items.filter(({ state, present }) => present && state !== 'open').map(({ name }) => name);
  const isShut = closed.length > 0 && closed.length === items.length;
  const faults = jobs.problem?.code === 'queue-unreachable' ? jobs.problem.message : undefined;
  const waiting = waits
    ? sumOf(Object.values(waits).map(({ n }) => n))
    : campaigns.reduce((sum, { balance }) => sum + balance.waiting + balance.parked, 0);
  const full = lines.filter((line) => isFull(line, 0.9));
  const begun = items.reduce((sum, { last_minute: { requests } }) => sum + requests.create, 0);
  const all =
    jobs.rows && grouped([...jobs.rows.map(rowOfJob), ...((!q && next.data?.items) || []).map(rowOfPerson)]);
  const rows = q ? all : all?.filter(({ place, why }) => place <= mostOf(why));
  return (
    <>
      <PageHead
        title="Queues"
        acts={
          maySeePeople && (
            <a href="/queues" className={`${buttonClasses('quiet')} max-sm:hidden!`}>
              Queue board
            </a>
          )
        }
      />
      <Glance
        // That people wait is no fault, unless a key makes no calls.
        level={faults || isShut ? 'act' : closed.length > 0 ? 'watch' : 'fine'}
        title={
          faults ??
          `${counted(inProgress(live), 'call is', 'calls are')} on the line, ${counted(waiting, 'person waits', 'people wait')}.`
        }
      >
        {begun > 0 && `About ${about(begun)} calls began in the last minute. `}
        {closed.map((name) => (
          <PageLink key={name} to={`/keys/${encodeURIComponent(name)}`} className="link mr-2 text-bad">
            No new calls on {name}
          </PageLink>
        ))}
        {/* Its line is kept while the reasons are read. */}
        <span className="block min-h-[1lh]">
          {waits?.calls && full.length > 0 && (
            <>
              They wait for a place on{' '}
              {full.map(({ to, name, n, most }, nth) => (
                <Fragment key={to}>
                  {nth > 0 && (nth === full.length - 1 ? ' and ' : ', ')}
                  <PageLink to={to}>{name}</PageLink> ({count(n)} of {count(most!)})
                </Fragment>
              ))}
              .
            </>
          )}
        </span>
      </Glance>
      <div className="mb-6 min-h-9">{waits && <Way keys={items} waits={waits} />}</div>
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
        <Section
          id="jobs"
          title={q ? 'Found' : 'Next in line'}
          acts={
            <TextFilter
              label="Search"
              placeholder={maySeePeople ? 'Phone, id or campaign' : 'Id or campaign'}
              value={q}
              onChange={(text) => void navigate({ search: { q: text }, replace: true, resetScroll: false })}
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
                  right<Row>('place', 'Place', ({ place }) => count(place), { has: () => !q }),
                  { ...who, main: true },
                  phone,
                  left<Row>('campaign', 'Campaign', ({ campaign }) => campaign, { from: 'sm' }),
                  left<Row>(
                    'attempt',
                    'Attempt',
                    ({ number }) => (number === 1 ? 'first call' : `call ${count(number)}`),
                    { from: 'sm', has: ({ number }) => number > 1 },
                  ),
                  whenAt(begun),
                ]}
                keyOf={({ id }) => id}
                headOf={({ place, waits: words, why }) => {
                  const n = (why && waits?.[why]?.n) ?? 0;
                  return (
                    place === 1 && (
                      <>
                        <span className="inline-block first-letter:uppercase">{words}</span>
                        {!q && n > mostOf(why) && (
                          <span className="ml-2 font-normal text-quiet">
                            {why === 'calls' && 'the first '}
                            {mostOf(why)} of {count(n)}
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
          <OnTheLine lines={lines} />
        </div>
      </div>
    </>
  );
}

/** How soon their turn comes is judged by how many calls began in the last minute. */
const whenAt = (begun: number) =>
  left<Row>(
    'when',
    'When',
    ({ why, until, place }) => {
      if (!why) return 'now';
      if (why !== 'calls' || begun === 0) return <Until of={why} at={until} />;
      return place <= begun ? 'within a minute' : `in about ${count(Math.ceil(place / begun))} min`;
    },
    { from: 'sm' },
  );

/** A person in a queue or before it, with the words of what they and others wait for. */
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

/** The rows by what they wait for, each with its place among those; whose turn comes by itself stands before a time. */
function grouped(rows: readonly Row[]): Row[] {
  const soonest = (a: Row, b: Row) => (a.until ?? '').localeCompare(b.until ?? '');
  return [...groupsOf(rows, ({ waits }) => waits).values()]
    .map((group) => group.sort(soonest).map((row, nth) => ({ ...row, place: nth + 1 })))
    .sort(([a], [b]) => soonest(a!, b!))
    .flat();
}
