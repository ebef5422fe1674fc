import { z } from 'zod';
import type { CampaignTry } from '../ledger/reports/verbs.ts';
import type { FoundTry } from '../ledger/search/verbs.ts';
import { attemptStates } from '../ledger/states.ts';
import { callerText } from '../rules/order.ts';
import { type Outcome, outcomes } from '../voice/outcomes.ts';
import { kept } from './kept.ts';

/** One try at a person as the API and the long form of an export show it. */
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
    duration: kept.duration,
    started_at: z.date().nullable(),
    transcript: kept.transcript,
    recording_url: kept.recording_url,
    structured_data: kept.structured_data,
    direction: kept.direction,
    contact_id: kept.contact_id,
    org_id: kept.org_id,
    agent_id: kept.agent_id,
    metadata: kept.metadata,
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
    provider_call_sid: line.providerCallSid,
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
    duration: line.duration,
    started_at: line.startedAt,
    transcript: line.transcript,
    recording_url: line.recordingUrl,
    structured_data: line.structuredData,
    direction: line.direction,
    contact_id: line.contactId,
    org_id: line.orgId,
    agent_id: line.agentId,
    metadata: line.metadata,
    error: line.error,
    input: line.input,
  };
}
