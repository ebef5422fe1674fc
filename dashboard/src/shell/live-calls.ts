import { useMemo } from 'react';
import type { CampaignItem, Key, LiveCalls } from '../api/description.ts';
import { useLive } from '../data/use-live.ts';
import { sumOf } from '../kit/words.ts';
import { useActiveCampaigns } from './campaigns.ts';

/** The calls in progress: the same answer for all who show or count them. No event tells each move of a call. */
export const useLiveCalls = (
  query: { campaign?: string | undefined; key?: string | undefined } = {},
  everyMs = 2_000,
  enabled = true,
) => useLive('GET /api/live', { query: { ...query, limit: 1_000 } }, { everyMs, enabled });

/** How many calls are in progress: each is dialled, rings or talks. */
export const inProgress = ({ counts: { dialing, ringing, talking } }: LiveCalls) =>
  dialing + ringing + talking;

/** A key's calls, counted where the navigation counts them all, unless there are too many to be listed. */
export function useCallsOf(): (key: Pick<Key, 'name' | 'calling'>) => number {
  const live = useLiveCalls().data;
  return useMemo(() => {
    if (!live || live.items.length < inProgress(live)) return ({ calling }) => calling;
    const counts: Record<string, number> = Object.create(null);
    for (const { key } of live.items) counts[key] = (counts[key] ?? 0) + 1;
    return ({ name }) => counts[name] ?? 0;
  }, [live]);
}

/** The most calls at once of a key: the limit that was set or the one that was met, whichever is less. */
export const mostCalls = ({ call_limit: own, belief }: Pick<Key, 'call_limit' | 'belief'>): number | null =>
  least([own?.now, belief?.max_calls]);

/** Places for more calls on the keys, as far as their limits are known: null where some open key has none. */
export function useFreeCalls(): { most: number; free: number } | null {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items ?? [];
  const open = keys.filter(({ state, present }) => state === 'open' && present);
  const most = keys.length > 0 && open.length === 0 ? 0 : sumOfLimits(open.map(mostCalls));
  if (most === null) return null;
  return { most, free: Math.max(0, most - open.reduce((sum, { calling }) => sum + calling, 0)) };
}

/** The most calls at once of all keys and all campaigns that dial, where either is known. */
export function useMostCalls(): number | null {
  const keys = useFreeCalls();
  const campaigns = useActiveCampaigns().data?.items ?? [];
  return least([keys?.most, sumOfLimits(campaigns.filter(dials).map(({ max_calls: most }) => most))]);
}

const dials = ({ state, balance: { waiting, queued, calling } }: CampaignItem) =>
  state === 'running' && waiting + queued + calling > 0;

function least(limits: readonly (number | null | undefined)[]): number | null {
  const known = limits.filter((most) => most != null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Null where there are none, and where one has no limit. */
function sumOfLimits(limits: readonly (number | null)[]): number | null {
  if (limits.length === 0 || limits.includes(null)) return null;
  return sumOf(limits);
}
