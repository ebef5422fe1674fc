/** The four operations of the standard interface. Each is first checked, then carried out in a second step, so that
 * a fault can strike before or after it. */
import { type Call, hasEnded } from '../calls.ts';
import {
  type Problem,
  problem,
  type Read,
  readBody,
  readCreate,
  readPaging,
  readUpdate,
  type Wanted,
} from '../checks.ts';
import { bearerOf, type Dialect, headerOf, type Prepared, type Request } from '../dialect.ts';
import { cancel, isFull, makeCall } from '../placing.ts';
import { showCall, showCreated, tell } from '../record.ts';
import { soundOf } from '../recording.ts';
import { invalid, json, type Reply, refusal } from '../reply.ts';
import type { World } from '../world.ts';

/** The service that Carillon was written for, with the interface of its documentation. */
export const standard: Dialect = {
  base: '/v1',
  secrets: (headers) => [bearerOf(headers), headerOf(headers, 'x-api-key')],
  routes: [
    { method: 'POST', path: '/call', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/phone-number', operation: 'list', prepare: prepareList },
    {
      method: 'GET',
      path: '/call/{id}',
      operation: 'get',
      prepare: (world, request) =>
        withCall(world, request, (call) => ({
          phone: call.phone,
          call: call.id,
          serve: () => ({ reply: json(200, showCall(call, world, baseOf(request))), call: call.id }),
        })),
    },
    { method: 'GET', path: '/recordings/{file}', operation: 'get', prepare: prepareRecording },
    {
      method: 'PATCH',
      path: '/call/{id}',
      operation: 'update',
      prepare: (world, request) => withCall(world, request, (call) => prepareUpdate(world, request, call)),
    },
  ],
  refuse: (why, status, text) =>
    refusal(status, text, why === 'key' || why === 'no-key' ? { 'www-authenticate': 'Bearer' } : undefined),
  spots: {
    id: ['/id'],
    status: ['/status'],
    phone: ['/phone_number'],
    nobody: '00000000-0000-4000-8000-000000000000',
  },
  newId: (world) => world.newId(),
};

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
      const { agentId, phone, name, fromId, fromNumber } = read.value;
      const from = fromNumber ?? fromId ?? null;
      const call = makeCall(world, standard.newId(world), request.key, { agentId, phone, name, from });
      return { reply: json(settings.createStatus, showCreated(call, world)), call: call.id };
    },
  };
}

/** Refuses a well-formed create that cannot be carried out: agent, caller, credit or calls at once. */
function refuseCreate(world: World, key: number, wanted: Wanted): Reply | undefined {
  const { agents, unknownAgents } = world.settings;
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
  // Retry-After is left out, because the end of a call cannot be predicted.
  if (isFull(world, key)) return refusal(429, 'Too many calls at once');
  return undefined;
}

function baseOf({ origin }: Request): string {
  return origin + standard.base;
}

function prepareRecording(world: World, request: Request): Prepared {
  const call = world.calls.find((request.params.file as string).replace(/\.wav$/, ''));
  const { recording_url: link = null, duration } = call ? showCall(call, world, '') : {};
  if (!call || link === null) return { refused: refusal(404, 'Recording not found') };
  const { transcript } = tell(call, world, duration ?? 0);
  return {
    phone: call.phone,
    call: call.id,
    serve: () => ({
      reply: {
        status: 200,
        body: soundOf(transcript ?? '', duration ?? 0),
        headers: { 'content-type': 'audio/wav' },
      },
      call: call.id,
    }),
  };
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
      return { reply: json(200, showCall(call, world, baseOf(request))), call: call.id };
    },
  };
}

function prepareList(world: World, { query }: Request): Prepared {
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

function withCall(world: World, { params }: Request, found: (call: Call) => Prepared): Prepared {
  const call = world.calls.find(params.id as string);
  return call ? found(call) : { refused: refusal(404, 'Call not found') };
}

function chain<A, B>(first: Read<A>, then: (value: A) => Read<B>): Read<B> | { problems: Problem[] } {
  return 'problems' in first ? first : then(first.value);
}
