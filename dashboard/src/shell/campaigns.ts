import { useLive } from '../data/use-live.ts';

/** The campaigns that dial or could continue, and those of single calls: the same answer for all who need them. */
export function useActiveCampaigns(everyMs = 2_000, enabled = true) {
  // No event tells each move of a balance.
  return useLive(
    'GET /api/campaigns',
    { query: { state: 'running,paused', kind: 'list,calls', limit: 200 } },
    { everyMs, on: ['campaign.'], enabled },
  );
}
