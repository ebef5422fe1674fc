import type { CampaignItem } from '../api/description.ts';
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

/** The next act on a campaign. */
export const verbs: Partial<Record<CampaignItem['state'], string>> = {
  running: 'Pause',
  paused: 'Resume',
  draft: 'Start',
};
