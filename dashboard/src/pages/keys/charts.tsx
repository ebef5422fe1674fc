import { useMemo } from 'react';
import type { KeySeries } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Charts, type Made, SpanLinks } from '../../kit/chart/charts.tsx';
import type { Series } from '../../kit/chart/series.ts';
import { Read } from '../../kit/empty.tsx';
import { about, percent } from '../../kit/words.ts';
import { useSeries } from './hour.tsx';
import { type Point, sinceFirst, wholeSeries } from './points.ts';
import { type SpanId, spans } from './spans.ts';
import { StateStrip } from './state-strip.tsx';

/** The key’s limiter over time: what was allowed, believed, sent and refused. */
export function KeyCharts({ name, span }: { name: string; span: SpanId }) {
  const series = useSeries(name, span);
  return (
    <Section
      id="series"
      title="Over time"
      acts={<SpanLinks spans={spans.map(({ id }) => id)} current={span} />}
      bare
    >
      <Read of={series} lines={12}>
        {(data) => <Drawn series={data} />}
      </Read>
    </Section>
  );
}

/** The kinds of requests that a key sends, and what its 429s were taken for, each with its words and colour. */
const kinds = [
  { id: 'create', label: 'calls made', color: '--color-ink' },
  { id: 'poll', label: 'polls', color: '--color-ink-2' },
  { id: 'update', label: 'changes and hang-ups', color: '--color-live-fill' },
  { id: 'numbers', label: 'lists of numbers and agents', color: '--color-ink-3' },
] as const;

const refusals = [
  { id: 'rate', label: 'the rate', color: '--color-bad-fill' },
  { id: 'creates', label: 'a limit of creates', color: '--color-warn-fill' },
  { id: 'calls', label: 'calls at once', color: '--color-odd-fill' },
] as const;

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
      <Charts
        charts={charts}
        times={times}
        rest={`The ${charts
          .slice(2)
          .map(({ title }) => title.toLowerCase())
          .join(', ')}`}
      />
    </>
  );
}

function chartsOf(points: readonly Point[], step: number): Made[] {
  type Values = (point: Point) => number | null;
  const bars = (label: string, color: string, of: Values): Series => ({
    label,
    color,
    values: points.map(of),
  });
  const line = (label: string, color: string, of: Values): Series => ({
    ...bars(label, color, of),
    line: true,
  });
  const limit = line('believed limit', '--color-text', (point) => point.limit);
  // Where nothing was refused, the words above the charts say so.
  const isRefused = points.some(({ refused }) => refusals.some(({ id }) => refused[id] > 0));
  const refused: Made = {
    title: 'Refused as too many',
    note: 'answers with 429, by the limit that was met',
    format: about,
    series: refusals.map(({ id, label, color }) => bars(label, color, (point) => point.refused[id])),
  };
  const made: Made[] = [
    {
      title: 'Requests a second',
      note: 'by kind, against the limit',
      format: about,
      merge: 'mean',
      series: [
        ...kinds.map(({ id, label, color }) => bars(label, color, ({ requests }) => requests[id] / step)),
        limit,
      ],
    },
    ...(isRefused ? [refused] : []),
    {
      title: 'Calls at once',
      note: 'the most, against the cap',
      format: about,
      merge: 'mean',
      series: [
        bars('calls at once', '--color-ink-2', ({ calls }) => calls),
        line('believed cap', '--color-text', (point) => point.max_calls),
      ],
    },
    {
      title: 'Allowed rate',
      note: 'a second, against the believed limit',
      format: about,
      merge: 'mean',
      series: [
        bars('allowed', '--color-ink-2', ({ rate }) => rate),
        limit,
        line('single probes', '--color-warn-fill', ({ probing, rate }) => (probing ? rate : null)),
      ],
    },
    {
      title: 'Certainty of the limit',
      format: percent,
      merge: 'mean',
      series: [bars('certainty', '--color-ink-2', ({ sure, rate }) => (rate === null ? null : sure))],
    },
  ];
  // What never happened in this time is not in the legend.
  const isSeen = ({ values }: Series) => values.some(Boolean);
  return made.map((chart) =>
    chart.series.some(isSeen) ? { ...chart, series: chart.series.filter(isSeen) } : chart,
  );
}
