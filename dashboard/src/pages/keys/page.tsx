import type { Key, KeySeries, OneKey } from '../../api/ask.ts';
import { useLive } from '../../data/queries.ts';
import { Spark } from '../../kit/bars.tsx';
import { Badge } from '../../kit/basics.tsx';
import { Pair, type Span, SpanLinks, spanOf, useSince } from '../../kit/chart/chart.tsx';
import { seriesOf } from '../../kit/chart/series.ts';
import { Glance, Notice, Page, Read, Section } from '../../kit/page.tsx';
import { MoreLink, useParams, useSearch } from '../../kit/router.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { Facts } from '../../kit/values.tsx';
import { cost, count, counted, durationText, sumOf, timeText } from '../../kit/words.ts';
import { needOfKey } from '../../shell/need.ts';
import { stopOf, useNeeds } from '../../shell/needs.ts';
import { useActiveCampaigns, useCallsOf, useLiveCalls, useNoWorker } from '../../shell/reads.ts';
import { Lately } from '../activity/page.tsx';
import { Calls, closedFirst, KeyLink, limitOf, NoKeys, Pace, paceText } from './line.tsx';
import {
  closedBefore,
  heldLimits,
  isClosed,
  type Point,
  refusedAt,
  refusedIn,
  takenAt,
  wholeSeries,
} from './points.ts';
import { AskKey, doingOf, levelOf, troubleOf, verdictOf } from './trouble.tsx';

/** Every key of the voice service: whether it works, how much of its limit is used, and what Carillon does about it. */
export function KeysPage() {
  const answer = useLive('GET /api/keys', {}, { everyMs: 3_000, on: ['key.'] });
  const currency = useCurrency();
  const keys = answer.data?.items ?? [];
  const open = keys.filter(({ state, present }) => state === 'open' && present).length;
  const closed = keys.filter(({ state }) => state !== 'open');
  const stop = stopOf(useNeeds().items);
  const idle = useNoWorker() ? 'no worker runs' : stop && 'everything is stopped';
  const few = open > 0 ? `${count(open)} of ${counted(keys.length, 'key')} can call` : 'No key can call';
  const why = closed.length === 1 ? `: ${needOfKey(closed[0]!, null).what.replace(/^T/, 't')}` : '.';
  const columns = [
    left<Key>('key', 'Key', (key) => {
      const title = troubleOf(key, { small: true })?.title;
      return (
        <div className="flex flex-wrap items-baseline gap-x-2.5 py-2.5 sm:min-w-40">
          <KeyLink of={key} />
          {title ? <span className="text-warn">{title}</span> : <Badge state={key.state} />}
        </div>
      );
    }),
    left<Key>('now', 'What it does', { from: 'sm' }, (key) => <Now of={key} />),
    left<Key>('pace', 'Requests a second', { from: 'sm', named: true }, (key) => (
      <Pace of={key} scale={Math.max(...keys.map((each) => limitOf(each) ?? 0))} />
    )),
    left<Key>('hour', 'Last hour', { from: 'xl', folds: true }, (key) => <Hour of={key} />),
    right<Key>('calls', 'Calls at once', (key) => <Calls of={key} />),
    right<Key>('closed', 'Closed, last hour', { from: 'xl', folds: true }, closedText),
    right<Key>('cost', 'Cost, last hour', { from: 'xl', folds: true }, ({ cost_1h: n }) => cost(n, currency)),
    left<Key>('act', '', { number: true, from: 'sm', has: (key) => Boolean(actOf(key)) }, actOf),
  ];
  if (answer.data && keys.length === 0)
    return (
      <Page title="Keys">
        <NoKeys />
      </Page>
    );
  return (
    <Page title="Keys" of={answer} lines={6}>
      {() => (
        <>
          <Glance
            level={idle ? (stop ? 'watch' : 'act') : levelOf(keys)}
            title={few + (idle && open > 0 ? `, and none calls: ${idle}.` : why)}
          />
          <div className="mb-6">
            <DataTable
              label="Keys"
              rows={[...keys].sort(closedFirst)}
              columns={columns}
              keyOf={({ name }) => name}
            />
          </div>
          <Lately title="What happened" verb="key,alert.raise,alert.clear" codes={/^key-/} />
        </>
      )}
    </Page>
  );
}

const actOf = (key: Key) => troubleOf(key, { small: true })?.act;

/** What holds it back; of one that nothing does, for whom it calls. */
function Now({ of: key }: { of: Key }) {
  const calls = useLiveCalls().data?.items.filter((call) => call.key === key.name) ?? [];
  const campaigns = [...new Set(calls.map(({ campaign }) => campaign))].join(', ');
  const held = troubleOf(key, { small: true })?.children ?? doingOf(key);
  const words = held || (campaigns ? `Nothing holds it back now. It calls for ${campaigns}.` : 'no call now');
  return <span className="block sm:max-w-72 sm:min-w-48">{words}</span>;
}

export function KeyPage() {
  const { name } = useParams('/keys/$name');
  const { span } = useSearch('/keys/$name');
  const key = useLive('GET /api/keys/{name}', { name }, { everyMs: 3_000, on: ['key.'] });
  const shown = spanOf(span);
  const series = useSeries(name, shown);
  const callsOf = useCallsOf();
  const wasClosed = series.data?.items.some(isClosed) && 'shaded where it was closed';
  return (
    <Page
      title={name}
      up={{ to: '/keys', label: 'Keys' }}
      state={key.data && <Badge state={key.data.state} soft />}
      // Of a closed key it stands beside what is wrong.
      acts={
        <>
          <MoreLink to={`/live?key=${encodeURIComponent(name)}`}>Its calls</MoreLink>
          <MoreLink to="/numbers">Its numbers</MoreLink>
          {key.data?.state === 'open' && <AskKey of={key.data} />}
        </>
      }
      of={key}
    >
      {(data) => {
        const trouble = troubleOf(data, { kind: 'main', before: series.data && closedBefore(series.data) });
        return (
          <>
            {trouble && <Notice {...trouble} />}
            {!trouble && <p className="mb-4 font-medium">{verdictOf(data, callsOf(data))}</p>}
            <Figures of={data} />
            <Section title="Over time" note={wasClosed} acts={<SpanLinks current={shown} />}>
              <Read of={series} lines={12}>
                {(points) => <Charts of={data} series={points} />}
              </Read>
            </Section>
            {/* Drawn when nothing comes above it any more. */}
            {series.data && (
              <Lately
                title="What happened"
                verb="key,number,alert.raise,alert.clear"
                subject={name}
                codes={/^(?:key|number)-/}
              />
            )}
          </>
        );
      }}
    </Page>
  );
}

function Charts({ of: key, series }: { of: OneKey; series: KeySeries }) {
  const points = wholeSeries(series);
  const each = seriesOf(points);
  const limit = (of: (point: Point) => number | null) => ({
    label: 'limit',
    fill: '',
    line: 'limit' as const,
    values: heldLimits(points.map(of)),
  });
  const perSecond = (of: (point: Point) => number) => (point: Point) => of(point) / series.step_seconds;
  const timesOf = (some: readonly Point[]) => some.map(({ at }) => Date.parse(at) / 1_000);
  const both = { format: paceText, merge: 'mean', closed: timesOf(points.filter(isClosed)) } as const;
  return (
    <Pair
      times={timesOf(points)}
      charts={[
        {
          ...both,
          title: 'Requests a second',
          foot: rateFoot(key),
          series: [
            each('taken', 'bg-ink-2', perSecond(takenAt)),
            each('refused', 'bg-bad-fill', perSecond(refusedAt)),
            limit((point) => point.limit),
          ],
        },
        {
          ...both,
          title: 'Calls at once',
          foot: callsFoot(key, points),
          series: [
            each('calls', 'bg-ink-2', (point) => point.calls),
            limit((point) => point.max_calls ?? key.call_limit?.most ?? null),
          ],
        },
      ]}
    />
  );
}

/** How each limit is known, and who else takes a part of it. */
function rateFoot({ state, rate, rate_from: from, belief }: OneKey): string {
  const { limit, since, creates, account } = belief ?? {};
  const told = [
    limit && since && state === 'open'
      ? `The service took about ${paceText(limit)} at ${timeText(since)}; Carillon keeps to that, and tries a little more now and then.`
      : limit === null && 'No limit of the service was met yet.',
    rate !== null && from === 'fixed' && `Carillon sends up to ${paceText(rate)}, as is set.`,
    creates && `About ${paceText(creates)} of them may be new calls.`,
    account && `It shares its limit with ${account.join(', ')}, and its pace is its part of it.`,
  ];
  return told.filter(Boolean).join(' ');
}

function callsFoot({ belief, call_limit: own }: OneKey, points: readonly Point[]): string {
  const since = points[points.findLastIndex((point) => point.max_calls !== belief?.max_calls) + 1]?.at;
  const told = [
    own && `At most ${count(own.most)}, as is set.`,
    belief?.max_calls &&
      belief.max_calls < (own?.most ?? Infinity) &&
      `${since ? `Since ${timeText(since)} it takes` : 'It takes'} no more than ${count(belief.max_calls)}.`,
    own?.kept && `${count(own.kept)} of them stay free for calls that come in.`,
    own?.inbound && `${counted(own.inbound, 'call')} that came in now.`,
  ];
  return told.filter(Boolean).join(' ') || 'No limit is set, and none was met yet.';
}

/** What a key did in its last hour, which is drawn minute by minute, and in longer times. */
function useSeries(name: string, span: Span) {
  const step = span === '1h' ? 'minute' : undefined;
  const query = { since: useSince(span), step } as const;
  return useLive('GET /api/keys/{name}/series', { name, ...query }, { everyMs: 10_000, keep: true });
}

/** What it took in each five minutes, and how much the service refused: why it was slow. */
function Hour({ of: { name } }: { of: Key }) {
  const { data } = useSeries(name, '1h');
  if (!data) return null;
  const points = wholeSeries(data).slice(-60);
  const minutes = (nth: number) => points.slice(nth * 5, nth * 5 + 5);
  const taken = Array.from({ length: 12 }, (_, nth) => sumOf(minutes(nth).map(takenAt)));
  return (
    <span className="flex items-center gap-3 whitespace-nowrap">
      <Spark values={taken} label={`${count(sumOf(taken))} requests, each bar of 5 minutes`} />
      {counted(refusedIn(data), 'refusal')}
    </span>
  );
}

const useCurrency = () => useActiveCampaigns(15_000).data?.items.find((each) => each.currency)?.currency;

/** What closed a moment ago is not counted yet. */
const closedText = ({ state, closed_s: seconds }: Key) =>
  seconds > 0
    ? durationText(Math.min(3_600, seconds) * 1_000)
    : state === 'open'
      ? 'never'
      : 'under a minute';

function Figures({ of: key }: { of: OneKey }) {
  const { data: hour } = useSeries(key.name, '1h');
  const spent = cost(key.cost_1h, useCurrency());
  return (
    <div className="mb-6 border-b border-line pb-4">
      <Facts
        look="wide"
        of={[
          ['Closed, last hour', closedText(key)],
          [
            'Refused, last hour',
            hour && `${count(refusedIn(hour))}; each is sent again, and nobody loses an attempt`,
          ],
          [
            'Cost, last hour',
            key.cost_1h > 0 ? `${spent}, as far as the service has told it` : 'none told yet',
          ],
        ]}
      />
    </div>
  );
}
