import { rateText } from '../../kit/answers.ts';
import { cost, counted } from '../../kit/words.ts';
import { useLastDays } from '../../shell/campaigns.ts';

/** The calls of all campaigns in the last 24 hours, beside those of the 24 before. */
export function LastDay({ currency }: { currency: string | null }) {
  const { before, last } = useLastDays();
  const [ended, answered] = [sumOf(last, 'calls'), sumOf(last, 'connects')];
  const earlier = sumOf(before, 'calls');
  if (ended + earlier === 0) return null;
  const isCostKnown = last.some((point) => point.cost !== null);
  return (
    <p className="mb-6 text-sm text-quiet">
      <b className="font-semibold text-text">{counted(ended, 'call')}</b> in the last 24 hours
      {ended > 0 && `, ${rateText(answered / ended)} answered`}
      {isCostKnown && `, ${cost(sumOf(last, 'cost'), currency)}`}; {counted(earlier, 'call')} the day before.
    </p>
  );
}

const sumOf = <K extends string>(points: readonly Record<K, number | null>[], name: K): number =>
  points.reduce((sum, point) => sum + (point[name] ?? 0), 0);
