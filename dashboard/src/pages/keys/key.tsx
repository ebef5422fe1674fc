import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { KeySeries, OneKey } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Pair, type Span, SpanLinks, spanOf, useSince } from '../../kit/chart/chart.tsx';
import { Read } from '../../kit/empty.tsx';
import { Notice } from '../../kit/notice.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Stat } from '../../kit/stat.tsx';
import { timeText } from '../../kit/time.tsx';
import { about, cost, count, counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { mostCalls, useCallsOf } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { limitOf, paceOf } from './line.tsx';
import { CallerNumbers } from './numbers.tsx';
import { type Point, refusedAt, refusedIn, requestsAt, wholeSeries } from './points.ts';
import { AskKey, doingOf, troubleOf } from './trouble.tsx';

const route = getRouteApi('/keys/$name');

/** How a key was used over time, against its limits; the last hour is drawn minute by minute. */
function useSeries(name: string, span: Span) {
  const step = span === '1h' ? 'minute' : undefined;
  const query = { since: useSince(span), step } as const;
  return useLive('GET /api/keys/{name}/series', { params: { name }, query }, { everyMs: 10_000, keep: true });
}

/** One key: what it may send, what is believed of its limit and why, and what can be done. */
export function KeyPage() {
  const { name } = route.useParams();
  const { span } = route.useSearch();
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
  const { name, state } = key;
  const trouble = troubleOf(key, { kind: 'main' });
  const series = useSeries(name, span);
  return (
    <>
      {trouble && <Notice {...trouble} />}
      {state === 'open' && <p className="mb-4 font-medium empty:hidden">{doingOf(key)}</p>}
      <Figures of={key} />
      <Section id="time" title="Over time" acts={<SpanLinks current={span} />} bare>
        <Read of={series} lines={12}>
          {(data) => <Charts of={key} series={data} />}
        </Read>
      </Section>
      <p className="mb-6 max-w-4xl text-quiet">{limitsText(key)}</p>
      <CallerNumbers of={name} />
      <Lately title="What happened" verb="key,number,alert" subject={name} codes={/^(?:key|number)-/} />
    </>
  );
}

function Figures({ of: key }: { of: OneKey }) {
  const calling = useCallsOf()(key);
  const { data: hour } = useSeries(key.name, '1h');
  const currency = useActiveCampaigns(15_000).data?.items.find((each) => each.currency)?.currency;
  const [most, limit] = [mostCalls(key), limitOf(key)];
  const refused = hour && refusedIn(hour);
  const figure = (name: string, n: ReactNode, note: string) => (
    <Stat name={name} note={note}>
      <span className="text-2xl font-semibold">{n}</span>
    </Stat>
  );
  return (
    <dl className="mb-6 grid grid-cols-2 gap-x-8 gap-y-4 border-b border-line pb-4 lg:grid-cols-4">
      {figure(
        'Calls at once',
        <PageLink to={`/live?key=${encodeURIComponent(key.name)}`} className="hover:underline">
          {count(calling)}
        </PageLink>,
        most === null ? 'no limit met yet' : `of ${count(most)}`,
      )}
      {figure(
        'Requests a second, last minute',
        about(paceOf(key)),
        limit === null ? 'no limit met yet' : `of about ${about(limit)}`,
      )}
      {figure(
        'Refused as too many, last hour',
        refused === undefined ? '–' : count(refused),
        refused ? 'sent again: nobody loses an attempt' : 'none',
      )}
      {figure(
        'Cost, last hour',
        key.cost_1h > 0 ? cost(key.cost_1h, currency) : '–',
        'as far as the service has told it',
      )}
    </dl>
  );
}

function Charts({ of: key, series }: { of: OneKey; series: KeySeries }) {
  const points = wholeSeries(series);
  const each = (label: string, fill: string, of: (point: Point) => number | null) => ({
    label,
    fill,
    values: points.map(of),
  });
  const limit = (of: (point: Point) => number | null) => ({ ...each('limit', '', of), line: true });
  const perSecond = (of: (point: Point) => number) => (point: Point) => of(point) / series.step_seconds;
  return (
    <Pair
      times={points.map(({ at }) => Date.parse(at) / 1_000)}
      charts={[
        {
          title: 'Requests a second',
          note: 'against the limit',
          format: about,
          merge: 'mean',
          series: [
            each('taken', 'bg-ink-2', perSecond(taken)),
            each('refused', 'bg-warn-fill', perSecond(refusedAt)),
            limit((point) => point.limit),
          ],
        },
        {
          title: 'Calls at once',
          note: 'against the most allowed',
          format: about,
          merge: 'mean',
          series: [
            each('calls', 'bg-ink-2', (point) => point.calls),
            limit((point) => point.max_calls ?? key.call_limit?.most ?? null),
          ],
        },
      ]}
    />
  );
}

const taken = (point: Point) => Math.max(0, requestsAt(point) - refusedAt(point));

/** How each limit is known, and who else takes a part of it. */
function limitsText({ rate, rate_from: from, belief, call_limit: own }: OneKey): string {
  const { limit, since, creates, account } = belief ?? {};
  const told = [
    limit && since
      ? `It takes about ${about(limit)} requests a second, as met at ${timeText(since)}; Carillon keeps to that, and tries a little more now and then.`
      : 'No limit of the service was met yet.',
    rate !== null && from === 'fixed' && `Carillon sends up to ${about(rate)}, as is set.`,
    own?.kept && `${count(own.kept)} of ${counted(own.most, 'call')} stay free for those that come in.`,
    own?.inbound && `${counted(own.inbound, 'call')} that came in now.`,
    creates && `It takes about ${about(creates)} new calls a second.`,
    account && `It shares its limit with ${account.join(', ')}, and its pace is its part of it.`,
  ];
  return told.filter(Boolean).join(' ');
}
