import { rateText } from '../../kit/answers.tsx';
import { Chart } from '../../kit/chart/chart.tsx';
import { cost, count, counted } from '../../kit/words.ts';
import { useLastDays } from '../../shell/last-days.ts';

type LastDayProps = { currency: string | null };

/** The calls of all campaigns in the last 24 hours, beside those of the 24 before. */
export function LastDay({ currency }: LastDayProps) {
  const { before, last } = useLastDays();
  const [ended, answered] = [sumOf(last, 'calls'), sumOf(last, 'connects')];
  if (ended + sumOf(before, 'calls') === 0) return null;
  const spent = last.filter((point) => point.cost !== null);
  const told = [
    counted(ended, 'call'),
    ...(ended > 0 ? [`${rateText(answered / ended)} answered`] : []),
    ...(spent.length > 0 ? [cost(sumOf(spent, 'cost'), currency)] : []),
  ];
  const earlier = `day before: ${count(sumOf(before, 'calls'))}`;
  return (
    <section className="mb-6">
      <Chart
        title="Last 24 hours"
        note={`${told.join(', ')} (${earlier})`}
        height={132}
        times={last.map(({ at }) => Date.parse(at) / 1_000)}
        series={[
          { label: 'answered', color: '--color-good-fill', values: last.map(({ connects }) => connects) },
          {
            label: 'not answered',
            color: '--color-ink-3',
            values: last.map(({ calls, connects }) => calls - connects),
          },
        ]}
      />
    </section>
  );
}

function sumOf<K extends string>(points: readonly Record<K, number | null>[], name: K): number {
  return points.reduce((sum, point) => sum + (point[name] ?? 0), 0);
}
