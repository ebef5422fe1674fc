/** Bolna: it queues calls that it has no room for, and a call that looks ended may still be completed later. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, linesOf, since, uuidOf } from '../account.ts';
import { type Call, startOf } from '../calls.ts';
import {
  bearerOf,
  type Dialect,
  listing,
  listingBy,
  ofCall,
  type Prepared,
  type Request,
  showsCall,
} from '../dialect.ts';
import { hangingUp, placeCall } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import { anyObject, e164, type Flaw, type Json, moment, textAt, uuid, whole } from '../shape.ts';
import { iso, listCalls, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** The time from `call-disconnected` to `completed`, in simulated time. */
const completionMs = 60_000;

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

const weekMs = 7 * 86_400_000;
const filters = z
  .object({
    page_number: whole(1, 1_000_000).default(1),
    page_size: whole(1, 50).default(20),
    from: moment.optional(),
    to: moment.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || to - from <= weekMs, {
    path: ['to'],
    error: 'may not be more than 7 days after `from`',
  });

export const bolna: Dialect = {
  base: '',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/call', operation: 'create', prepare: prepareCreate },
    showsCall('/executions/{id}', () => unknown, showExecution),
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

const unknown = refuse(404, 'Execution not found');

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  return placeCall(world, request, {
    form,
    phoneAt: ['recipient_phone_number'],
    invalid,
    order(body, phone) {
      const agentId = body.agent_id as string;
      const from = textAt(body, 'from_phone_number');
      if (body.scheduled_at !== undefined) return refuse(400, 'Calls are not scheduled here');
      if (!isAgent(settings, agentId)) return refuse(404, 'Agent not found');
      const lines = linesOf(settings, lineId);
      if (from !== undefined && !lines.some(({ number }) => number === from))
        return refuse(422, 'from_phone_number not owned by account');
      if (settings.refused.includes(phone))
        return refuse(400, `The number ${phone.slice(1)} cannot be called`);
      return {
        id: bolna.newId(world),
        name: textAt(body, 'user_data', 'name'),
        agentId,
        from: from ?? lines[0]?.number,
        stamp: textAt(body, 'user_data', 'attempt_id'),
        noRoom: 'waits',
        noCredit: 'record',
        answer: ({ id }) => json(200, { message: 'done', status: 'queued', execution_id: id }),
      };
    },
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
  const { outcome, told, cost, ringsAt } = view;
  const isTalk = outcome === 'answered' || outcome === 'voicemail';
  const isSettled = end.status !== 'call-disconnected' && outcome !== null;
  return {
    id: call.id,
    agent_id: call.agentId,
    status: end.status,
    error_message:
      outcome === 'no-credit' ? 'Insufficient balance' : outcome === 'dropped' ? 'Bolna Error' : null,
    conversation_duration: isSettled ? view.seconds : 0,
    // In cents.
    total_cost: Math.round((cost ?? 0) * 1e6) / 1e4,
    answered_by_voice_mail: isSettled ? outcome === 'voicemail' : null,
    transcript: transcript(view),
    termination_reason: null,
    created_at: iso(view.createdAt),
    updated_at: iso(view.updatedAt),
    telephony_data:
      outcome === 'no-credit'
        ? null
        : {
            ...shortTelephony(call),
            call_type: 'outbound',
            recording_url: told?.transcript
              ? `https://recordings.invalid/${call.id}.mp3`
              : isTalk
                ? ''
                : null,
            ...(ringsAt !== null && { provider_call_id: `CA${call.id.replaceAll('-', '')}` }),
            ...(view.phase === 'ended' && {
              duration: String(told ? view.seconds : 0),
              hangup_by: end.by,
              hangup_reason: end.reason,
              hangup_provider_code: end.code,
            }),
          },
    extracted_data: told?.data ?? null,
    context_details: { recipient_data: call.sent.user_data ?? {} },
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

function prepareStop(world: World, request: Request): Prepared {
  return ofCall(world, request, unknown, (call) => {
    const over = refuse(400, 'Only queued or scheduled calls can be stopped');
    if (endOf(world, viewCall(world, call, 0)).status !== 'queued')
      return { refused: over, phone: call.phone };
    const stopped = { message: 'done', status: 'stopped', execution_id: call.id };
    return hangingUp(world, call, over, json(200, stopped));
  });
}

function prepareCalls(world: World, request: Request): Prepared {
  const agent = request.params.agent as string;
  if (!isAgent(world.settings, agent)) return { refused: refuse(404, 'Agent not found') };
  return listingBy(world, request, { form: filters, invalid }, ({ page_number, page_size, from, to }) => {
    const found = listCalls(world, { from, to }, ({ agentId }) => agentId === agent);
    const start = (page_number - 1) * page_size;
    return {
      page_number,
      page_size,
      total: found.length,
      has_more: start + page_size < found.length,
      data: found.slice(start, start + page_size).map((call) => shorten(world, call)),
    };
  });
}

/** An item of the list has no trace of what the create sent. */
function shorten(world: World, call: Call): Json {
  const { id, status, conversation_duration, created_at } = showExecution(world, call);
  return { id, status, conversation_duration, created_at, telephony_data: shortTelephony(call) };
}

function prepareNumbers(world: World): Prepared {
  return listing(() =>
    linesOf(world.settings, lineId).map(({ id, number }) => ({
      id,
      phone_number: number,
      agent_id: agentsOf(world.settings, agentId)[0]?.id ?? null,
      telephony_provider: 'plivo',
      created_at: iso(since),
    })),
  );
}

function prepareAgents(world: World): Prepared {
  return listing(() =>
    agentsOf(world.settings, agentId).map(({ id, name }) => ({
      id,
      agent_name: name,
      agent_status: 'processed',
      created_at: iso(since),
    })),
  );
}

const agentId = (nth: number) => uuidOf('bolna', nth);
const lineId = (number: string) => codeOf('0123456789abcdef', 32, number);
