import type { ResultLine, Waiting } from '../ledger/reports/verbs.ts';
import { callerText } from '../rules/order.ts';
import type { Wait } from '../rules/waiting.ts';

/** One person on one campaign as the API, `--json` and NDJSON show them. */
export type RecipientLine = Omit<ResultLine, keyof Waiting>;

export type Recipient = ReturnType<typeof showRecipient>;

/** `waits` is null for a row that does not wait. */
export function showRecipient(line: RecipientLine, campaign: string, waits: Wait | null) {
  return {
    id: String(line.id),
    campaign,
    row: line.row,
    phone: line.phone,
    name: line.name,
    state: line.state,
    /** Why it waits and until when; null for a row that does not wait. `until` is also null where an event ends the wait. */
    reason: waits?.reason ?? null,
    until: waits?.until ?? null,
    outcome: line.outcome,
    attempts: line.attempts,
    call_id: line.callId,
    status: line.status,
    duration: line.duration,
    cost: line.cost,
    started_at: line.startedAt,
    ended_at: line.endedAt,
    transcript: line.transcript,
    recording_url: line.recordingUrl,
    structured_data: line.structuredData,
    provider_call_sid: line.providerCallSid,
    direction: line.direction,
    contact_id: line.contactId,
    /** Of the attempt that the result is of; without one, the agent that the row asks for. */
    agent: line.agent,
    key: line.callKey,
    from: callerText(line.callFrom),
    metadata: line.metadata,
    error: line.error,
    input: line.input,
  };
}
