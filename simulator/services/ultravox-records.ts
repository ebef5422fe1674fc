/** A call as Ultravox shows it: its times say where it is, and only a trunk's own reason says why nobody joined. */
import { nameOf, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import type { Json } from '../shape.ts';
import { iso, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** Billing and summary come this much later than the end, in simulated time; messages are final at the end. */
const laterMs = 15_000;

export const ultravoxAgent = (nth: number) => uuidOf('ultravox', nth);

type Ended = { reason: string; sip: string };
const ends: Record<NonNullable<View['outcome']>, Ended> = {
  answered: { reason: 'hangup', sip: 'NORMAL' },
  voicemail: { reason: 'agent_hangup', sip: 'NORMAL' },
  'no-answer': { reason: 'unjoined', sip: 'TIMEOUT' },
  busy: { reason: 'unjoined', sip: 'BUSY' },
  invalid: { reason: 'unjoined', sip: 'INVALID_NUMBER' },
  failed: { reason: 'unjoined', sip: 'DESTINATION_UNAVAILABLE' },
  dropped: { reason: 'system_error', sip: 'NORMAL' },
  canceled: { reason: 'agent_hangup', sip: 'NORMAL' },
  'no-room': { reason: 'system_error', sip: 'UNKNOWN' },
  'no-credit': { reason: 'system_error', sip: 'UNKNOWN' },
};

/** Billed in steps of six seconds. */
const billed = (ms: number) => `${Math.ceil(ms / 6000) * 6}s`;

export function showUltravoxCall(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const { outcome, joinedAt, endedAt, told, cost, talkedMs } = view;
  const { sent } = call;
  const end = outcome === null ? undefined : ends[outcome];
  const speaks = (sent.firstSpeakerSettings ?? { agent: {} }) as Json;
  const isBilled = cost !== undefined;
  const summary = told?.transcript ? `A talk of ${turnsOf(told).length} turns.` : null;
  const isSip = 'sip' in (sent.medium as Json);
  return {
    callId: call.id,
    clientVersion: joinedAt === null ? null : 'sip',
    created: iso(view.createdAt),
    joined: joinedAt === null ? null : iso(joinedAt),
    ended: endedAt === null ? null : iso(endedAt),
    endReason: end?.reason ?? null,
    billedDuration: isBilled ? billed(talkedMs) : null,
    billedSideInputTokens: isBilled ? 0 : null,
    billedSideOutputTokens: isBilled ? 0 : null,
    billingStatus: `BILLING_STATUS_${isBilled ? (talkedMs > 0 ? 'BILLED' : 'FREE_ZERO_EFFECTIVE_DURATION') : 'PENDING'}`,
    firstSpeaker: 'user' in speaks ? 'FIRST_SPEAKER_USER' : 'FIRST_SPEAKER_AGENT',
    firstSpeakerSettings: speaks,
    initialOutputMedium: sent.initialOutputMedium ?? 'MESSAGE_MEDIUM_VOICE',
    joinTimeout: sent.joinTimeout ?? '30s',
    joinUrl: null,
    maxDuration: sent.maxDuration ?? '3600s',
    medium: sent.medium,
    recordingEnabled: sent.recordingEnabled ?? false,
    shortSummary: summary,
    summary,
    agent: { agentId: call.agentId, name: nameOf(world.settings, ultravoxAgent, call.agentId) },
    agentId: call.agentId,
    experimentalSettings: sent.experimentalSettings ?? null,
    metadata: sent.metadata ?? {},
    initialState: {},
    requestContext: null,
    sipDetails: isSip
      ? {
          // A trunk is billed while it rings, too.
          billedDuration: isBilled ? billed(talkedMs + call.ringMs) : null,
          terminationReason: end ? `SIP_TERMINATION_${end.sip}` : null,
        }
      : null,
  };
}

export function listMessages(world: World, call: Call): Json[] {
  const view = viewCall(world, call, 0);
  const messages: Json[] = turnsOf(view.told).map(({ role, text }) => ({
    role: role === 'agent' ? 'MESSAGE_ROLE_AGENT' : 'MESSAGE_ROLE_USER',
    text,
    medium: 'MESSAGE_MEDIUM_VOICE',
  }));
  // The only sign of a voicemail is the tool that the agent used.
  if (view.outcome === 'voicemail' && view.told) {
    messages.push({
      role: 'MESSAGE_ROLE_TOOL_CALL',
      toolName: 'leaveVoicemail',
      invocationId: 'tool_1',
      text: '{}',
    });
  }
  return messages;
}

export function recordingOf(world: World, call: Call): string | undefined {
  const { told } = viewCall(world, call, 0);
  if (call.sent.recordingEnabled !== true || !told?.transcript) return undefined;
  return `https://recordings.invalid/${call.id}.wav`;
}
