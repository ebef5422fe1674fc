import type { AllSeries } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import { Read } from '../../kit/empty.tsx';
import { about, count, percent } from '../../kit/words.ts';
import { useLastDays } from '../../shell/last-days.ts';

/** The last 24 hours of all campaigns: what was done, what failed, what the service refused, how late results were. */
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
const lagOf = ({ result_lag: lag }: Point) => lag?.mean ?? null;

function Drawn({ points }: { points: readonly Point[] }) {
  const times = points.map(({ at }) => Date.parse(at) / 1_000);
  const most = Math.max(...points.map(({ result_lag: lag }) => lag?.max ?? 0));
  /** What was done, and which part of it went wrong. */
  const both = (title: string, of: (point: Point) => number, wrong: string, isWrong: typeof of) => {
    const [all, bad] = [points.map(of), points.map(isWrong)];
    const [whole, failed] = [all, bad].map((values) => values.reduce((sum, n) => sum + n, 0)) as [
      number,
      number,
    ];
    const share =
      failed > 0 ? `${count(failed)} ${wrong}, ${percent(failed / Math.max(1, whole))}` : `none ${wrong}`;
    const well = { label: `not ${wrong}`, color: '--color-ink-2', values: all.map((n, at) => n - bad[at]!) };
    const series = [well, { label: wrong, color: '--color-bad-fill', values: bad }];
    return (
      <Chart title={title} note={`${count(whole)}; ${share}`} height={84} times={times} series={series} />
    );
  };
  return (
    <div className="space-y-3">
      {both(
        'Calls ended',
        ({ calls }) => calls,
        'failed',
        ({ outcomes }) => outcomes.failed ?? 0,
      )}
      {both('Requests to the service', requestsOf, 'refused', ({ refused }) => refused)}
      <Chart
        title="Results came after"
        note={most > 0 ? `on average; ${about(most)} s at most` : 'none yet'}
        height={84}
        format={(value) => `${about(value)} s`}
        merge="mean"
        times={times}
        series={[{ label: 'on average', color: '--color-ink-2', values: points.map(lagOf) }]}
      />
    </div>
  );
}
