import { type Caller, callerText } from '../rules/order.ts';
import type { Wait } from '../rules/waiting.ts';

/** One person on one campaign as the API, `--json` and NDJSON show them. */
export type RecipientLine = {
  id: number;
  row: number;
  phone: string;
  name: string | null;
  state: string;
  outcome: string | null;
  attempts: number;
  callId: string | null;
  status: string | null;
  duration: number | null;
  cost: number | null;
  startedAt: Date | null;
  endedAt: Date | null;
  transcript: string | null;
  recordingUrl: string | null;
  structuredData: unknown;
  providerCallSid: string | null;
  direction: string | null;
  contactId: string | null;
  agent: string | null;
  callKey: string | null;
  callFrom: Caller | null;
  metadata: Record<string, unknown> | null;
  error: string | null;
  input: Record<string, unknown>;
};

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
