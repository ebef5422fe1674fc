import type { Key, OneKey } from '../../api/ask.ts';
import { useLive } from '../../data/queries.ts';
import { Spark } from '../../kit/bars.tsx';
import { type Span, useSince } from '../../kit/chart/chart.tsx';
import { Facts } from '../../kit/values.tsx';
import { cost, count, counted, durationText, sumOf } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/reads.ts';
import { refusedIn, takenAt, wholeSeries } from './points.ts';

/** What a key did in its last hour, which is drawn minute by minute, and in longer times. */
export function useSeries(name: string, span: Span) {
  const step = span === '1h' ? 'minute' : undefined;
  const query = { since: useSince(span), step } as const;
  return useLive('GET /api/keys/{name}/series', { name, ...query }, { everyMs: 10_000, keep: true });
}

/** What it took in each five minutes, and how much the service refused: why it was slow. */
export function Hour({ of: { name } }: { of: Key }) {
  const { data } = useSeries(name, '1h');
  if (!data) return null;
  const points = wholeSeries(data).slice(-60);
  const minutes = (nth: number) => points.slice(nth * 5, nth * 5 + 5);
  const taken = Array.from({ length: 12 }, (_, nth) => sumOf(minutes(nth).map(takenAt)));
  return (
    <span className="flex items-center gap-3">
      <Spark values={taken} label={`${count(sumOf(taken))} requests, each bar of 5 minutes`} />
      {counted(refusedIn(data), 'refusal')}
    </span>
  );
}

export const useCurrency = () =>
  useActiveCampaigns(15_000).data?.items.find((each) => each.currency)?.currency;

/** What closed a moment ago is not counted yet. */
export const closedText = ({ state, closed_s: seconds }: Key) =>
  seconds > 0
    ? durationText(Math.min(3_600, seconds) * 1_000)
    : state === 'open'
      ? 'never'
      : 'under a minute';

export function Figures({ of: key }: { of: OneKey }) {
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
