/** The four operations of the interface. Each is first checked, then carried out in a second step, so that a
 * fault can strike before or after it. */

import { type Call, hasEnded, talkedSeconds } from './calls.ts';
import {
  type Problem,
  problem,
  type Read,
  readBody,
  readCreate,
  readPaging,
  readUpdate,
  type Wanted,
} from './checks.ts';
import { decideScript } from './fates.ts';
import type { Operation, Traits } from './faults.ts';
import { costOf, showCall, showCreated } from './record.ts';
import { invalid, json, type Reply, refusal } from './reply.ts';
import type { World } from './world.ts';

export type Route = { operation: Operation; id: string };
export type Request = Route & { key: number; contentType: string | undefined; query: string; body: string };

/** The effect that a request would have: `serve` brings it about, and is called at most once. */
export type Ready = { phone: string | null; call: string | null; body?: Body; serve(): Served };
export type Served = { reply: Reply; call: string | null };
export type Prepared = { refused: Reply; phone?: string; body?: Body } | Ready;
/** The body of a create, where it tells the agent more than whom to call and from where. */
type Body = Record<string, unknown> | null;

/** The operation for a method and a path below /v1, or a refusal if there is none. */
export function findRoute(method: string, path: string): Route | Reply {
  if (path === '/call') return method === 'POST' ? { operation: 'create', id: '' } : notAllowed('POST');
  if (path === '/phone-number') return method === 'GET' ? { operation: 'list', id: '' } : notAllowed('GET');
  const id = path.startsWith('/call/') ? path.slice(6) : '';
  if (!id || id.includes('/')) return refusal(404, 'Not found');
  if (method === 'GET') return { operation: 'get', id };
  return method === 'PATCH' ? { operation: 'update', id } : notAllowed('GET, PATCH');
}

export function prepare(world: World, request: Request): Prepared {
  switch (request.operation) {
    case 'create':
      return prepareCreate(world, request);
    case 'get':
      return withCall(world, request.id, (call) => ({
        phone: call.phone,
        call: call.id,
        serve: () => ({ reply: json(200, showCall(call, world)), call: call.id }),
      }));
    case 'update':
      return withCall(world, request.id, (call) => prepareUpdate(world, request, call));
    case 'list':
      return prepareList(world, request.query);
  }
}

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const body = readBody(request.contentType, request.body);
  if ('problems' in body) return { refused: invalid(body.problems) };
  const read = readCreate(body.value, settings);
  const given = body.value[settings.customer.field] as Record<string, unknown> | null | undefined;
  const heard = given?.[settings.customer.phone];
  const { variables } = settings.customer;
  const tellsMore = settings.override in body.value || (variables !== null && variables in (given ?? {}));
  const sent = { body: tellsMore ? body.value : null };
  // The journal names the phone of a refused request too, if it can be read.
  const known = typeof heard === 'string' ? { ...sent, phone: heard } : sent;
  if ('problems' in read) return { refused: invalid(read.problems), ...known };
  const refused = refuseCreate(world, request.key, read.value);
  if (refused) return { refused, ...known };
  return {
    ...sent,
    phone: read.value.phone,
    call: null,
    serve() {
      const call = makeCall(world, request.key, read.value);
      return { reply: json(settings.createStatus, showCreated(call, world)), call: call.id };
    },
  };
}

/** Refuses a well-formed create that cannot be carried out: agent, caller, credit or calls at once. */
function refuseCreate(world: World, key: number, wanted: Wanted): Reply | undefined {
  const { agents, unknownAgents, concurrency } = world.settings;
  const { agentId, fromId, fromNumber } = wanted;
  const known = agents === 'any' ? !unknownAgents.includes(agentId) : agents.includes(agentId);
  if (!known) return refusal(404, 'Agent not found');
  if (fromId !== undefined && !world.numbers.some((number) => number.id === fromId)) {
    return refusal(404, 'Phone number not found');
  }
  if (fromNumber !== undefined && !world.numbers.some((number) => number.phone_number === fromNumber)) {
    const msg = 'Value is not one of the phone numbers of the organization';
    return invalid([problem(['body', 'from_number'], msg, 'value_error', fromNumber)]);
  }
  if (!world.credits.suffices()) return refusal(402, 'Insufficient credits');
  const atOnce = world.calls.ofKey(world.timescale.now(), key).inFlight;
  // Without Retry-After: the end of a call cannot be predicted.
  if (concurrency !== null && atOnce >= concurrency) return refusal(429, 'Too many calls at once');
  return undefined;
}

function makeCall(world: World, key: number, { agentId, phone, name }: Wanted): Call {
  const { seed, shares, phones, endings } = world.settings;
  const fortune = { seed, shares, forced: { phones, endings } };
  const script = decideScript(fortune, phone, world.calls.timesCalled(phone));
  const traits: Traits = world.faults.traits(phone);
  const createdAt = world.timescale.now();
  const call = world.calls.add({
    id: world.newId(),
    phone,
    name,
    agentId,
    key,
    createdAt,
    ...script,
    ...traits,
  });
  world.credits.charge(costOf(Math.ceil(call.talkMs / 1000), world.settings));
  return call;
}

function prepareUpdate(world: World, request: Request, call: Call): Prepared {
  const read = chain(readBody(request.contentType, request.body), (body) =>
    readUpdate(body, world.settings.strict),
  );
  if ('problems' in read) return { refused: invalid(read.problems), phone: call.phone };
  const { metadata, status } = read.value;
  if (status !== undefined) {
    const canceled = ['canceled', 'cancelled', world.settings.statuses.canceled].includes(status);
    const ended = hasEnded(call, world.timescale.now());
    if (!canceled || ended) {
      const msg = canceled ? 'The call has already ended' : 'A call can only be set to canceled';
      const refused = invalid([problem(['body', 'status'], msg, 'value_error', status)]);
      return { refused, phone: call.phone };
    }
  }
  return {
    phone: call.phone,
    call: call.id,
    serve() {
      if (metadata) call.metadata = { ...call.metadata, ...metadata };
      if (status !== undefined) cancel(world, call);
      call.patchedAt = world.clock.now();
      return { reply: json(200, showCall(call, world)), call: call.id };
    },
  };
}

function cancel(world: World, call: Call): void {
  const planned = costOf(Math.ceil(call.talkMs / 1000), world.settings);
  const now = world.timescale.now();
  // It may have ended while the checks ran, and an ended call does not change.
  if (hasEnded(call, now)) return;
  world.calls.cancel(call, now);
  world.credits.refund(planned - costOf(talkedSeconds(call, now), world.settings));
}

function prepareList(world: World, query: string): Prepared {
  const read = readPaging(query);
  if ('problems' in read) return { refused: invalid(read.problems) };
  const { limit, offset } = read.value;
  return {
    phone: null,
    call: null,
    serve() {
      return { reply: json(200, world.numbers.slice(offset, offset + limit)), call: null };
    },
  };
}

function withCall(world: World, id: string, found: (call: Call) => Prepared): Prepared {
  const call = world.calls.find(id);
  return call ? found(call) : { refused: refusal(404, 'Call not found') };
}

function chain<A, B>(first: Read<A>, then: (value: A) => Read<B>): Read<B> | { problems: Problem[] } {
  return 'problems' in first ? first : then(first.value);
}

function notAllowed(allow: string): Reply {
  return refusal(405, 'Method not allowed', { allow });
}
