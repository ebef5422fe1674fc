import { useMemo, useRef } from 'react';
import type { KeySeries } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Section } from '../../kit/card.tsx';
import { Charts, type Made, SpanLinks } from '../../kit/chart/charts.tsx';
import type { Series } from '../../kit/chart/series.ts';
import { Read } from '../../kit/empty.tsx';
import { useNow } from '../../kit/time.tsx';
import { about, percent } from '../../kit/words.ts';
import { kinds, refusals } from './kinds.ts';
import { type Point, sinceFirst, wholeSeries } from './points.ts';
import { type SpanId, spans } from './spans.ts';
import { StateStrip } from './state-strip.tsx';

/** The key’s limiter over time: what was allowed, believed, sent and refused. */
export function KeyCharts({ name, span }: { name: string; span: SpanId }) {
  const series = useSeries(name, span);
  return (
    <Section id="series" title="Over time" acts={<SpanLinks spans={spans} current={span} />} bare>
      <Read of={series} lines={12}>
        {(data) => <Drawn series={data} />}
      </Read>
    </Section>
  );
}

const anchorMs = 300_000;

/** The beginning moves on every five minutes; until the new answer is there, the one before is shown. */
export function useSeries(name: string, span: SpanId) {
  const { ms } = spans.find(({ id }) => id === span)!;
  const anchor = Math.floor(useNow() / anchorMs) * anchorMs;
  const since = new Date(anchor - ms).toISOString();
  const series = useLive(
    'GET /api/keys/{name}/series',
    { params: { name }, query: { since } },
    { everyMs: 10_000 },
  );
  const before = useRef<{ of: string; data: KeySeries } | null>(null);
  const of = `${name} ${span}`;
  if (series.data) before.current = { of, data: series.data };
  const data = series.data ?? (before.current?.of === of ? before.current.data : undefined);
  return { data, error: series.error, refetch: series.refetch };
}

function Drawn({ series }: { series: KeySeries }) {
  const { points, times, charts } = useMemo(() => {
    const all = sinceFirst(wholeSeries(series));
    return {
      points: all,
      times: all.map(({ at }) => Date.parse(at) / 1_000),
      charts: chartsOf(all, series.step_seconds),
    };
  }, [series]);
  return (
    <>
      <StateStrip points={points} />
      <div className="mt-5">
        <Charts
          charts={charts}
          times={times}
          rest="The allowed rate, the certainty of the limit, calls at once"
        />
      </div>
    </>
  );
}

function chartsOf(points: readonly Point[], step: number): Made[] {
  const limit: Series = {
    label: 'believed limit',
    color: '--color-text',
    values: points.map((point) => point.limit),
    line: true,
  };
  return [
    {
      title: 'Requests a second',
      note: 'by kind, against the limit',
      format: about,
      merge: 'mean',
      series: [
        ...kinds.map(({ id, label, color }) => ({
          label,
          color,
          values: points.map(({ requests }) => requests[id] / step),
        })),
        limit,
      ],
    },
    {
      title: 'Refused as too many',
      note: 'answers with 429, by the limit that was met',
      format: about,
      series: refusals.map(({ id, label, color }) => ({
        label,
        color,
        values: points.map(({ refused }) => refused[id]),
      })),
    },
    {
      title: 'Allowed rate',
      note: 'a second, against the believed limit',
      format: about,
      merge: 'mean',
      series: [
        { label: 'allowed', color: '--color-ink-2', values: points.map(({ rate }) => rate) },
        limit,
        {
          label: 'single probes',
          color: '--color-warn-fill',
          line: true,
          values: points.map(({ probing, rate }) => (probing ? rate : null)),
        },
      ],
    },
    {
      title: 'Certainty of the limit',
      format: percent,
      merge: 'mean',
      series: [
        {
          label: 'certainty',
          color: '--color-ink-2',
          values: points.map(({ sure, rate }) => (rate === null ? null : sure)),
        },
      ],
    },
    {
      title: 'Calls at once',
      note: 'the most, against the cap',
      format: about,
      merge: 'mean',
      series: [
        { label: 'calls at once', color: '--color-ink-2', values: points.map(({ calls }) => calls) },
        {
          label: 'believed cap',
          color: '--color-text',
          line: true,
          values: points.map((point) => point.max_calls),
        },
      ],
    },
  ];
}
