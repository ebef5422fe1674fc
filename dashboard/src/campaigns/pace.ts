import type { CampaignItem } from '../api/description.ts';
import { useLive } from '../data/use-live.ts';

/** How many calls begin a minute: from the balances that this page was told, and before that from the ledger's series. */
type Sample = { at: number; calls: number };
type Pace = { perMinute: number | null; minutes: number[] };

const samples = new Map<string, Sample[]>();
const spanMs = 60_000;
const leastMs = 15_000;

export function usePace(id: string, calls: number, updatedAt: number): Pace {
  const series = useLive(
    'GET /api/campaigns/{id}/series',
    { params: { id }, query: { step: 'minute' } },
    { everyMs: 30_000 },
  );
  // The minute of the first call was not whole, and the present one is not over.
  const points = series.data?.items ?? [];
  const [begun, last] = [points.map((point) => point.begun), points.at(-1)];
  const first = begun.findIndex((n) => n > 0);
  const minutes = first < 0 ? [] : begun.slice(first + 1, -1);
  const passed = last ? series.dataUpdatedAt - Date.parse(last.at) : 0;
  const present =
    last && first < points.length - 1 && passed >= leastMs ? (last.begun * 60_000) / passed : null;
  return { perMinute: watched(id, calls, updatedAt) ?? minutes.at(-1) ?? present, minutes };
}

/** Null until it was watched for long enough. */
function watched(id: string, calls: number, updatedAt: number): number | null {
  const known = samples.get(id) ?? [];
  const last = known.at(-1);
  // After a pause of the page the old ones say nothing of now.
  const isBroken = last !== undefined && updatedAt - last.at > spanMs / 2;
  if (!last || last.at < updatedAt) {
    const kept = isBroken ? [] : known.filter(({ at }) => updatedAt - at <= spanMs);
    kept.push({ at: updatedAt, calls });
    samples.set(id, kept);
  }
  const now = samples.get(id)!;
  const [first] = now;
  const end = now.at(-1)!;
  const time = end.at - first!.at;
  return time < leastMs ? null : ((end.calls - first!.calls) * 60_000) / time;
}

/** The share of people who need nothing more, rounded down: it is 100 % only at the end. */
export function doneShare({
  rows,
  waiting,
  queued,
  calling,
  parked,
  unknown,
}: CampaignItem['balance']): number {
  const open = waiting + queued + calling + parked + unknown;
  return rows === 0 ? 0 : Math.floor((100 * (rows - open)) / rows);
}
