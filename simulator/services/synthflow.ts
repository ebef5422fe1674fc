/** Synthflow: a record is inside a list, a list names its fields differently, and calls cannot be hung up. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, linesOf, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import { bearerOf, type Dialect, listingBy, type Prepared, type Request, showsCall } from '../dialect.ts';
import { placeCall } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import { e164, type Flaw, filled, type Json, textAt, whole } from '../shape.ts';
import { isHeardLate, iso, listCalls, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** Transcript and recording come this much later than the end, in simulated time. */
const laterMs = 20_000;

const form = z.strictObject({
  model_id: filled,
  phone: e164,
  name: z.string(),
  from_phone_number: e164.optional(),
  custom_variables: z.array(z.strictObject({ key: filled, value: z.string() })).optional(),
  lead_email: z.string().optional(),
  lead_timezone: z.string().optional(),
  prompt: z.string().optional(),
  greeting: z.string().optional(),
  external_webhook_url: z.string().optional(),
});

const page = z.object({ limit: whole(1, 100).default(20), offset: whole(0, 1_000_000).default(0) });
const filters = page.extend({
  model_id: z.string(),
  from_date: whole(0, 100_000_000_000_000).optional(),
  lead_phone_number: z.string().optional(),
});

export const synthflow: Dialect = {
  base: '/v2',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/calls', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/calls', operation: 'calls', prepare: prepareCalls },
    showsCall(
      '/calls/{id}',
      () => unknown,
      (world, call) => ok({ calls: [showCall(world, call)] }),
    ),
    { method: 'GET', path: '/numbers', operation: 'list', prepare: prepareNumbers },
    { method: 'GET', path: '/assistants/', operation: 'list', prepare: prepareAgents },
  ],
  refuse(why, status, text) {
    if (why === 'path') return json(404, { detail: 'Not Found' });
    const isKey = why === 'key' || why === 'no-key';
    return refuse(status, isKey ? 'Invalid API key' : text, isKey ? 'authentication' : 'request');
  },
  spots: {
    id: ['/response/call_id', '/response/calls/0/call_id'],
    status: ['/response/calls/0/status'],
    phone: ['/response/calls/0/phone_number_to'],
    nobody: '00000000-0000-4000-8000-000000000000',
  },
  newId: (world) => world.newId(),
};

function refuse(status: number, description: string, category: string): Reply {
  const request_id = `req_${codeOf('0123456789abcdef', 12, description)}`;
  return json(status, { detail: { status: 'error', description, request_id, category } });
}

function invalid(flaws: readonly Flaw[]): Reply {
  const text = flaws.map((flaw) => `${flaw.at.join('.') || 'body'} ${flaw.text}`).join('; ');
  return refuse(400, text || 'Invalid request', 'validation');
}

const unknown = refuse(404, 'Call not found', 'not_found');
const ok = (response: Json) => ({ status: 'ok', response });

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  return placeCall(world, request, {
    form,
    phoneAt: ['phone'],
    invalid,
    order(body, phone) {
      const agentId = body.model_id as string;
      const from = textAt(body, 'from_phone_number');
      const lines = linesOf(settings, (number) => number);
      if (!isAgent(settings, agentId)) return refuse(400, 'Model not found', 'validation');
      if (from !== undefined && !lines.some(({ number }) => number === from))
        return refuse(400, 'from_phone_number is not attached to the agent', 'validation');
      if (settings.refused.includes(phone))
        return refuse(400, `The number ${phone} cannot be called`, 'validation');
      return {
        id: synthflow.newId(world),
        name: body.name as string,
        agentId,
        from: from ?? lines[0]?.number,
        stamp: textAt(variablesOf(body), 'attempt_id'),
        noRoom: settings.refuseBy === 'record' ? 'record' : refuse(429, 'Too many concurrent calls', 'limit'),
        noCredit: 'record',
        answer: ({ id }) => json(200, ok({ answer: 'Call queued', call_id: id })),
      };
    },
  });
}

function variablesOf(sent: Json): Json {
  const pairs = (sent.custom_variables ?? []) as { key: string; value: string }[];
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
}

type Ended = { status: string; reason: string; error?: string };
const ends: Record<NonNullable<View['outcome']>, Ended> = {
  answered: { status: 'completed', reason: 'human_ended_call' },
  voicemail: { status: 'left_voicemail', reason: 'voicemail_message_left' },
  'no-answer': { status: 'no-answer', reason: 'undefined' },
  busy: { status: 'busy', reason: 'undefined' },
  invalid: { status: 'failed', reason: 'error', error: 'Telephony - 400 - Invalid phone number' },
  failed: { status: 'failed', reason: 'error', error: 'Telephony - 503 - Service Unavailable' },
  dropped: { status: 'failed', reason: 'error', error: 'recovery_unresolved' },
  canceled: { status: 'canceled', reason: 'user_canceled' },
  'no-room': { status: 'failed', reason: 'error', error: '429' },
  'no-credit': { status: 'failed', reason: 'error', error: 'Insufficient Minutes' },
};

const live = { queued: 'pending', ringing: 'ringing', talking: 'in-progress', ended: 'completed' } as const;

function endOf({ outcome, phase, call }: View): Partial<Ended> & { status: string } {
  if (outcome === null) return { status: live[phase] };
  // Only the reason shows some machines.
  if (outcome === 'voicemail' && isHeardLate(call)) return { status: 'completed', reason: 'voicemail' };
  return ends[outcome];
}

function showCall(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const { told, joinedAt, endedAt, phase, outcome } = view;
  const { status, reason, error = '' } = endOf(view);
  const byCaller = outcome === 'voicemail';
  return {
    call_id: call.id,
    model_id: call.agentId,
    campaign_type: 'outbound',
    type_of_call: 'outbound',
    phone_number_from: call.from,
    phone_number_to: call.phone,
    name: call.name,
    transcript: turnsOf(told)
      .map(({ role, text }) => `${role === 'agent' ? 'bot' : 'human'}: ${text}`)
      .join('\n'),
    duration: phase === 'ended' ? view.seconds : 0,
    recording_url: told?.transcript ? `https://recordings.invalid/${call.id}.mp3` : null,
    end_call_reason: reason ?? null,
    error_message: error,
    prompt_variables: variablesOf(call.sent),
    start_time: String(Math.round(view.createdAt)),
    timezone: call.sent.lead_timezone ?? 'America/Los_Angeles',
    ...(phase === 'ended' &&
      joinedAt !== null &&
      endedAt !== null && {
        telephony_hangup: byCaller ? 'caller' : 'callee',
        telephony_disconnect_reason:
          outcome === 'dropped' ? 'error' : byCaller ? 'caller_hangup' : 'callee_hangup',
        telephony_duration: Math.round(view.talkedMs),
        telephony_ringing_duration: Math.round(call.ringMs),
        telephony_start: iso(joinedAt),
        telephony_end: iso(endedAt),
      }),
    status,
    collected_variables: told?.data ?? null,
  };
}

/** An item of the list, whose fields have other names. */
function showItem(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const { status, reason } = endOf(view);
  return {
    call_id: call.id,
    model_id: call.agentId,
    type_of_call: 'outbound',
    lead_name: call.name,
    lead_phone_number: call.phone,
    agent_phone_number: call.from,
    call_status: status,
    end_call_reason: reason ?? null,
    duration: view.phase === 'ended' ? view.seconds : 0,
    start_time: String(Math.round(view.createdAt)),
  };
}

function prepareCalls(world: World, request: Request): Prepared {
  return listingBy(world, request, { form: filters, invalid }, (query) => {
    const { model_id, lead_phone_number: wanted } = query;
    const found = listCalls(world, { from: query.from_date }, ({ agentId, phone }) => {
      return agentId === model_id && (wanted ?? phone) === phone;
    });
    return paged('calls', found, query, (call) => showItem(world, call));
  });
}

function paged<T>(
  name: string,
  all: readonly T[],
  { limit, offset }: z.output<typeof page>,
  show: (one: T) => Json,
): Json {
  const pagination = { total_records: all.length, limit, offset };
  return ok({ pagination, [name]: all.slice(offset, offset + limit).map(show) });
}

function prepareNumbers(world: World, request: Request): Prepared {
  const numbers = linesOf(world.settings, (number) => number);
  const form = page.extend({ workspace: filled });
  return listingBy(world, request, { form, invalid }, (query) =>
    paged('phone_numbers', numbers, query, ({ number }) => ({ number, sid: null, is_available: false })),
  );
}

function prepareAgents(world: World, request: Request): Prepared {
  const agents = agentsOf(world.settings, (nth) => uuidOf('synthflow', nth));
  return listingBy(world, request, { form: page, invalid }, (query) =>
    paged('assistants', agents, query, ({ id, name }) => ({ model_id: id, name, type: 'outbound' })),
  );
}
