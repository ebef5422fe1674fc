import { type Caller, callerText } from '../rules/order.ts';

/** One try at a person as the API and the long form of an export show it. */
export type AttemptLine = {
  id: string;
  number: number;
  state: string;
  outcome: string | null;
  agent: string | null;
  key: string;
  caller: Caller | null;
  phone: string;
  callId: string | null;
  providerCallSid: string | null;
  status: string | null;
  duration: number | null;
  cost: number | null;
  plannedAt: Date;
  dialedAt: Date | null;
  startedAt: Date | null;
  endedAt: Date | null;
  direction: string | null;
  contactId: string | null;
  transcript: string | null;
  recordingUrl: string | null;
  structuredData: unknown;
  metadata: Record<string, unknown> | null;
  error: string | null;
};

/** With its person, as a list of a whole campaign has it. */
export type CampaignAttemptLine = AttemptLine & {
  recipientId: number;
  row: number;
  name: string | null;
  input: Record<string, unknown>;
};

export type ShownAttempt = ReturnType<typeof showAttempt>;
export type CampaignAttempt = ReturnType<typeof showCampaignAttempt>;

export function showAttempt(line: AttemptLine) {
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

export function showCampaignAttempt(line: CampaignAttemptLine, campaign: string) {
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
