/** A call as Retell shows it: when it was taken, in a list, and in whole. */
import { codeOf, nameOf } from '../account.ts';
import type { Call } from '../calls.ts';
import type { Json } from '../shape.ts';
import { isHeardLate, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** Recording, transcript and cost are there at the end; the analysis comes this much later, in simulated time. */
const analysisMs = 10_000;

export const retellAgent = (nth: number) => `agent_${codeOf('0123456789abcdef', 26, 'retell', nth)}`;

/** The fields of every answer about a call. */
function showBase(world: World, { call, phase, outcome, joinedAt }: View): Json {
  const { metadata, retell_llm_dynamic_variables, custom_sip_headers } = call.sent;
  const status = { queued: 'registered', ringing: 'registered', talking: 'ongoing', ended: 'ended' }[phase];
  const never = outcome === 'no-room' || outcome === 'no-credit' || outcome === 'dropped';
  return {
    call_id: call.id,
    call_type: 'phone_call',
    agent_id: call.agentId,
    agent_version: 0,
    agent_name: nameOf(world.settings, retellAgent, call.agentId),
    call_status: never ? 'error' : phase === 'ended' && joinedAt === null ? 'not_connected' : status,
    direction: 'outbound',
    from_number: call.from,
    to_number: call.phone,
    ...(metadata !== undefined && { metadata }),
    ...(retell_llm_dynamic_variables !== undefined && { retell_llm_dynamic_variables }),
    ...(custom_sip_headers !== undefined && { custom_sip_headers }),
    data_storage_setting: 'everything',
  };
}

export function showCreated(world: World, call: Call): Json {
  return showBase(world, viewCall(world, call, 0));
}

const reasons: Record<NonNullable<View['outcome']>, string> = {
  answered: 'user_hangup',
  'no-answer': 'dial_no_answer',
  voicemail: 'voicemail_reached',
  busy: 'dial_busy',
  invalid: 'invalid_destination',
  failed: 'telephony_provider_unavailable',
  dropped: 'error_llm_websocket_runtime',
  canceled: 'manual_stopped',
  'no-room': 'concurrency_limit_reached',
  'no-credit': 'no_valid_payment',
};

/** A call as the list has it: without what was said. */
export function showItem(world: World, call: Call): Json {
  const view = viewCall(world, call, 0);
  const { outcome, joinedAt, endedAt, talkedMs, cost, told } = view;
  const late = outcome === 'voicemail' && isHeardLate(call);
  return {
    ...showBase(world, view),
    ...(joinedAt !== null && { start_timestamp: Math.round(joinedAt) }),
    ...(endedAt !== null && { end_timestamp: Math.round(endedAt) }),
    ...(endedAt !== null && joinedAt !== null && { duration_ms: Math.round(talkedMs) }),
    ...(outcome !== null && { disconnection_reason: late ? 'agent_hangup' : reasons[outcome] }),
    ...(cost !== undefined && {
      call_cost: {
        product_costs: [{ product: 'simulated_voice', cost: cents(cost), unit_price: 0 }],
        total_duration_seconds: view.seconds,
        total_duration_unit_price: 0,
        combined_cost: cents(cost),
      },
    }),
    ...(view.past(analysisMs) && {
      call_analysis: {
        call_summary: told?.transcript ? `A talk of ${turnsOf(told).length} turns.` : 'Nobody was reached.',
        in_voicemail: outcome === 'voicemail',
        user_sentiment: 'Neutral',
        call_successful: outcome === 'answered',
        custom_analysis_data: told?.data ?? {},
      },
    }),
  };
}

export function showRecord(world: World, call: Call): Json {
  const { told } = viewCall(world, call, 0);
  const turns = turnsOf(told);
  return {
    ...showItem(world, call),
    ...(turns.length > 0 && {
      transcript: turns.map(({ role, text }) => `${role === 'agent' ? 'Agent' : 'User'}: ${text}\n`).join(''),
      transcript_object: turns.map(({ role, text }) => ({ role, content: text, words: [] })),
      recording_url: `https://recordings.invalid/${call.id}/recording.wav`,
    }),
  };
}

const cents = (dollars: number) => Math.round(dollars * 1e6) / 1e4;
