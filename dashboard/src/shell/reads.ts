import { useMemo } from 'react';
import type { AlertAddress, CampaignItem, Key, LiveCalls, Me } from '../api/ask.ts';
import { looksAs } from '../api/look.ts';
import { useAsk, useLive } from '../data/queries.ts';
import { useNow } from '../kit/values.tsx';
import { sumOf } from '../kit/words.ts';

/** What several pages read, each by the same answer: who looks, the campaigns, the calls in progress. */

/** The person who looks at the page, and what they may do; acts that a role lacks are not shown. */
export const roles = ['read', 'read_people', 'operate', 'admin'] as const;

export const roleText = (role: Me['role']) => role.replace('_', ' ');

/** An admin may look as one of less, who sees and does less. */
export function useMe() {
  const me = useAsk('GET /api/me', {});
  const { data } = me;
  const seen = useMemo(
    () => data && looksAs && isEnough(data, 'admin') && { ...data, role: looksAs },
    [data],
  );
  return { ...me, data: seen || data };
}

export const isEnough = (me: Me | undefined, needed: Me['role']): boolean =>
  me !== undefined && roles.indexOf(me.role) >= roles.indexOf(needed);

export const useMay = (needed: Me['role']): boolean => isEnough(useMe().data, needed);

export async function logOut(): Promise<void> {
  await fetch('/logout', { method: 'POST', body: new URLSearchParams(), redirect: 'manual' });
  window.location.assign('/');
}

/** The campaigns that dial or could continue, and those of single calls: the same answer for all who need them. */
export function useActiveCampaigns(everyMs = 2_000, enabled = true) {
  // No event tells each move of a balance.
  return useLive(
    'GET /api/campaigns',
    { state: 'running,paused', kind: 'list,calls', limit: 200 },
    { everyMs, on: ['campaign.'], enabled },
  );
}

/** The next act on a campaign. */
export const verbs: Partial<Record<CampaignItem['state'], string>> = {
  running: 'Pause',
  paused: 'Resume',
  draft: 'Start',
};

/** What all calls may cost in a day and a month, and what they did: none unless VOICE_MAX_COST says so. */
export const useBudgets = () => useLive('GET /api/budgets', {}, { everyMs: 15_000 });

const hourMs = 3_600_000;
const day = 24;

/** What all campaigns did in the last 24 hours and in the 24 before, hour by hour: one answer for all who show it. */
export function useLastDays() {
  const since = new Date((Math.floor(useNow() / hourMs) - 2 * day + 1) * hourMs).toISOString();
  const series = useLive('GET /api/series', { since, step: 'hour' }, { everyMs: 30_000 });
  const points = series.data?.items ?? [];
  return { series, before: points.slice(0, -day), last: points.slice(-day) };
}

/** The calls in progress: the same answer for all who show or count them. No event tells each move of a call. */
export const useLiveCalls = (
  query: { campaign?: string | undefined; key?: string | undefined } = {},
  everyMs = 2_000,
  enabled = true,
) => useLive('GET /api/live', { ...query, limit: 1_000 }, { everyMs, enabled });

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

/** Whether campaigns run and no worker dials them: then no key makes calls, whatever its state. */
export function useNoWorker(): boolean {
  const dialled = (useActiveCampaigns().data?.items ?? []).filter(dials);
  return dialled.length > 0 && dialled.every(({ standstill }) => standstill?.cause === 'no-worker');
}

/** The most calls at once of a key: the limit that was set or the one that was met, whichever is less. */
export const mostCalls = ({ call_limit: own, belief }: Pick<Key, 'call_limit' | 'belief'>): number | null =>
  least([own?.now, belief?.max_calls]);

/** Places for more calls on the keys, as far as their limits are known: null where some open key has none. */
export function useFreeCalls(): { most: number; free: number } | null {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items;
  const open = keys?.filter(({ state, present }) => state === 'open' && present) ?? [];
  const most = keys && sumOfLimits(open.map(mostCalls));
  if (most == null || keys?.length === 0) return null;
  return { most, free: Math.max(0, most - sumOf(open.map(({ calling }) => calling))) };
}

/** The most calls at once of all keys and all campaigns that dial, where either is known. */
export function useMostCalls(): number | null {
  const dialling = (useActiveCampaigns().data?.items ?? []).filter(dials);
  const ofCampaigns = dialling.length > 0 ? sumOfLimits(dialling.map(({ max_calls: most }) => most)) : null;
  return least([useFreeCalls()?.most, ofCampaigns]);
}

const dials = ({ state, balance: { waiting, queued, calling } }: CampaignItem) =>
  state === 'running' && waiting + queued + calling > 0;

function least(limits: readonly (number | null | undefined)[]): number | null {
  const known = limits.filter((most) => most != null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Null where one has no limit. */
const sumOfLimits = (limits: readonly (number | null)[]) => (limits.includes(null) ? null : sumOf(limits));

export function useCampaignChoices(): { value: string; label: string }[] {
  const campaigns = useAsk('GET /api/campaigns', { limit: 200, kind: 'list,calls' });
  return (campaigns.data?.items ?? []).map(({ name }) => ({ value: name, label: name }));
}

export const useService = () => useAsk('GET /api/service', {});

/** The words of a fault are the machine’s: they name the service by its address. */
export function useFaultWords() {
  const service = useService().data;
  const host = service ? new URL(service.base_url).host : '\n';
  return (fault: string) => fault.replace('no readable answer: ', '').replaceAll(host, 'the service');
}

/** Who is told of alerts: a monitor only hears that Carillon lives. */
export const isTold = ({ kind }: AlertAddress) => kind !== 'monitor';

/** Whether alerts reach nobody, as no address of a person or a program is set. */
export function useNobodyTold(): boolean {
  const enabled = useMay('operate');
  const addresses = useAsk('GET /api/alerts/addresses', {}, { enabled, everyMs: 60_000 }).data?.items;
  return addresses !== undefined && !addresses.some(isTold);
}
