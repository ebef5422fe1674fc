/** A call as the service shows it, derived from its script, the time and the seed. */
import type { CallRecord, CreatedCall, PhoneNumber } from '../src/voice/wire.ts';
import { type Call, endOf, hasEnded, statusOf, talkedSeconds } from './calls.ts';
import { createStream } from './random.ts';
import { stamped } from './recording.ts';
import type { NumberOption, Settings } from './settings.ts';
import type { Timescale } from './timescale.ts';
import { converse, leaveMessage } from './transcripts.ts';

export type Scene = { settings: Settings; timescale: Timescale; orgId: string };

export function showCreated(call: Call, { settings, orgId }: Scene): CreatedCall {
  return {
    id: call.id,
    status: settings.statuses.queued ?? 'queued',
    provider_call_sid: `CA${call.id.replaceAll('-', '')}`,
    phone_number: call.phone,
    agent_id: call.agentId,
    message: 'Call queued',
    org_id: orgId,
  };
}

/** `base` is where the client found the simulator, for the link to the recording. */
export function showCall(call: Call, scene: Scene, base: string): CallRecord {
  const { settings, timescale, orgId } = scene;
  const now = timescale.now();
  const status = statusOf(call, now);
  const ended = hasEnded(call, now);
  const since = now - (call.canceledAt ?? endOf(call));
  const told = ended && since >= call.lateMs;
  const priced = ended && since >= call.lateCostMs;
  const seconds = talkedSeconds(call, now);
  const talk = told ? tell(call, scene, seconds) : undefined;
  return {
    id: call.id,
    phone_number: call.phone,
    status: settings.statuses[status] ?? status,
    direction: 'outbound',
    org_id: orgId,
    agent_id: call.agentId,
    duration: ended ? seconds : null,
    transcript: talk?.transcript ? stamped(talk.transcript, seconds) : null,
    recording_url: talk?.transcript ? `${base}/recordings/${call.id}.wav` : null,
    cost: priced ? costOf(seconds, settings) : null,
    metadata: call.metadata,
    structured_data: talk?.data ?? null,
    contact_id: null,
    created_at: iso(timescale.wallAt(call.createdAt)),
    updated_at: iso(Math.max(call.patchedAt, timescale.wallAt(lastChange(call, now)))),
  };
}

/** The cost of this many seconds of talk. A call that nobody answered is free. */
export function costOf(seconds: number, { pricePerMinute, billing }: Settings): number {
  const minutes = billing === 'minute' ? Math.ceil(seconds / 60) : seconds / 60;
  return Math.round(minutes * pricePerMinute * 1e4) / 1e4;
}

export function showNumber(number: NumberOption, index: number, orgId: string): PhoneNumber {
  const { id, phone_number, label } =
    typeof number === 'string'
      ? { id: `number-${index + 1}`, phone_number: number, label: undefined }
      : { ...number, label: number.label };
  return {
    id,
    user_id: null,
    org_id: orgId,
    phone_number,
    country_code: null,
    provider: 'simulated',
    label: label ?? `Line ${index + 1}`,
    is_verified: true,
    capabilities: { voice: true, sms: false },
    inbound_agent_id: null,
    outbound_agent_id: null,
    sms_enabled: false,
    server_url: null,
    fallback_phone_number: null,
    provider_account_sid: null,
    created_at: '2025-01-06T09:00:00.000Z',
    updated_at: '2025-01-06T09:00:00.000Z',
  };
}

export type Told = { transcript: string | null; data: Record<string, unknown> | null };

/** What was said in a call that has ended. */
export function tell(call: Call, scene: Omit<Scene, 'orgId'>, seconds: number): Told {
  const { seed } = scene.settings;
  if (call.fate === 'invalid') return { transcript: null, data: { error: 'number_does_not_exist' } };
  if (call.fate === 'failed') return { transcript: null, data: { error: 'carrier_error' } };
  if (seconds === 0) return { transcript: null, data: null };
  if (call.fate === 'voicemail') return leaveMessage(seed, call.phone, call.nth, call.name);
  const talk = converse(seed, call.phone, call.nth, call.name, seconds);
  const wish = wishOf(call, scene);
  return wish === null ? talk : { ...talk, data: { ...talk.data, callback_at: wish } };
}

/** When the person wants to be called back; null for most. */
function wishOf(call: Call, { settings, timescale }: Omit<Scene, 'orgId'>): string | null {
  const { callbacks, seed } = settings;
  if (!callbacks || createStream(seed, call.phone, call.nth, 'callback')() >= callbacks.share) return null;
  return iso(timescale.wallAt(call.canceledAt ?? endOf(call)) + callbacks.afterMs);
}

/** The call's latest step up to now, in simulated time. */
function lastChange(call: Call, now: number): number {
  if (call.canceledAt !== null) return call.canceledAt;
  const ringing = call.createdAt + call.queueMs;
  const steps = [call.createdAt, ringing, ringing + call.ringMs];
  if (!call.endless) steps.push(endOf(call), endOf(call) + call.lateMs);
  return steps.findLast((step) => step <= now) ?? call.createdAt;
}

function iso(wall: number): string {
  return new Date(wall).toISOString();
}
