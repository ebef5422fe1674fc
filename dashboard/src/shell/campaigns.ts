import type { CampaignItem } from '../api/description.ts';
import { useLive } from '../data/use-live.ts';
import { useNow } from '../kit/time.tsx';

/** The campaigns that dial or could continue, and those of single calls: the same answer for all who need them. */
export function useActiveCampaigns(everyMs = 2_000, enabled = true) {
  // No event tells each move of a balance.
  return useLive(
    'GET /api/campaigns',
    { query: { state: 'running,paused', kind: 'list,calls', limit: 200 } },
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
  const series = useLive('GET /api/series', { query: { since, step: 'hour' } }, { everyMs: 30_000 });
  const points = series.data?.items ?? [];
  return { series, before: points.slice(0, -day), last: points.slice(-day) };
}
