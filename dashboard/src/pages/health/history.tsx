import type { AllSeries } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import { Read } from '../../kit/empty.tsx';
import { about, count, percent } from '../../kit/words.ts';
import { useLastDays } from '../../shell/last-days.ts';

/** The last 24 hours of all campaigns: which share failed, which the service refused, how late results were. */
export function History() {
  const { series, last } = useLastDays();
  return (
    <Section id="history" title="The last 24 hours" note="all campaigns, by the hour">
      <Read of={series} lines={8}>
        {() => <Drawn points={last} />}
      </Read>
    </Section>
  );
}

type Point = AllSeries['items'][number];
const requestsOf = ({ requests }: Point) => requests.create + requests.poll;

function Drawn({ points }: { points: readonly Point[] }) {
  const times = points.map(({ at }) => Date.parse(at) / 1_000);
  const most = Math.max(...points.map(({ result_lag: lag }) => lag?.max ?? 0));
  /** A share of each hour, so that a busy one does not hide the others; its counts stand in the words. */
  const share = (title: string, label: string, of: (point: Point) => number, part: typeof of) => {
    const words = (some: readonly Point[]) => {
      const [whole, wrong] = [of, part].map((each) => some.reduce((sum, point) => sum + each(point), 0));
      return `${count(wrong!)} of ${count(whole!)}`;
    };
    const values = points.map((point) => (of(point) > 0 ? part(point) / of(point) : null));
    return (
      <Chart
        title={title}
        note={words(points)}
        told={(at) => words(points.slice(times.indexOf(at)).slice(0, 1))}
        height={124}
        format={percent}
        merge="mean"
        times={times}
        series={[{ label, color: '--color-ink-2', values }]}
      />
    );
  };
  return (
    <div className="grid gap-x-10 gap-y-4 lg:grid-cols-3">
      {share(
        'Calls that failed',
        'failed',
        ({ calls }) => calls,
        ({ outcomes }) => outcomes.failed ?? 0,
      )}
      {share('Requests refused', 'refused', requestsOf, ({ refused }) => refused)}
      <Chart
        title="Results came after"
        note={most > 0 ? `${about(most)} s at most` : 'none yet'}
        told={(at) => `${about(points[times.indexOf(at)]?.result_lag?.max ?? 0)} s at most`}
        height={124}
        format={(value) => `${about(value)} s`}
        merge="mean"
        times={times}
        series={[
          {
            label: 'on average',
            color: '--color-ink-2',
            values: points.map(({ result_lag: lag }) => lag?.mean ?? null),
          },
        ]}
      />
    </div>
  );
}
