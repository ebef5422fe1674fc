/** Bolna: it queues calls that it has no room for, and a call that looks ended may still be completed later. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, linesOf, since, uuidOf } from '../account.ts';
import { type Call, startOf } from '../calls.ts';
import { bearerOf, type Dialect, listing, type Prepared, type Request, showing } from '../dialect.ts';
import { cancel, place, readWish } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import {
  anyObject,
  e164,
  type Flaw,
  flag,
  type Json,
  moment,
  readQuery,
  textAt,
  uuid,
  whole,
} from '../shape.ts';
import { iso, listCalls, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** The time from `call-disconnected` to `completed`, in simulated time. */
const completionMs = 60_000;
const weekMs = 7 * 86_400_000;

const form = z.strictObject({
  agent_id: uuid,
  recipient_phone_number: e164,
  from_phone_number: e164.optional(),
  scheduled_at: z.string().optional(),
  user_data: anyObject.optional(),
  agent_data: anyObject.optional(),
  retry_config: z.strictObject({ enabled: z.literal(false) }).optional(),
  bypass_call_guardrails: z.boolean().optional(),
});

const filters = z.object({
  page_number: whole(1, 1_000_000).default(1),
  page_size: whole(1, 50).default(20),
  status: z.string().optional(),
  call_type: z.enum(['inbound', 'outbound']).optional(),
  provider: z.string().optional(),
  answered_by_voice_mail: flag.optional(),
  batch_id: z.string().optional(),
  from: moment.optional(),
  to: moment.optional(),
});

export const bolna: Dialect = {
  base: '',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/call', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/executions/{id}', operation: 'get', prepare: prepareGet },
    { method: 'POST', path: '/call/{id}/stop', operation: 'update', prepare: prepareStop },
    { method: 'GET', path: '/v2/agent/all', operation: 'list', prepare: prepareAgents },
    { method: 'GET', path: '/v2/agent/{agent}/executions', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/phone-numbers/all', operation: 'list', prepare: prepareNumbers },
  ],
  refuse(why, status, text) {
    if (why === 'key') return json(403, { detail: 'Invalid API key' });
    if (why === 'no-key') return refuse(401, 'Access denied');
    return refuse(status, why === 'rate' ? 'Rate limit exceeded' : text);
  },
  spots: {
    id: ['/execution_id', '/id'],
    status: ['/status'],
    phone: ['/telephony_data/to_number'],
    nobody: '00000000-0000-4000-8000-000000000000',
  },
  newId: (world) => world.newId(),
};

function refuse(error: number, message: string): Reply {
  return json(error, { error, message });
}

function invalid(flaws: readonly Flaw[]): Reply {
  const [first] = flaws;
  const isMalformed = first?.at.length === 0;
  return refuse(
    isMalformed ? 400 : 422,
    first ? `${first.at.join('.') || 'body'} ${first.text}` : 'Invalid request',
  );
}

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const read = readWish(world, request, { form, phoneAt: ['recipient_phone_number'], invalid });
  if ('refusal' in read) return read.refusal;
  const { body, phone } = read;
  const known = { body, phone };
  const agentId = body.agent_id as string;
  const from = textAt(body, 'from_phone_number');
  const at = textAt(body, 'scheduled_at');
  if (at !== undefined) {
    const refused = at.endsWith('Z')
      ? refuse(500, 'Internal server error')
      : refuse(400, 'Calls are not scheduled here');
    return { refused, ...known };
  }
  if (!isAgent(settings, agentId)) return { refused: refuse(404, 'Agent not found'), ...known };
  const lines = linesOf(settings, lineId);
  if (from !== undefined && !lines.some(({ number }) => number === from)) {
    return { refused: refuse(422, 'from_phone_number not owned by account'), ...known };
  }
  if (settings.refused.includes(phone))
    return { refused: refuse(400, `The number ${phone.slice(1)} cannot be called`), ...known };
  return place(world, {
    id: bolna.newId(world),
    key: request.key,
    phone,
    name: textAt(body, 'user_data', 'name') ?? null,
    agentId,
    from: from ?? lines[0]?.number ?? null,
    stamp: textAt(body, 'user_data', 'attempt_id') ?? null,
    sent: body,
    noRoom: 'waits',
    noCredit: 'record',
    answer: ({ id }) => json(200, { message: 'done', status: 'queued', execution_id: id }),
  });
}

type Ended = { status: string; by: string; reason: string; code: number };
const ends: Record<Exclude<View['outcome'], null | 'answered' | 'voicemail'>, Ended> = {
  'no-answer': { status: 'no-answer', by: 'Carrier', reason: 'Call unanswered', code: 3050 },
  busy: { status: 'busy', by: 'Carrier', reason: 'Call recipient was busy', code: 3010 },
  invalid: { status: 'failed', by: 'Carrier', reason: 'Call recipient number invalid', code: 3020 },
  failed: { status: 'failed', by: 'Carrier', reason: 'Carrier declined', code: 3080 },
  dropped: { status: 'error', by: 'Error', reason: 'Bolna Error', code: 4000 },
  canceled: { status: 'stopped', by: 'API Request', reason: 'Call canceled', code: 4000 },
  'no-room': { status: 'failed', by: 'Error', reason: 'failed', code: 4000 },
  'no-credit': { status: 'balance-low', by: 'Error', reason: 'failed', code: 4000 },
};

/** The status, and the reason once there is one. */
function endOf(world: World, view: View): Partial<Ended> & { status: string } {
  const { phase, outcome, call } = view;
  if (phase === 'queued') {
    const isHanded = world.timescale.now() >= startOf(call) + call.queueMs / 2;
    return { status: isHanded ? 'initiated' : 'queued' };
  }
  if (outcome === null) return { status: phase === 'ringing' ? 'ringing' : 'in-progress' };
  if (outcome !== 'answered' && outcome !== 'voicemail') return ends[outcome];
  const status = view.past(completionMs) ? 'completed' : 'call-disconnected';
  if (outcome === 'answered') return { status, by: 'Callee', reason: 'Call recipient hungup', code: 4000 };
  return { status, by: 'Callee', reason: 'voicemail_detected', code: 4000 };
}

function showExecution(world: World, call: Call): Json {
  const view = viewCall(world, call, completionMs);
  const end = endOf(world, view);
  const { outcome, told, cost } = view;
  const isMade = outcome !== 'no-credit';
  const isSettled = end.status !== 'call-disconnected' && outcome !== null;
  const cents = Math.round((cost ?? 0) * 1e6) / 1e4;
  return {
    id: call.id,
    agent_id: call.agentId,
    batch_id: null,
    status: end.status,
    error_message:
      outcome === 'no-credit' ? 'Insufficient balance' : outcome === 'dropped' ? 'Bolna Error' : null,
    conversation_duration: isSettled ? view.seconds : 0,
    total_cost: cents,
    answered_by_voice_mail: isSettled ? outcome === 'voicemail' : null,
    transcript: transcript(view),
    termination_reason: null,
    created_at: iso(view.createdAt),
    updated_at: iso(view.updatedAt),
    cost_breakdown: { llm: 0, network: 0, platform: cents, synthesizer: 0, transcriber: 0 },
    telephony_data: isMade ? telephony(view, end) : null,
    transfer_call_data: null,
    extracted_data: told?.data ?? null,
    context_details: { recipient_data: call.sent.user_data ?? {} },
  };
}

function telephony({ call, told, ringsAt, seconds, phase, outcome }: View, end: Partial<Ended>): Json {
  const isTalk = outcome === 'answered' || outcome === 'voicemail';
  return {
    ...shortTelephony(call),
    call_type: 'outbound',
    hosted_telephony: true,
    recording_url: told?.transcript ? `https://recordings.invalid/${call.id}.mp3` : isTalk ? '' : null,
    ...(ringsAt !== null && { provider_call_id: `CA${call.id.replaceAll('-', '')}`, post_dial_delay: 1 }),
    ...(phase === 'ended' && {
      duration: String(told ? seconds : 0),
      ring_duration: ringsAt === null ? 0 : Math.round(call.ringMs / 1000),
      hangup_by: end.by,
      hangup_reason: end.reason,
      hangup_provider_code: end.code,
    }),
  };
}

function shortTelephony(call: Call): Json {
  return { to_number: call.phone, from_number: call.from, provider: 'plivo' };
}

/** Shortened until the call is completed. */
function transcript({ told, outcome, call, past }: View): string | null {
  const lines = turnsOf(told).map(
    ({ role, text }) => `${role === 'agent' ? 'assistant' : 'user'}: ${text}\n`,
  );
  if (lines.length > 0) return lines.join('');
  return outcome === 'answered' && past(0) && call.lateMs === 0 ? 'assistant: Hello\n' : null;
}

function prepareGet(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: refuse(404, 'Execution not found') };
  return showing(call, () => showExecution(world, call));
}

function prepareStop(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: refuse(404, 'Execution not found') };
  if (endOf(world, viewCall(world, call, 0)).status !== 'queued') {
    return { refused: refuse(400, 'Only queued or scheduled calls can be stopped'), phone: call.phone };
  }
  return {
    phone: call.phone,
    call: call.id,
    serve() {
      cancel(world, call);
      return {
        reply: json(200, { message: 'done', status: 'stopped', execution_id: call.id }),
        call: call.id,
      };
    },
  };
}

function prepareCalls(world: World, request: Request): Prepared {
  const read = readQuery(filters, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { page_number, page_size, from, to, ...wanted } = read.value;
  const agent = request.params.agent as string;
  if (!isAgent(world.settings, agent)) return { refused: refuse(404, 'Agent not found') };
  if (from !== undefined && (to ?? world.clock.now()) - from > weekMs) {
    return { refused: refuse(400, 'The window from `from` to `to` may not exceed 7 days') };
  }
  return listing(() => {
    const found = listCalls(world, { from, to }, ({ agentId }) => agentId === agent)
      .map((call) => showExecution(world, call))
      .filter((item) => {
        if (wanted.status !== undefined && item.status !== wanted.status) return false;
        if (wanted.answered_by_voice_mail === true && item.answered_by_voice_mail !== true) return false;
        return wanted.batch_id === undefined && wanted.call_type !== 'inbound';
      });
    const start = (page_number - 1) * page_size;
    const data = found.slice(start, start + page_size).map((item) => shorten(world, item));
    return { page_number, page_size, total: found.length, has_more: start + page_size < found.length, data };
  });
}

/** An item of the list has no trace of what the create sent. */
function shorten(world: World, { id, status, conversation_duration, created_at }: Json): Json {
  const call = world.calls.find(id as string) as Call;
  return { id, status, conversation_duration, created_at, telephony_data: shortTelephony(call) };
}

function prepareNumbers(world: World): Prepared {
  return listing(() =>
    linesOf(world.settings, lineId).map(({ id, number }) => ({
      id,
      phone_number: number,
      agent_id: agentsOf(world.settings, agentId)[0]?.id ?? null,
      telephony_provider: 'plivo',
      rented: true,
      price: '$5.0',
      created_at: iso(since),
      renewal_at: '17th Dec, 2026',
    })),
  );
}

function prepareAgents(world: World): Prepared {
  return listing(() =>
    agentsOf(world.settings, agentId).map(({ id, name }) => ({
      id,
      agent_name: name,
      agent_type: 'other',
      agent_status: 'processed',
      created_at: iso(since),
      updated_at: iso(since),
    })),
  );
}

const agentId = (nth: number) => uuidOf('bolna', nth);
const lineId = (number: string) => codeOf('0123456789abcdef', 32, number);
