import type { KeySeries, LiveCalls, OneKey } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Pair, type Span, SpanLinks, spanOf, useSince } from '../../kit/chart/chart.tsx';
import { seriesOf } from '../../kit/chart/series.ts';
import { Read } from '../../kit/empty.tsx';
import { Stat } from '../../kit/facts.tsx';
import { Notice } from '../../kit/notice.tsx';
import { PageHead } from '../../kit/page.tsx';
import { useParams, useSearch } from '../../kit/router.tsx';
import { DataTable, left, right } from '../../kit/table/data-table.tsx';
import { durationText, lastsText, timeText, useSecond } from '../../kit/time.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useCallsOf, useLiveCalls } from '../../shell/live-calls.ts';
import { MoreLink } from '../../shell/page-link.tsx';
import { campaign, who } from '../../shell/person-columns.tsx';
import { Lately } from '../activity/entry.tsx';
import { paceText } from './line.tsx';
import { CallerNumbers } from './numbers.tsx';
import { closedBefore, isClosed, type Point, refusedAt, refusedIn, takenAt, wholeSeries } from './points.ts';
import { AskKey, troubleOf, verdictOf } from './trouble.tsx';

/** How a key was used over time, against its limits; the last hour is drawn minute by minute. */
function useSeries(name: string, span: Span) {
  const step = span === '1h' ? 'minute' : undefined;
  const query = { since: useSince(span), step } as const;
  return useLive('GET /api/keys/{name}/series', { params: { name }, query }, { everyMs: 10_000, keep: true });
}

/** One key: what it may send, what is believed of its limit and why, and what can be done. */
export function KeyPage() {
  const { name } = useParams('/keys/$name');
  const { span } = useSearch('/keys/$name');
  const key = useLive('GET /api/keys/{name}', { params: { name } }, { everyMs: 3_000, on: ['key.'] });
  return (
    <>
      <PageHead
        title={name}
        up={{ to: '/keys', label: 'Keys' }}
        state={key.data && <Badge state={key.data.state} soft />}
        // Of a closed key it stands beside what is wrong.
        acts={key.data?.state === 'open' && <AskKey of={key.data} />}
      />
      <Read of={key} lines={8}>
        {(data) => <Known key={name} of={data} span={spanOf(span)} />}
      </Read>
    </>
  );
}

function Known({ of: key, span }: { of: OneKey; span: Span }) {
  const { name } = key;
  const calling = useCallsOf()(key);
  const series = useSeries(name, span);
  const trouble = troubleOf(key, { kind: 'main', before: series.data && closedBefore(series.data) });
  const wasClosed = series.data?.items.some(isClosed) && 'red where it was closed';
  const numbers = useAsk('GET /api/numbers', {});
  return (
    <>
      {trouble && <Notice {...trouble} />}
      {!trouble && <p className="mb-4 font-medium">{verdictOf(key, calling)}</p>}
      <Figures of={key} />
      <Section id="time" title="Over time" note={wasClosed} acts={<SpanLinks current={span} />}>
        <Read of={series} lines={12}>
          {(data) => <Charts of={key} series={data} />}
        </Read>
      </Section>
      {/* Drawn when nothing comes above it any more. */}
      {series.data && !numbers.isPending && (
        <>
          <CallerNumbers of={name} />
          {/* One beside the other, or the whole width where the other has nothing to tell. */}
          <div className="flex flex-wrap gap-x-8 *:min-w-64 *:flex-1">
            <CallsNow of={key} />
            <Lately
              title="What happened"
              verb="key,number,alert.raise,alert.clear"
              subject={name}
              codes={/^(?:key|number)-/}
            />
          </div>
        </>
      )}
    </>
  );
}

function Figures({ of: key }: { of: OneKey }) {
  const { data: hour } = useSeries(key.name, '1h');
  const currency = useActiveCampaigns(15_000).data?.items.find((each) => each.currency)?.currency;
  const [closed, spent] = [Math.min(3_600, key.closed_s) * 1_000, key.cost_1h];
  const refused = hour ? count(refusedIn(hour)) : '–';
  const figure = (name: string, n: string, note: string) => (
    <Stat name={name} note={note}>
      <span className="text-2xl font-semibold">{n}</span>
    </Stat>
  );
  const closedFigure = figure('Closed, last hour', closed > 0 ? durationText(closed) : '–', '');
  return (
    <dl className="mb-6 grid grid-cols-2 gap-x-8 gap-y-4 border-b border-line pb-4 lg:grid-cols-3">
      {key.state !== 'open' && closedFigure}
      {figure('Refused as too many, last hour', refused, 'each is sent again: nobody loses an attempt')}
      {key.state === 'open' && closedFigure}
      {figure(
        'Cost, last hour',
        spent > 0 ? cost(spent, currency) : '–',
        'as far as the service has told it',
      )}
    </dl>
  );
}

function Charts({ of: key, series }: { of: OneKey; series: KeySeries }) {
  const points = wholeSeries(series);
  const each = seriesOf(points);
  const line = 'limit' as const;
  const limit = (of: (point: Point) => number | null) => ({ ...each('limit', '', of), line });
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
            each('refused', 'bg-warn-fill', perSecond(refusedAt)),
            limit((point) => point.limit),
          ],
        },
        {
          ...both,
          title: 'Calls at once',
          foot: callsFoot(key),
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
      ? `It takes about ${paceText(limit)}, as met at ${timeText(since)}; Carillon keeps to that, and tries a little more now and then.`
      : limit === null && 'No limit of the service was met yet.',
    rate !== null && from === 'fixed' && `Carillon sends up to ${paceText(rate)}, as is set.`,
    creates && `It takes about ${paceText(creates)} new calls a second.`,
    account && `It shares its limit with ${account.join(', ')}, and its pace is its part of it.`,
  ];
  return told.filter(Boolean).join(' ');
}

function callsFoot({ belief, call_limit: own }: OneKey): string {
  const told = [
    own && `At most ${count(own.most)}, as is set.`,
    belief?.max_calls &&
      belief.max_calls < (own?.most ?? Infinity) &&
      `The service took no more than ${count(belief.max_calls)}.`,
    own?.kept && `${count(own.kept)} of them stay free for calls that come in.`,
    own?.inbound && `${counted(own.inbound, 'call')} that came in now.`,
  ];
  return told.filter(Boolean).join(' ') || 'No limit is set, and none was met yet.';
}

const mostShown = 8;

/** The calls that the key makes now, the longest first. */
function CallsNow({ of: key }: { of: OneKey }) {
  const n = useCallsOf()(key);
  const now = useSecond();
  const calls = useLiveCalls().data?.items.filter((call) => call.key === key.name) ?? [];
  if (n === 0) return null;
  return (
    <Section
      id="calls"
      title={`${counted(n, 'call')} in progress`}
      note={n > mostShown && `the ${count(mostShown)} longest`}
      acts={<MoreLink to={`/live?key=${encodeURIComponent(key.name)}`}>Live calls</MoreLink>}
    >
      <DataTable<Call>
        label="Calls in progress"
        rows={calls.slice(0, mostShown).map((call) => ({ ...call, id: call.recipient }))}
        columns={[
          who,
          campaign,
          left('status', 'Status', ({ phase }) => <Badge state={phase} />, { from: 'sm' }),
          right('for', 'For', ({ dialed_at: at }) => lastsText(at, now)),
        ]}
        keyOf={({ attempt }) => attempt}
      />
    </Section>
  );
}

type Call = LiveCalls['items'][number] & { id: string };
