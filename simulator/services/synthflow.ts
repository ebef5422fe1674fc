/** Synthflow: a record is inside a list, a list names its fields differently, and calls cannot be hung up. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, linesOf, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import { bearerOf, type Dialect, listing, type Prepared, type Request, showing } from '../dialect.ts';
import { place, readWish } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import { e164, type Flaw, filled, type Json, readQuery, textAt, whole } from '../shape.ts';
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
const epoch = whole(0, 100_000_000_000_000).optional();
const filters = page.extend({
  model_id: z.string(),
  from_date: epoch,
  to_date: epoch,
  call_status: z.string().optional(),
  duration_min: epoch,
  duration_max: epoch,
  lead_phone_number: z.string().optional(),
});

export const synthflow: Dialect = {
  base: '/v2',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/calls', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/calls', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/calls/{id}', operation: 'get', prepare: prepareGet },
    { method: 'GET', path: '/numbers', operation: 'list', prepare: prepareNumbers },
    { method: 'GET', path: '/assistants/', operation: 'list', prepare: prepareAgents },
    { method: 'GET', path: '/assistants/{id}', operation: 'list', prepare: prepareAgent },
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

const ok = (response: Json) => ({ status: 'ok', response });

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const read = readWish(world, request, { form, phoneAt: ['phone'], invalid });
  if ('refusal' in read) return read.refusal;
  const { body, phone } = read;
  const known = { body, phone };
  const agentId = body.model_id as string;
  const from = textAt(body, 'from_phone_number');
  if (!isAgent(settings, agentId)) return { refused: refuse(400, 'Model not found', 'validation'), ...known };
  const lines = linesOf(settings, (number) => number);
  if (from !== undefined && !lines.some(({ number }) => number === from)) {
    const refused = refuse(400, 'from_phone_number is not attached to the agent', 'validation');
    return { refused, ...known };
  }
  if (settings.refused.includes(phone)) {
    return { refused: refuse(400, `The number ${phone} cannot be called`, 'validation'), ...known };
  }
  const variables = variablesOf(body);
  return place(world, {
    id: synthflow.newId(world),
    key: request.key,
    phone,
    name: body.name as string,
    agentId,
    from: from ?? lines[0]?.number ?? null,
    stamp: textAt(variables, 'attempt_id') ?? null,
    sent: body,
    noRoom: settings.refuseBy === 'record' ? 'record' : refuse(429, 'Too many concurrent calls', 'limit'),
    noCredit: 'record',
    answer: ({ id }) => json(200, { ...ok({ answer: 'Call queued', call_id: id }), eta: 5 }),
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
    custom_end_call_reason: null,
    error_message: error,
    executed_actions: {},
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

function prepareGet(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: refuse(404, 'Call not found', 'not_found') };
  const pagination = { total_records: 1, limit: 20, offset: 0 };
  return showing(call, () => ok({ pagination, calls: [showCall(world, call)] }));
}

function prepareCalls(world: World, request: Request): Prepared {
  const read = readQuery(filters, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { limit, offset, model_id, from_date: from, to_date: to, ...wanted } = read.value;
  return listing(() => {
    const found = listCalls(world, { from, to }, ({ agentId, phone }) => {
      return agentId === model_id && (wanted.lead_phone_number ?? phone) === phone;
    })
      .map((call) => showItem(world, call))
      .filter(({ call_status, duration }) => {
        if (wanted.call_status !== undefined && call_status !== wanted.call_status) return false;
        const seconds = duration as number;
        return seconds >= (wanted.duration_min ?? 0) && seconds <= (wanted.duration_max ?? seconds);
      });
    return ok({
      pagination: { total_records: found.length, limit, offset },
      calls: found.slice(offset, offset + limit),
    });
  });
}

const numberFilters = page.extend({ workspace: filled, is_available: z.enum(['true', 'false']).optional() });

function prepareNumbers(world: World, request: Request): Prepared {
  const read = readQuery(numberFilters, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { limit, offset } = read.value;
  const all = linesOf(world.settings, (number) => number).map(({ number }) => ({
    number,
    sid: null,
    is_available: false,
  }));
  const pagination = { total_records: all.length, limit, offset };
  return listing(() => ok({ pagination, phone_numbers: all.slice(offset, offset + limit) }));
}

const agentId = (nth: number) => uuidOf('synthflow', nth);
const showAgent = ({ id, name }: { id: string; name: string }) => ({ model_id: id, name, type: 'outbound' });

function prepareAgents(world: World, request: Request): Prepared {
  const read = readQuery(page, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { limit, offset } = read.value;
  const all = agentsOf(world.settings, agentId).map(showAgent);
  const pagination = { total_records: all.length, limit, offset };
  return listing(() => ok({ pagination, assistants: all.slice(offset, offset + limit) }));
}

/** One agent, with the numbers that it may call from: all of them here. */
function prepareAgent(world: World, { params }: Request): Prepared {
  const id = params.id as string;
  if (!isAgent(world.settings, id)) return { refused: refuse(404, 'Assistant not found', 'not_found') };
  const agent = agentsOf(world.settings, agentId).find((one) => one.id === id) ?? { id, name: 'Reminder' };
  const attached_phone_numbers = linesOf(world.settings, (number) => number).map(({ number }) => ({
    number,
    sid: null,
    slug: number.slice(1),
  }));
  return listing(() => ok({ assistants: [{ ...showAgent(agent), attached_phone_numbers }] }));
}
