/** Retell: it reports calls without room on the record, an unknown call by 422, and some machines only later. */
import { z } from 'zod';
import { agentsOf, isAgent, linesOf, since } from '../account.ts';
import { hasEnded } from '../calls.ts';
import { bearerOf, type Dialect, type Prepared, type Request } from '../dialect.ts';
import { cancel, liveCount, place } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import {
  anyObject,
  e164,
  type Flaw,
  filled,
  holdBody,
  type Json,
  readObject,
  readQuery,
  textAt,
  texts,
  whole,
} from '../shape.ts';
import type { World } from '../world.ts';
import { calls } from './retell-list.ts';
import { retellAgent, showCreated, showItem, showRecord } from './retell-records.ts';

const form = z.strictObject({
  from_number: filled,
  to_number: filled,
  override_agent_id: filled.optional(),
  override_agent_version: z.union([z.string(), z.number()]).optional(),
  agent_override: z
    .strictObject({
      agent: anyObject.optional(),
      retell_llm: anyObject.optional(),
      conversation_flow: anyObject.optional(),
    })
    .optional(),
  metadata: anyObject.optional(),
  retell_llm_dynamic_variables: texts.optional(),
  custom_sip_headers: texts.optional(),
  ignore_e164_validation: z.boolean().optional(),
});

const page = z.object({
  limit: whole(1, 1000).default(50),
  sort_order: z.enum(['ascending', 'descending']).optional(),
  pagination_key: z.string().optional(),
});

export const retell: Dialect = {
  base: '',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/v2/create-phone-call', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/v2/get-call/{id}', operation: 'get', prepare: prepareGet },
    { method: 'POST', path: '/v2/stop-call/{id}', operation: 'update', prepare: prepareStop },
    {
      method: 'POST',
      path: '/v3/list-calls',
      operation: 'calls',
      prepare: (world, request) => calls(world, request, { show: showItem, invalid }),
    },
    { method: 'GET', path: '/v2/list-phone-numbers', operation: 'list', prepare: prepareNumbers },
    { method: 'POST', path: '/v2/list-agents', operation: 'list', prepare: prepareAgents },
    { method: 'GET', path: '/get-concurrency', operation: 'list', prepare: prepareConcurrency },
  ],
  refuse(why, status, text) {
    if (why === 'key' || why === 'no-key') return refuse(401, 'API key is missing or invalid.');
    if (why === 'rate') return refuse(429, 'Account rate limited, please throttle your requests.');
    return refuse(status, status === 500 ? 'An unexpected server error occurred.' : text);
  },
  spots: {
    id: ['/call_id'],
    status: ['/call_status'],
    phone: ['/to_number'],
    nobody: `call_${'0'.repeat(27)}`,
  },
  newId: (world) => `call_${world.newId().replaceAll('-', '').slice(0, 27)}`,
};

function refuse(status: number, message: string): Reply {
  return json(status, { status: 'error', message });
}

function invalid(flaws: readonly Flaw[]): Reply {
  const [first] = flaws;
  const where = first ? ` ${first.at.join('/') || 'body'} ${first.text}` : '';
  return refuse(400, `Invalid request format, please check API reference.${where}`);
}

const unknown = () => refuse(422, 'Cannot find requested asset under given api key.');

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const read = readObject(request.contentType, request.body);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const body = read.value;
  const phone = textAt(body, 'to_number');
  const known = phone === undefined ? { body } : { body, phone };
  const flaws = holdBody(form, body, settings.strict);
  if (flaws.length > 0 || phone === undefined) return { refused: invalid(flaws), ...known };
  const from = body.from_number as string;
  for (const field of ['to_number', 'from_number'] as const) {
    if (field === 'from_number' && body.ignore_e164_validation === true) continue;
    if (e164.safeParse(body[field]).success) continue;
    const flaw: Flaw = {
      at: [field],
      kind: 'value',
      wanted: 'string',
      text: 'must be in E.164 format',
      input: body[field],
    };
    return { refused: invalid([flaw]), ...known };
  }
  if (settings.refused.includes(phone))
    return { refused: refuse(400, `${phone} cannot be called.`), ...known };
  if (!lines(world).some(({ number }) => number === from)) return { refused: unknown(), ...known };
  const agent = textAt(body, 'override_agent_id') ?? (agentsOf(settings, retellAgent)[0]?.id as string);
  if (!isAgent(settings, agent)) return { refused: unknown(), ...known };
  return place(world, {
    id: retell.newId(world),
    key: request.key,
    phone,
    name: textAt(body, 'retell_llm_dynamic_variables', 'name') ?? null,
    agentId: agent,
    from,
    stamp: textAt(body, 'metadata', 'attempt_id') ?? null,
    sent: body,
    noRoom: 'record',
    noCredit:
      settings.refuseBy === 'record' ? 'record' : refuse(402, 'Trial has ended, please add payment method.'),
    answer: (call) => json(201, showCreated(world, call)),
  });
}

function prepareGet(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: unknown() };
  return {
    phone: call.phone,
    call: call.id,
    serve: () => ({ reply: json(200, showRecord(world, call)), call: call.id }),
  };
}

function prepareStop(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: unknown() };
  if (hasEnded(call, world.timescale.now())) {
    return { refused: refuse(400, 'The call has already ended.'), phone: call.phone };
  }
  return {
    phone: call.phone,
    call: call.id,
    serve() {
      cancel(world, call);
      return { reply: { status: 204, body: '', headers: {} }, call: call.id };
    },
  };
}

/** A page of a list that never changes: its key is the place where it begins. */
function serveAccount(world: World, request: Request, items: Json[]): Prepared {
  const read = readQuery(page, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { limit, pagination_key } = read.value;
  const from = Number(pagination_key ?? 0);
  if (!Number.isInteger(from) || from < 0) return { refused: refuse(400, 'Invalid pagination_key.') };
  const has_more = from + limit < items.length;
  const answer = {
    items: items.slice(from, from + limit),
    has_more,
    ...(has_more && { pagination_key: String(from + limit) }),
  };
  return { phone: null, call: null, serve: () => ({ reply: json(200, answer), call: null }) };
}

function prepareNumbers(world: World, request: Request): Prepared {
  const [agent] = agentsOf(world.settings, retellAgent);
  const items = lines(world).map(({ number, label }) => ({
    phone_number: number,
    phone_number_type: 'retell-twilio',
    phone_number_pretty: number,
    nickname: label,
    outbound_agents: agent ? [{ agent_id: agent.id, weight: 1 }] : null,
    last_modification_timestamp: since,
  }));
  return serveAccount(world, request, items);
}

/** Without a setting, the cap of a workspace that pays as it goes. */
const usualConcurrency = 20;

function prepareConcurrency(world: World, { key }: Request): Prepared {
  const limit = world.settings.concurrency ?? usualConcurrency;
  const answer = () => ({
    current_concurrency: liveCount(world, key),
    concurrency_limit: limit,
    base_concurrency: limit,
    purchased_concurrency: 0,
    concurrency_purchase_limit: 100,
    remaining_purchase_limit: 100,
    concurrency_burst_enabled: false,
    concurrency_burst_limit: 0,
    reserved_inbound_concurrency: 0,
  });
  return { phone: null, call: null, serve: () => ({ reply: json(200, answer()), call: null }) };
}

const agentFilter = z.strictObject({
  filter_criteria: z.strictObject({ channel: anyObject.optional(), query: z.string().optional() }).optional(),
});

function prepareAgents(world: World, request: Request): Prepared {
  const read = readObject(request.contentType, request.body || '{}');
  const flaws = 'flaws' in read ? read.flaws : holdBody(agentFilter, read.value, world.settings.strict);
  if (flaws.length > 0) return { refused: invalid(flaws) };
  const items = agentsOf(world.settings, retellAgent).map(({ id, name }) => ({
    agent_id: id,
    agent_name: name,
    channel: 'voice',
    tags: {},
    user_modified_timestamp: since,
  }));
  return serveAccount(world, request, items);
}

function lines({ settings }: World) {
  return linesOf(settings, (number) => number);
}
