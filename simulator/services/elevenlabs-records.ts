/** A conversation as ElevenLabs shows it. Nothing on it tells that nobody answered: it stays `initiated`. */
import { codeOf, lettersAndDigits, nameOf } from '../account.ts';
import type { Call } from '../calls.ts';
import type { Json } from '../shape.ts';
import { turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

export type Trunk = 'twilio' | 'sip_trunk';

/** The analysis takes this long after the end, in simulated time; until it is done, the status is `processing`. */
const analysisMs = 10_000;
const creditsPerDollar = 2500;

export const elevenAgent = (nth: number) => `agent_${codeOf(lettersAndDigits, 26, 'elevenlabs', nth)}`;

function statusOf({ phase, outcome, past }: View): string {
  if (phase === 'talking') return 'in-progress';
  if (outcome === null || outcome === 'no-answer' || outcome === 'busy') return 'initiated';
  if (outcome === 'failed') return 'failed';
  if (!past(analysisMs)) return 'processing';
  return outcome === 'dropped' ? 'failed' : 'done';
}

const unix = (wall: number) => Math.floor(wall / 1000);

/** Every conversation has a judgement on its goal, which does not show who answered. */
function judge({ told }: View): string {
  if (!told) return 'unknown';
  return told.data?.interested === true ? 'success' : 'failure';
}

export function hasAudio(world: World, call: Call): boolean {
  return Boolean(viewCall(world, call, analysisMs).told?.transcript);
}

export function showConversation(world: World, call: Call): Json {
  const view = viewCall(world, call, analysisMs);
  const { told, outcome } = view;
  const { user_id = null, ...data } = (call.sent.conversation_initiation_client_data ?? {}) as Json;
  const spoken = Boolean(told?.transcript);
  return {
    agent_id: call.agentId,
    agent_name: nameOf(world.settings, elevenAgent, call.agentId),
    status: statusOf(view),
    user_id,
    metadata: tellFacts(call, view),
    analysis:
      told && spoken
        ? {
            evaluation_criteria_results: {},
            data_collection_results: collect(told.data),
            call_successful: judge(view),
            transcript_summary: `A talk of ${turnsOf(told).length} turns.`,
          }
        : null,
    conversation_initiation_client_data: {
      ...data,
      user_id,
      dynamic_variables: data.dynamic_variables ?? {},
    },
    conversation_id: call.id,
    has_audio: spoken,
    has_user_audio: spoken,
    has_response_audio: spoken,
    has_auxiliary_audio: false,
    transcript: outcome === 'voicemail' ? [...turns(view), detection(view)] : turns(view),
  };
}

function tellFacts(call: Call, view: View): Json {
  const { outcome, joinedAt, cost, told } = view;
  const isBroken = outcome === 'failed' || outcome === 'dropped';
  return {
    start_time_unix_secs: unix(view.createdAt),
    accepted_time_unix_secs: joinedAt === null ? null : unix(joinedAt),
    call_duration_secs: view.phase === 'ended' ? view.seconds : 0,
    cost: cost === undefined ? null : Math.round(cost * creditsPerDollar),
    cost_fiat: cost ?? null,
    termination_reason: told?.transcript ? 'Call ended by remote party' : '',
    error: isBroken ? { code: outcome === 'failed' ? 1002 : 1011, reason: 'Internal error' } : null,
    phone_call: phoneCall(call),
  };
}

function phoneCall(call: Call): Json {
  const shared = {
    direction: 'outbound',
    phone_number_id: call.sent.agent_phone_number_id,
    agent_number: call.from,
    external_number: call.phone,
  };
  if (call.sent.trunk === 'sip_trunk') {
    return { type: 'sip_trunking', ...shared, call_id: `SCL_${codeOf(lettersAndDigits, 12, call.id)}` };
  }
  const code = codeOf('0123456789abcdef', 32, call.id);
  return { type: 'twilio', ...shared, stream_sid: `MZ${code}`, call_sid: `CA${code}` };
}

function turns({ told, seconds }: View): Json[] {
  const said = turnsOf(told);
  const each = seconds / Math.max(1, said.length);
  return said.map(({ role, text }, nth) => ({
    role,
    message: text,
    time_in_call_secs: Math.floor(nth * each),
    tool_calls: [],
    tool_results: [],
  }));
}

/** The agent's tool for machines: the only sign of a voicemail. */
function detection({ seconds }: View): Json {
  return {
    role: 'agent',
    message: null,
    time_in_call_secs: seconds,
    tool_calls: [
      {
        request_id: 'voicemail_detection_1',
        tool_name: 'voicemail_detection',
        params_as_json: '{"reason":"A machine answered."}',
        tool_has_been_called: true,
      },
    ],
    tool_results: [],
  };
}

function collect(data: Json | null): Json {
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([name, value]) => [
      name,
      {
        data_collection_id: name,
        value: typeof value === 'object' ? null : value,
        rationale: 'It was said.',
      },
    ]),
  );
}

export function showSummary(world: World, call: Call): Json {
  const view = viewCall(world, call, analysisMs);
  return {
    agent_id: call.agentId,
    agent_name: nameOf(world.settings, elevenAgent, call.agentId),
    conversation_id: call.id,
    start_time_unix_secs: unix(view.createdAt),
    call_duration_secs: view.phase === 'ended' ? view.seconds : 0,
    message_count: turnsOf(view.told).length,
    status: statusOf(view),
    termination_reason: view.told?.transcript ? 'Call ended by remote party' : '',
    call_successful: judge(view),
    direction: 'outbound',
  };
}
