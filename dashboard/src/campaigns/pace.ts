import type { CampaignItem } from '../api/description.ts';
import { useLive } from '../data/use-live.ts';
import { timeText } from '../kit/time.tsx';

/** How many calls begin a minute: of the last minutes, as the ledger's series tells them; each whole minute stands beside it. */
const lastMs = 120_000;

export function usePace(id: string): { perMinute: number | null; minutes: number[] } {
  const { data, dataUpdatedAt: now } = useLive(
    'GET /api/campaigns/{id}/series',
    { params: { id }, query: { step: 'minute' } },
    { everyMs: 30_000 },
  );
  const points = data?.items ?? [];
  const first = points.findIndex(({ begun }) => begun > 0);
  if (first < 0) return { perMinute: null, minutes: [] };
  const begun = points.slice(first);
  // The minute of the first call was not whole, and the present one is not over.
  const whole = begun.length > 1 ? begun.slice(1) : begun;
  const lately = whole.filter(({ at }) => now - Date.parse(at) < lastMs);
  const since = Date.parse(lately[0]?.at ?? '');
  const calls = lately.reduce((sum, point) => sum + point.begun, 0);
  return {
    perMinute: lately.length === 0 ? 0 : (calls * 60_000) / Math.max(15_000, now - since),
    minutes: begun.slice(1, -1).map((point) => point.begun),
  };
}

type Balance = CampaignItem['balance'];

/** People who were not reached yet and are not on the line. */
export const leftOf = ({ waiting, queued, parked }: Balance) => waiting + queued + parked;
/** Of these, those whose call is not on its way. */
export const waitingOf = ({ waiting, parked }: Balance) => waiting + parked;
/** People who need something more. */
export const openOf = (balance: Balance) => leftOf(balance) + balance.calling + balance.unknown;

/** The share of people who were called to an end, rounded down: it is 100 % only at the end, and who was rejected is not done. */
export const doneShare = (balance: Balance) =>
  Math.floor((100 * (balance.rows - openOf(balance) - balance.rejected)) / Math.max(1, balance.rows));

export function stillWords({ standstill }: CampaignItem): string | null {
  if (!standstill) return null;
  const { message, until } = standstill;
  return until ? `${message}, until ${timeText(until)}` : message;
}
