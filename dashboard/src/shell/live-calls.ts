import type { Key } from '../api/description.ts';
import { useLive } from '../data/use-live.ts';

/** The calls in progress: the same answer for all who show them. No event tells each move of a call. */
export const useLiveCalls = (query: { campaign?: string; key?: string } = {}, everyMs = 3_000) =>
  useLive('GET /api/live', { query: { ...query, limit: 1_000 } }, { everyMs });

/** The most calls at once of a key: the limit that was set or the one that was met, whichever is less. */
export function mostCalls({ call_limit: own, belief }: Pick<Key, 'call_limit' | 'belief'>): number | null {
  const known = [own?.now, belief?.max_calls].filter((most) => most != null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Places for more calls, as far as limits are known: null where some open key has none. */
export function useFreeCalls(): { most: number; free: number } | null {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items ?? [];
  const open = keys.filter(({ state, present }) => state === 'open' && present);
  const caps = open.map(mostCalls);
  if (open.length === 0 || caps.includes(null)) return null;
  const most = caps.reduce<number>((sum, cap) => sum + (cap ?? 0), 0);
  return { most, free: Math.max(0, most - open.reduce((sum, { calling }) => sum + calling, 0)) };
}
