import type { CampaignTry } from '../ledger/reports/verbs.ts';
import type { FoundTry } from '../ledger/search/verbs.ts';
import { callerText } from '../rules/order.ts';

/** One try at a person as the API and the long form of an export show it. */
export type ShownAttempt = ReturnType<typeof showAttempt>;
export type CampaignAttempt = ReturnType<typeof showCampaignAttempt>;

export function showAttempt(line: Omit<FoundTry, 'ofRecipient'>) {
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
    outcome: line.outcome,
    cost: line.cost,
  };
}

export function showCampaignAttempt(line: CampaignTry, campaign: string) {
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
    metadata: line.metadata,
    error: line.error,
    input: line.input,
  };
}
