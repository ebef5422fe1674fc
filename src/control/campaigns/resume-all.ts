import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { text } from '../requests/input.ts';
import { wholeOf } from '../requests/page.ts';
import type { ServiceAccess } from '../service/access.ts';
import { byStop, startCampaign } from './moves.ts';
import { campaignAnswer } from './show.ts';

/** Resumes what the stop button stopped, and nothing else: a campaign that was already paused stays as it was. */
export const toResumeAnswer = z
  .object({
    campaigns: z.int().describe('Campaigns that the stop button paused, and that are still paused.'),
    people: z.int().describe('People whom they have yet to call.'),
    names: z.array(z.string()),
  })
  .meta({ id: 'ToResume' });

export async function showToResume({
  campaigns,
}: Pick<Ledger, 'campaigns'>): Promise<z.output<typeof toResumeAnswer>> {
  const stopped = await campaigns.stopped(byStop);
  return {
    campaigns: stopped.length,
    people: stopped.reduce((sum, { people }) => sum + people, 0),
    names: stopped.map(({ name }) => name),
  };
}

export const resumeAllInput = z.strictObject({
  reason: text(300).optional().describe('Why it continues; the activity keeps it with each campaign.'),
});

export const everythingResumed = wholeOf(campaignAnswer)
  .extend({
    refused: z
      .array(z.object({ campaign: z.string(), message: z.string(), remedy: z.string() }))
      .describe('Campaigns that could not be resumed and stay paused, each with the reason.'),
  })
  .meta({ id: 'EverythingResumed' });

export async function resumeAll(
  service: ServiceAccess,
  { reason }: z.output<typeof resumeAllInput>,
): Promise<z.output<typeof everythingResumed>> {
  const answer: z.output<typeof everythingResumed> = { items: [], next: null, refused: [] };
  for (const { id, name } of await service.ledger.campaigns.stopped(byStop)) {
    try {
      answer.items.push(await startCampaign(service, id, reason));
    } catch (error) {
      if (!(error instanceof CarillonError)) throw error;
      answer.refused.push({ campaign: name, message: error.message, remedy: error.remedy });
    }
  }
  return answer;
}
