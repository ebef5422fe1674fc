/** Bland: its key has no scheme, its list has neither stamps nor plus signs, and some of its refusals are for good. */
import { z } from 'zod';
import { agentsOf, isAgent, linesOf, since } from '../account.ts';
import type { Call } from '../calls.ts';
import {
  bearerOf,
  type Dialect,
  headerOf,
  listing,
  listingBy,
  ofCall,
  type Prepared,
  type Request,
  showsCall,
} from '../dialect.ts';
import { hangingUp, placeCall } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import { anyObject, e164, type Flaw, type Json, optional, textAt, whole } from '../shape.ts';
import { iso, listCalls, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

/** The least time between two calls to one number, in simulated time. */
const betweenMs = 10_000;

/**
 * `retry` and `start_time` are left out: the service would redial by itself, or later, which this simulator does not
 * play.
 */
const form = z
  .strictObject({
    phone_number: e164,
    from: e164.optional(),
    pathway_version: z.union([z.number().int(), z.enum(['production', 'staging'])]).optional(),
    ...optional(
      z.string(),
      'task',
      'pathway_id',
      'persona_id',
      'agent_id',
      'voice',
      'first_sentence',
      'model',
    ),
    ...optional(z.string(), 'language', 'background_track', 'timezone', 'transfer_phone_number'),
    ...optional(z.string(), 'precall_dtmf_sequence'),
    ...optional(z.boolean(), 'wait_for_greeting', 'block_interruptions', 'noise_cancellation', 'record'),
    ...optional(z.boolean(), 'ignore_button_press', 'answered_by_enabled', 'amd'),
    ...optional(z.array(z.unknown()), 'pronunciation_guide', 'tools', 'dynamic_data', 'guard_rails'),
    ...optional(z.array(z.unknown()), 'citation_schema_ids', 'keywords', 'dispositions', 'webhook_events'),
    ...optional(anyObject, 'dialing_strategy', 'transfer_list', 'request_data', 'metadata', 'voicemail'),
    ...optional(z.number(), 'temperature', 'interruption_threshold', 'interruptibility'),
    max_duration: z.number().min(0).max(720).optional(),
    summary_prompt: z.string().max(2000).optional(),
    webhook: z
      .string()
      .regex(/^https:\/\//, 'must begin with https://')
      .optional(),
  })
  .refine(
    (body) => ['task', 'pathway_id', 'persona_id', 'agent_id'].some((name) => name in body),
    'needs task, pathway_id or persona_id',
  );

const page = z.object({ page: whole(1, 1_000_000).default(1), limit: whole(1, 100).default(20) });
const filters = z.object({
  to_number: z.string().optional(),
  start_date: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/, 'must be a date or an ISO 8601 time')
    .transform((at) => Date.parse(at))
    .optional(),
  limit: whole(1, 1000).default(1000),
});

export const bland: Dialect = {
  base: '/v1',
  // The header holds only the key; the word `Bearer` before it is tolerated.
  secrets: (headers) => [bearerOf(headers) ?? headerOf(headers, 'authorization')],
  routes: [
    { method: 'POST', path: '/calls', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/calls', operation: 'calls', prepare: prepareCalls },
    showsCall('/calls/{id}', () => unknown, showCall),
    { method: 'POST', path: '/calls/{id}/stop', operation: 'update', prepare: prepareStop },
    { method: 'GET', path: '/outbound', operation: 'list', prepare: prepareNumbers },
    { method: 'GET', path: '/personas', operation: 'list', prepare: prepareAgents },
  ],
  refuse(why, status, message) {
    if (why === 'key' || why === 'no-key') {
      return json(401, { data: null, errors: [{ error: 'AUTH_FAILURE', message: 'Unauthorized' }] });
    }
    return refuse(status, why === 'rate' ? 'Rate limit exceeded' : message);
  },
  spots: {
    id: ['/call_id'],
    status: ['/status'],
    phone: ['/to'],
    nobody: '00000000-0000-4000-8000-000000000000',
  },
  newId: (world) => world.newId(),
  undialled: () => json(200, { status: 'error', message: 'Unable to queue call.' }),
};

function refuse(status: number, message: string, errors?: string[]): Reply {
  return json(status, { status: 'error', message, ...(errors && { errors }) });
}

function invalid(flaws: readonly Flaw[]): Reply {
  const errors = flaws.map(({ at, kind, text: words }) =>
    kind === 'extra'
      ? `Additional properties are not allowed: ${at.join('.')}`
      : `${at.join('.') || 'body'} ${words}`,
  );
  return refuse(400, 'Invalid parameters', errors);
}

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  return placeCall(world, request, {
    form,
    phoneAt: ['phone_number'],
    invalid,
    order(body, phone) {
      const agent = textAt(body, 'pathway_id') ?? textAt(body, 'persona_id') ?? textAt(body, 'agent_id');
      const from = textAt(body, 'from');
      if (agent !== undefined && !isAgent(settings, agent)) return refuse(404, 'Pathway not found.');
      if (from !== undefined && !lines(world).some(({ number }) => number === from))
        return refuse(400, 'The `from` number is not one of yours.');
      if (settings.refused.includes(phone)) {
        const message = 'Number found in DNC list. You cannot dial sensitive numbers.';
        return json(400, { status: 'DNC Error', message });
      }
      if (wasJustCalled(world, phone))
        return refuse(429, 'You have called this number within the last 10 seconds.');
      return {
        id: bland.newId(world),
        name: textAt(body, 'request_data', 'name'),
        agentId: agent ?? '',
        from,
        stamp: textAt(body, 'metadata', 'attempt_id'),
        noRoom: refuse(429, 'Rate limit exceeded'),
        noCredit: refuse(402, 'Insufficient balance.'),
        answer: ({ id }) =>
          json(200, { status: 'success', message: 'Call successfully queued.', call_id: id }),
      };
    },
  });
}

function wasJustCalled(world: World, phone: string): boolean {
  const now = world.timescale.now();
  for (const call of world.calls.latest()) {
    if (now - call.createdAt >= betweenMs) return false;
    if (call.phone === phone) return true;
  }
  return false;
}

const unknown = refuse(404, 'Call not found.');

function prepareStop(world: World, request: Request): Prepared {
  const over = refuse(400, 'SID not found. The call may have ended.');
  const stopped = json(200, { status: 'success', message: 'Call ended successfully.' });
  return ofCall(world, request, unknown, (call) => hangingUp(world, call, over, stopped));
}

function prepareCalls(world: World, request: Request): Prepared {
  return listingBy(world, request, { form: filters, invalid }, ({ to_number, start_date, limit }) => {
    const found = listCalls(
      world,
      { from: start_date },
      ({ phone }) => !to_number || digits(phone) === digits(to_number),
    );
    const calls = found.slice(0, limit).map((call) => showItem(world, call));
    return { total_count: found.length, count: calls.length, calls };
  });
}

function lines({ settings }: World) {
  return linesOf(settings, (number) => number);
}

function prepareNumbers(world: World): Prepared {
  const outbound_numbers = lines(world).map(({ number }) => ({
    created_at: iso(since),
    phone_number: number,
  }));
  return listing(() => ({ outbound_numbers }));
}

function prepareAgents(world: World, request: Request): Prepared {
  const all = agentsOf(world.settings, (nth) => `per_${nth + 1}`);
  return listingBy(world, request, { form: page, invalid }, ({ page: nth, limit }) => ({
    data: all.slice((nth - 1) * limit, nth * limit),
    errors: null,
  }));
}

/** Transcript, recording and summary come this much later than the end, in simulated time. */
const laterMs = 30_000;

/** The least that an attempt costs, in US dollars. */
const leastCost = 0.015;

type Ended = { status: string; queue: string; by: string | null; error?: string };
const ends: Record<NonNullable<View['outcome']>, Ended> = {
  answered: { status: 'completed', queue: 'complete', by: 'human' },
  voicemail: { status: 'completed', queue: 'complete', by: 'voicemail' },
  'no-answer': { status: 'no-answer', queue: 'complete', by: 'no-answer' },
  busy: {
    status: 'busy',
    queue: 'call_error',
    by: null,
    error: 'The number you dialed is busy. Please try again later.',
  },
  invalid: {
    status: 'failed',
    queue: 'call_error',
    by: null,
    error: 'The number you dialed was not found.',
  },
  failed: { status: 'failed', queue: 'call_error', by: null, error: 'Call failed.' },
  dropped: { status: 'failed', queue: 'complete_error', by: 'human', error: 'unknown' },
  canceled: { status: 'canceled', queue: 'complete', by: null },
  'no-room': { status: 'failed', queue: 'queue_error', by: null, error: 'unable to start call' },
  'no-credit': { status: 'failed', queue: 'queue_error', by: null, error: 'unable to start call' },
};

/** A live call's status says nothing: it may even read `completed`. */
const live: Record<View['phase'], Ended> = {
  queued: { status: 'unknown', queue: 'queued', by: null },
  ringing: { status: 'unknown', queue: 'allocated', by: null },
  talking: { status: 'completed', queue: 'started', by: null },
  ended: { status: 'unknown', queue: 'complete', by: null },
};

function endOf({ outcome, phase, joinedAt }: View): Ended {
  if (outcome === null) return live[phase];
  if (outcome === 'canceled' && joinedAt !== null) return ends.answered;
  return ends[outcome];
}

const digits = (number: string) => number.replace(/\D/g, '');

function showShort(view: View): Json {
  const { call, phase } = view;
  const { queue, by, error } = endOf(view);
  const isOver = phase === 'ended';
  return {
    call_id: call.id,
    created_at: iso(view.createdAt),
    call_length: isOver ? Math.round((view.talkedMs / 60_000) * 1000) / 1000 : null,
    completed: isOver,
    queue_status: queue,
    error_message: error ?? null,
    answered_by: by,
  };
}

/** An item of the list: its numbers are bare digits, and it repeats nothing of the create. */
function showItem(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  return { ...showShort(view), to: digits(call.phone), from: digits(call.from ?? '') };
}

function showCall(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const { cost } = viewCall(world, call, 0);
  const { told, joinedAt, endedAt, outcome } = view;
  const turns = turnsOf(told).map(({ role, text }, nth) => ({
    id: nth + 1,
    created_at: iso((joinedAt ?? view.createdAt) + nth * 1000),
    text,
    user: role === 'agent' ? 'assistant' : 'user',
  }));
  return {
    ...showShort(view),
    c_id: call.id,
    corrected_duration: endedAt === null ? null : String(view.seconds),
    to: call.phone,
    from: call.from,
    request_data: call.sent.request_data ?? {},
    started_at: view.ringsAt === null ? null : iso(view.ringsAt),
    end_at: endedAt === null ? null : iso(endedAt),
    max_duration: call.sent.max_duration ?? 30,
    variables: told?.data ?? {},
    record: call.sent.record ?? false,
    recording_url:
      call.sent.record === true && told?.transcript ? `https://recordings.invalid/${call.id}.mp3` : null,
    metadata: call.sent.metadata ?? {},
    summary: told?.transcript ? `A talk of ${turns.length} turns.` : null,
    price: cost === undefined ? null : Math.max(leastCost, cost),
    call_ended_by: outcome === 'answered' ? 'USER' : outcome === null ? null : 'ASSISTANT',
    pathway_id: call.sent.pathway_id ?? null,
    concatenated_transcript: turns.map(({ user, text }) => `${user}: ${text}`).join(' '),
    transcripts: turns,
    status: endOf(view).status,
  };
}
