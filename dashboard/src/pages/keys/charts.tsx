import { Section } from '../../kit/card.tsx';
import { Charts, type Made, SpanLinks } from '../../kit/chart/charts.tsx';
import type { Series } from '../../kit/chart/series.ts';
import { Read } from '../../kit/empty.tsx';
import { about } from '../../kit/words.ts';
import { useSeries } from './hour.tsx';
import { type Point, type SpanId, sinceFirst, spans, wholeSeries } from './points.ts';

/** The key’s limiter over time: what was sent against the limit, and what was refused. */
export function KeyCharts({ name, span, isOpen }: { name: string; span: SpanId; isOpen: boolean }) {
  const series = useSeries(name, span);
  return (
    <Section
      id="series"
      title="Over time"
      acts={<SpanLinks spans={Object.keys(spans)} current={span} />}
      bare
    >
      <Read of={series} lines={12}>
        {(data) => {
          const points = sinceFirst(wholeSeries(data));
          const times = points.map(({ at }) => Date.parse(at) / 1_000);
          return <Charts charts={chartsOf(points, data.step_seconds, isOpen)} times={times} />;
        }}
      </Read>
    </Section>
  );
}

const kinds = [
  { id: 'create', label: 'calls made', color: '--color-ink' },
  { id: 'poll', label: 'polls', color: '--color-ink-2' },
  { id: 'update', label: 'changes', color: '--color-live-fill' },
  { id: 'numbers', label: 'lists', color: '--color-ink-3' },
] as const;

/** Of an open key they were sent again, and are no trouble. */
const refusals = [
  { id: 'rate', label: 'the rate', quiet: '--color-ink-2', color: '--color-bad-fill' },
  { id: 'creates', label: 'a limit of creates', quiet: '--color-ink', color: '--color-warn-fill' },
  { id: 'calls', label: 'calls at once', quiet: '--color-ink-3', color: '--color-odd-fill' },
] as const;

function chartsOf(points: readonly Point[], step: number, isOpen: boolean): Made[] {
  type Values = (point: Point) => number | null;
  const bars = (label: string, color: string, of: Values): Series => ({
    label,
    color,
    values: points.map(of),
  });
  const line = (label: string, of: Values): Series => ({ ...bars(label, '--color-text', of), line: true });
  const isRefused = points.some(({ refused }) => refusals.some(({ id }) => refused[id] > 0));
  const made: Made[] = [
    {
      title: 'Requests a second',
      note: 'by kind, against the limit',
      format: about,
      merge: 'mean',
      series: [
        ...kinds.map(({ id, label, color }) => bars(label, color, ({ requests }) => requests[id] / step)),
        line('limit', (point) => point.limit),
      ],
    },
    isRefused
      ? {
          title: 'Refused as too many',
          note: 'by the limit that was met',
          format: about,
          series: refusals.map(({ id, label, quiet, color }) =>
            bars(label, isOpen ? quiet : color, ({ refused }) => refused[id]),
          ),
        }
      : {
          title: 'Calls at once',
          note: 'the most, against the limit',
          format: about,
          merge: 'mean',
          series: [
            bars('calls at once', '--color-ink-2', ({ calls }) => calls),
            line('limit', (point) => point.max_calls),
          ],
        },
  ];
  // What never happened in this time is not in the legend.
  const isSeen = ({ values }: Series) => values.some(Boolean);
  return made.map((chart) =>
    chart.series.some(isSeen) ? { ...chart, series: chart.series.filter(isSeen) } : chart,
  );
}
