import { z } from 'zod';
import type { CampaignTry } from '../ledger/reports/reports.ts';
import type { FoundTry } from '../ledger/search/search.ts';
import { attemptStates } from '../ledger/states.ts';
import { callerText } from '../rules/order.ts';
import { type Outcome, outcomes } from '../voice/outcomes.ts';
import { kept, keptOf } from './record-fields.ts';

/** One attempt at a person as the API and the long form of an export show it. */
export const attemptShape = z
  .object({
    id: z.string(),
    number: z.int().describe('The first try at the person is 1.'),
    state: z.enum(attemptStates),
    call_id: z.string().nullable(),
    key: z.string(),
    agent: z.string().nullable(),
    from: z.string().nullable(),
    provider_call_sid: kept.provider_call_sid,
    planned_at: z.date(),
    dialed_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    outcome: z.enum(outcomes).nullable(),
    cost: kept.cost,
  })
  .meta({ id: 'Attempt' });

/** The same with its person and its call's record. */
export const campaignAttemptShape = attemptShape
  .extend({
    campaign: z.string(),
    recipient: z.string(),
    row: z.int(),
    phone: z.string(),
    name: z.string().nullable(),
    status: z.string().nullable(),
    started_at: z.date().nullable(),
    ...kept,
    error: z.string().nullable(),
    input: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'CampaignAttempt' });

export type ShownAttempt = z.output<typeof attemptShape>;
export type CampaignAttempt = z.output<typeof campaignAttemptShape>;

export function showAttempt(line: Omit<FoundTry, 'ofRecipient'>): ShownAttempt {
  return {
    id: line.id,
    number: line.number,
    state: line.state,
    call_id: line.callId,
    key: line.key,
    agent: line.agent,
    from: callerText(line.caller),
    provider_call_sid: line.provider_call_sid,
    planned_at: line.plannedAt,
    dialed_at: line.dialedAt,
    ended_at: line.endedAt,
    outcome: line.outcome as Outcome | null,
    cost: line.cost,
  };
}

export function showCampaignAttempt(line: CampaignTry, campaign: string): CampaignAttempt {
  return {
    ...showAttempt(line),
    campaign,
    recipient: String(line.recipientId),
    row: line.row,
    phone: line.phone,
    name: line.name,
    status: line.status,
    started_at: line.startedAt,
    ...keptOf(line),
    error: line.error,
    input: line.input,
  };
}
