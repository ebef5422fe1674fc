import { z } from 'zod';
import type { ErrorCode } from '../../base/error-catalogue.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { campaignStates } from '../../ledger/campaigns/campaigns.ts';
import type { Together } from '../../ledger/ledger.ts';
import { type Outcome, outcomes } from '../../voice/outcomes.ts';
import { type BulkMade, findPeople, noOptions, storeBulk } from '../bulk/begin.ts';
import { createBulkDoer } from '../bulk/do.ts';
import { readOutcome } from '../order/terms/retry-text.ts';
import { findFilter } from '../people/filter.ts';
import { type Once, once, readKeyed } from '../requests/idempotency.ts';
import { read, text } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';
import { canceled, ownCampaign, refuseCalls } from './moves.ts';

/**
 * Calls people again whose calls have ended: one more attempt each, whatever the order allows. A done campaign
 * continues.
 */
export const retryInput = z.strictObject({ outcomes: z.array(text(40)).min(1).max(20) });

/** Each outcome once, in our words. */
export function readOutcomes(names: readonly string[]): Outcome[] {
  return [...new Set(names.map((name) => readOutcome(name, 'The list of outcomes has')))];
}

export const retriedAnswer = z.object({
  campaign: z.string(),
  state: z.enum(campaignStates),
  outcomes: z.array(z.enum(outcomes)),
  retried: z.int(),
});
type Retried = z.output<typeof retriedAnswer>;

export async function retryCampaign(
  service: ServiceAccess & { log: Log },
  nameOrId: string,
  body: unknown,
  key?: unknown,
  still?: (verbs: Together) => Promise<void>,
): Promise<Once<Retried>> {
  const { ledger, baseUrl } = service;
  const { outcomes: names } = read(retryInput, body);
  const outcomes = readOutcomes(names);
  const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
  const { id, name } = campaign;
  const request = readKeyed(['retry', baseUrl], key, { id, outcomes });

  /** Someone waits for the answer, so the act is done here, together with the workers. */
  const finish = async (bulk: string): Promise<Retried> => {
    const { code, reason, done } = await createBulkDoer(service, service).finish(bulk);
    if (code !== null) throw new CarillonError(code as ErrorCode, reason ?? undefined);
    const { state } = await ledger.campaigns.get(id);
    return { campaign: name, state, outcomes, retried: done };
  };
  return once<Retried, BulkMade>(ledger, request, {
    again: async ({ bulk }) => ((await ledger.bulk.get(bulk)) ? finish(bulk) : null),
    async act() {
      if (campaign.state === 'canceled') throw canceled(campaign);
      refuseCalls(campaign, ', each made once', 'Make another call to the person.');
      const asked = { campaign: name, outcome: outcomes.join(',') };
      const filter = await findFilter(ledger, { campaign: id, outcome: outcomes });
      const people = await findPeople(ledger, filter);
      const made = { act: 'retry', asked, filter, options: noOptions, people } as const;
      const change = { verb: 'campaign.retry', subject: id, campaign: id, after: { outcomes } } as const;
      return finish(await storeBulk(ledger, made, request, change, still));
    },
  });
}
