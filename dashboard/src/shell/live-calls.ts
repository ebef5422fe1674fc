import { useLive } from '../data/use-live.ts';

/** The calls in progress: the same answer for all who show them. No event tells each move of a call. */
export const useLiveCalls = (query: { campaign?: string; key?: string } = {}, everyMs = 3_000) =>
  useLive('GET /api/live', { query: { ...query, limit: 1_000 } }, { everyMs });

/** Places for more calls, as far as limits are known: null where some open key has none. */
export function useFreeCalls(): { most: number; free: number } | null {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items ?? [];
  const open = keys.filter(({ state, present }) => state === 'open' && present);
  const caps = open.map(({ belief }) => belief?.max_calls ?? null);
  if (open.length === 0 || caps.includes(null)) return null;
  const most = caps.reduce<number>((sum, cap) => sum + (cap ?? 0), 0);
  return { most, free: Math.max(0, most - open.reduce((sum, { calling }) => sum + calling, 0)) };
}
