import { useLive } from '../live/use-live.ts';

/** The campaigns that dial or could continue, the same answer for every part of the page that needs them. */
export function useActiveCampaigns() {
  // No event tells each move of a balance.
  return useLive(
    'GET /api/campaigns',
    { query: { state: 'running,paused', limit: 200 } },
    { everyMs: 2_000, on: ['campaign.'] },
  );
}
