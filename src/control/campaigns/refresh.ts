import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { completeRecord, refreshAfter } from '../../rules/late-fields.ts';

/** Schedules one more request for each ended call of a campaign with an incomplete record; the workers make it. */
export const scheduledRefresh = z.object({
  campaign: z.string(),
  scheduled: z.int().describe('How many calls.'),
});
type ScheduledRefresh = z.output<typeof scheduledRefresh>;

export async function refreshCampaign(ledger: Ledger, nameOrId: string): Promise<ScheduledRefresh> {
  const { id, name } = await ledger.campaigns.get(nameOrId);
  // Scheduled as if all but the last request had been made.
  const scheduled = await ledger.refreshes.schedule(id, completeRecord, refreshAfter.length - 1);
  await ledger.activity.record({ verb: 'campaign.refresh', subject: id, campaign: id, after: { scheduled } });
  return { campaign: name, scheduled };
}
