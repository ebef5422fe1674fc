import { useLive } from '../data/use-live.ts';
import { useNow } from '../kit/time.tsx';

const hourMs = 3_600_000;
const day = 24;

/** What all campaigns did in the last 24 hours and in the 24 before, hour by hour: one answer for all who show it. */
export function useLastDays() {
  const since = new Date((Math.floor(useNow() / hourMs) - 2 * day + 1) * hourMs).toISOString();
  const series = useLive('GET /api/series', { query: { since, step: 'hour' } }, { everyMs: 30_000 });
  const points = series.data?.items ?? [];
  return { series, before: points.slice(0, -day), last: points.slice(-day) };
}
