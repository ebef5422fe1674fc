import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { campaignStates } from '../../ledger/campaigns/verbs.ts';
import { type Outcome, outcomes } from '../../voice/outcomes.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../idempotency.ts';
import { read, text } from '../input.ts';
import { readOutcome } from '../order/terms/retry-text.ts';
import type { Service } from '../service.ts';
import { canceled, ownCampaign } from './moves.ts';

/**
 * Calls people again whose calls have ended: one more attempt each, whatever the order allows. A done
 * campaign continues.
 */
export const retryInput = z.strictObject({ outcomes: z.array(text(40)).min(1).max(20) });

/** Each once, in our words. */
export function readOutcomes(names: readonly string[]): Outcome[] {
  return [...new Set(names.map((name) => readOutcome(name, 'The list of outcomes has')))];
}

export const retriedAnswer = z.object({
  campaign: z.string(),
  state: z.enum(campaignStates),
  outcomes: z.array(z.enum(outcomes)),
  retried: z.int(),
});
export type Retried = z.output<typeof retriedAnswer>;

export async function retryCampaign(
  { ledger, baseUrl }: Pick<Service, 'ledger' | 'baseUrl'>,
  nameOrId: string,
  body: unknown,
  key?: unknown,
): Promise<Once<Retried>> {
  const { outcomes: names } = read(retryInput, body);
  const outcomes = readOutcomes(names);
  const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
  const { id, name } = campaign;
  const request = readKeyed(['retry', baseUrl], key, { id, outcomes });
  return once<Retried, Retried>(ledger, request, {
    again: async (made) => made,
    async act() {
      if (campaign.state === 'canceled') throw canceled(campaign);
      if (campaign.kind === 'calls') {
        throw new CarillonError('campaign-state', `${name} gathers single calls, each made once`, {
          remedy: 'Make another call to the person.',
        });
      }
      // In batches: a person who waits again meanwhile is not freed twice.
      const retried = await ledger.campaigns.retry(id, outcomes);
      if (retried > 0) await ledger.campaigns.wake(id);
      const { state } = await ledger.campaigns.get(id);
      const answer = { campaign: name, state, outcomes, retried };
      await ledger.together(async ({ activity, idempotency }) => {
        await claim(idempotency, request);
        const after = { outcomes, retried };
        await activity.record({ verb: 'campaign.retry', subject: id, campaign: id, after });
        if (request) await idempotency.keep(request, answer, keptDays);
      });
      return answer;
    },
  });
}
