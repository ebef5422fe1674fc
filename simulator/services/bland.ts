/** Bland: its key has no scheme, its list has neither stamps nor plus signs, and some of its refusals are for good. */
import { z } from 'zod';
import { agentsOf, isAgent, linesOf, since } from '../account.ts';
import { hasEnded } from '../calls.ts';
import {
  bearerOf,
  type Dialect,
  headerOf,
  listing,
  type Prepared,
  type Request,
  showing,
} from '../dialect.ts';
import { cancel, place, readWish } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import { anyObject, e164, type Flaw, flag, type Json, readQuery, textAt, whole } from '../shape.ts';
import { iso, listCalls } from '../view.ts';
import type { World } from '../world.ts';
import { digits, showBlandCall, showBlandItem } from './bland-records.ts';

/** The least time between two calls to one number, in simulated time. */
const betweenMs = 10_000;

const text = z.string().optional();
const bool = z.boolean().optional();
const list = z.array(z.unknown()).optional();
const hook = z
  .string()
  .regex(/^https:\/\//, 'must begin with https://')
  .optional();
const events = 'queue call latency webhook tool dynamic_data citations evals post_transfer_transcript'.split(
  ' ',
);

/** `retry` is left out: the service would redial by itself, which this simulator does not play. */
const form = z
  .strictObject({
    phone_number: e164,
    task: text,
    pathway_id: text,
    pathway_version: z.union([z.number().int(), z.enum(['production', 'staging'])]).optional(),
    persona_id: text,
    agent_id: text,
    from: e164.optional(),
    dialing_strategy: anyObject.optional(),
    ...Object.fromEntries(
      ['voice', 'first_sentence', 'model', 'language', 'background_track', 'timezone', 'start_time']
        .concat(['transfer_phone_number', 'precall_dtmf_sequence'])
        .map((name) => [name, text]),
    ),
    ...Object.fromEntries(
      ['wait_for_greeting', 'block_interruptions', 'noise_cancellation', 'record', 'ignore_button_press']
        .concat(['answered_by_enabled', 'amd'])
        .map((name) => [name, bool]),
    ),
    ...Object.fromEntries(
      ['pronunciation_guide', 'tools', 'dynamic_data', 'guard_rails', 'citation_schema_ids'].map((name) => [
        name,
        list,
      ]),
    ),
    temperature: z.number().min(0).max(1).optional(),
    interruption_threshold: z.number().optional(),
    interruptibility: z.number().min(0).max(3).optional(),
    keywords: z.array(z.string().max(99)).max(20).optional(),
    transfer_list: anyObject.optional(),
    max_duration: z.number().min(0).max(720).optional(),
    voicemail: z
      .strictObject({
        message: text,
        action: z.enum(['hangup', 'leave_message', 'ignore']).optional(),
        sms: z.unknown().optional(),
        sensitive: bool,
      })
      .optional(),
    dispositions: z.array(z.string()).optional(),
    summary_prompt: z.string().max(2000).optional(),
    request_data: anyObject.optional(),
    metadata: anyObject.optional(),
    webhook: hook,
    webhook_events: z.array(z.enum(events as [string, ...string[]])).optional(),
  })
  .refine(
    (body) => ['task', 'pathway_id', 'persona_id', 'agent_id'].some((name) => name in body),
    'needs task, pathway_id or persona_id',
  );

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/, 'must be a date or an ISO 8601 time')
  .transform((at) => Date.parse(at));
const filters = z.object({
  from_number: text,
  to_number: text,
  from: whole(0, 1_000_000).default(0),
  to: whole(0, 1_000_000).optional(),
  limit: whole(1, 1000).default(1000),
  ascending: flag.default(false),
  sort_by: z.enum(['created_at', 'updated_at']).optional(),
  start_date: day.optional(),
  end_date: day.optional(),
  completed: flag.optional(),
  answered_by: text,
  inbound: flag.optional(),
});

export const bland: Dialect = {
  base: '/v1',
  // The header holds only the key; the word `Bearer` before it is tolerated.
  secrets: (headers) => [bearerOf(headers) ?? headerOf(headers, 'authorization')],
  routes: [
    { method: 'POST', path: '/calls', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/calls', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/calls/{id}', operation: 'get', prepare: prepareGet },
    { method: 'POST', path: '/calls/{id}/stop', operation: 'update', prepare: prepareStop },
    { method: 'GET', path: '/outbound', operation: 'list', prepare: prepareNumbers },
    { method: 'GET', path: '/personas', operation: 'list', prepare: prepareAgents },
    { method: 'GET', path: '/me', operation: 'list', prepare: prepareAccount },
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
  const read = readWish(world, request, { form, phoneAt: ['phone_number'], invalid });
  if ('refusal' in read) return read.refusal;
  const { body, phone } = read;
  const known = { body, phone };
  const agent = textAt(body, 'pathway_id') ?? textAt(body, 'persona_id') ?? textAt(body, 'agent_id');
  const from = textAt(body, 'from');
  const refused = (reply: Reply) => ({ refused: reply, ...known });
  if ('start_time' in body) return refused(refuse(400, 'The simulator does not do start_time.'));
  if (agent !== undefined && !isAgent(settings, agent)) return refused(refuse(404, 'Pathway not found.'));
  if (from !== undefined && !lines(world).some(({ number }) => number === from)) {
    return refused(refuse(400, 'The `from` number is not one of yours.'));
  }
  if (settings.refused.includes(phone)) {
    const message = 'Number found in DNC list. You cannot dial sensitive numbers.';
    return refused(
      json(400, { status: 'DNC Error', message: `${message} More attempts will result in being blocked.` }),
    );
  }
  if (wasJustCalled(world, phone)) {
    return refused(refuse(429, 'You have called this number within the last 10 seconds.'));
  }
  return place(world, {
    id: bland.newId(world),
    key: request.key,
    phone,
    name: textAt(body, 'request_data', 'name') ?? null,
    agentId: agent ?? '',
    from: from ?? null,
    stamp: textAt(body, 'metadata', 'attempt_id') ?? null,
    sent: body,
    noRoom: refuse(429, 'Rate limit exceeded'),
    noCredit: refuse(402, 'Insufficient balance.'),
    answer: ({ id }) =>
      json(200, { status: 'success', message: 'Call successfully queued.', call_id: id, batch_id: null }),
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

const unknown = () => refuse(404, 'Call not found.');

function prepareGet(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  return call ? showing(call, () => showBlandCall(world, call)) : { refused: unknown() };
}

function prepareStop(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: unknown() };
  if (hasEnded(call, world.timescale.now())) {
    return { refused: refuse(400, 'SID not found. The call may have ended.'), phone: call.phone };
  }
  return {
    phone: call.phone,
    call: call.id,
    serve() {
      cancel(world, call);
      return { reply: json(200, { status: 'success', message: 'Call ended successfully.' }), call: call.id };
    },
  };
}

function prepareCalls(world: World, request: Request): Prepared {
  const read = readQuery(filters, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { from, to, limit, ascending, ...wanted } = read.value;
  return listing(() => {
    // The end of the window is not part of it.
    const span = { from: wanted.start_date, to: wanted.end_date && wanted.end_date - 1 };
    const found = listCalls(world, span, (call) => {
      if (wanted.to_number && digits(call.phone) !== digits(wanted.to_number)) return false;
      return !wanted.from_number || digits(call.from ?? '') === digits(wanted.from_number);
    })
      .map((call) => showBlandItem(world, call))
      .filter(({ completed, answered_by }) => {
        if (wanted.completed !== undefined && completed !== wanted.completed) return false;
        return wanted.inbound !== true && (wanted.answered_by ?? answered_by) === answered_by;
      });
    if (ascending) found.reverse();
    const calls = found.slice(from, Math.min(to ?? found.length, from + limit));
    return { total_count: found.length, count: calls.length, calls };
  });
}

function lines({ settings }: World) {
  return linesOf(settings, (number) => number);
}

function prepareNumbers(world: World): Prepared {
  const outbound_numbers: Json[] = lines(world).map(({ number }) => ({
    created_at: iso(since),
    phone_number: number,
    last_initiated: null,
  }));
  return listing(() => ({ outbound_numbers }));
}

const page = z.object({ page: whole(1, 1_000_000).default(1), limit: whole(1, 100).default(20) });

function prepareAgents(world: World, request: Request): Prepared {
  const read = readQuery(page, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const from = (read.value.page - 1) * read.value.limit;
  const all = agentsOf(world.settings, (nth) => `per_${nth + 1}`);
  return listing(() => ({ data: all.slice(from, from + read.value.limit), errors: null }));
}

function prepareAccount(world: World): Prepared {
  return listing(() => ({
    status: 'active',
    billing: { current_balance: world.credits.balance() ?? 1000, refill_to: null },
    total_calls: world.calls.counts(world.timescale.now()).created,
  }));
}
