/** What Vapi answers with: calls, numbers and agents. */
import { agentsOf, linesOf, since, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import { createStream, pick } from '../random.ts';
import type { Json } from '../shape.ts';
import { iso, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** Transcript, recording, analysis and cost come this much later than the end, in simulated time. */
const laterMs = 8_000;

const statuses = { queued: 'queued', ringing: 'ringing', talking: 'in-progress', ended: 'ended' } as const;

const reasons: Record<NonNullable<View['outcome']>, readonly string[]> = {
  answered: ['customer-ended-call', 'assistant-ended-call', 'silence-timed-out'],
  'no-answer': ['customer-did-not-answer'],
  voicemail: ['voicemail'],
  busy: ['customer-busy'],
  invalid: ['twilio-reported-customer-misdialed'],
  failed: [
    'call.in-progress.error-providerfault-outbound-sip-503-service-unavailable',
    'twilio-failed-to-connect-call',
  ],
  dropped: ['pipeline-error-openai-llm-failed', 'call.in-progress.error-vapifault-worker-died'],
  canceled: ['manually-canceled'],
  'no-room': ['call.start.error-subscription-concurrency-limit-reached'],
  'no-credit': ['call.start.error-subscription-insufficient-credits'],
};

export function showVapiCall(world: World, call: Call, origin: string): Json {
  const view = viewCall(world, call, laterMs);
  const { phase, outcome, joinedAt, endedAt, cost } = view;
  const draw = createStream(world.settings.seed, call.phone, call.nth, 'reason');
  return {
    id: call.id,
    ...repeat(call.sent, ['assistantId', 'assistant', 'assistantVersion', 'phoneNumberId', 'phoneNumber']),
    type: 'outboundPhoneCall',
    ...repeat(call.sent, ['name']),
    createdAt: iso(view.createdAt),
    updatedAt: iso(view.updatedAt),
    orgId: world.orgId,
    cost: cost ?? 0,
    ...repeat(call.sent, ['customer']),
    status: statuses[phase],
    phoneCallProvider: 'twilio',
    ...repeat(call.sent, ['assistantOverrides', 'transport']),
    monitor: {
      listenUrl: `${origin.replace('http', 'ws')}/monitor/${call.id}/listen`,
      controlUrl: `${origin}/monitor/${call.id}/control`,
    },
    ...(outcome !== null && { endedReason: pick(draw, reasons[outcome]) }),
    ...(joinedAt !== null && { startedAt: iso(joinedAt) }),
    ...(endedAt !== null && { endedAt: iso(endedAt) }),
    ...(cost !== undefined && { costBreakdown: { total: cost } }),
    ...tellResults(view),
  };
}

function tellResults({ told, call }: View): Json {
  if (!told?.transcript) return {};
  const url = `https://storage.invalid/${call.id}`;
  return {
    artifact: {
      transcript: told.transcript.replace(/^Agent:/gm, 'AI:').replace(/^Customer:/gm, 'User:'),
      recordingUrl: `${url}-mono.wav`,
      stereoRecordingUrl: `${url}-stereo.wav`,
      recording: { stereoUrl: `${url}-stereo.wav`, mono: { combinedUrl: `${url}-mono.wav` } },
    },
    analysis: {
      summary: `A talk of ${told.transcript.split('\n').length} turns.`,
      ...(told.data && { structuredData: told.data }),
      successEvaluation: String(told.data?.interested ?? false),
    },
  };
}

/** The fields of the create that the record repeats. */
function repeat(sent: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.filter((name) => name in sent).map((name) => [name, sent[name]]));
}

export function listNumbers(world: World): Json[] {
  const { settings, orgId } = world;
  return linesOf(settings, (number) => uuidOf('line', number)).map(({ id, number, label }) => ({
    id,
    orgId,
    provider: 'twilio',
    number,
    name: label.slice(0, 40),
    status: 'active',
    twilioAccountSid: 'AC00000000000000000000000000000000',
    createdAt: iso(since),
    updatedAt: iso(since),
  }));
}

export function listAgents(world: World): Json[] {
  const { settings, orgId } = world;
  return agentsOf(settings, (nth) => uuidOf('assistant', nth)).map(({ id, name }) => ({
    id,
    orgId,
    name: name.slice(0, 40),
    createdAt: iso(since),
    updatedAt: iso(since),
  }));
}
