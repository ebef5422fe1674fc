/** Vapi: it accepts a call that it has no room for, and reports outcomes by hundreds of reasons. */
import { isAgent, linesOf, since, uuidOf } from '../account.ts';
import { type Call, hasEnded } from '../calls.ts';
import { bearerOf, type Dialect, type Prepared, type Request } from '../dialect.ts';
import { cancel, isFull, place } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import { e164, type Flaw, holdBody, type Json, readObject, readQuery, textAt } from '../shape.ts';
import { listCalls, viewCall } from '../view.ts';
import type { World } from '../world.ts';
import { isWithin, vapiCommand, vapiCreate, vapiFilters, vapiPage } from './vapi-forms.ts';
import { listAgents, listNumbers, showVapiCall } from './vapi-records.ts';

export const vapi: Dialect = {
  base: '',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/call', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/call', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/call/{id}', operation: 'get', prepare: prepareGet },
    {
      method: 'POST',
      path: '/monitor/{id}/control',
      operation: 'update',
      open: true,
      prepare: prepareHangUp,
    },
    {
      method: 'GET',
      path: '/phone-number',
      operation: 'list',
      prepare: (world, request) => prepareAccount(world, request, listNumbers),
    },
    {
      method: 'GET',
      path: '/assistant',
      operation: 'list',
      prepare: (world, request) => prepareAccount(world, request, listAgents),
    },
  ],
  refuse(why, status, text) {
    if (why === 'key' || why === 'no-key') {
      const tip = 'you may be using the private key instead of the public key, or vice versa.';
      return refuse(401, `Invalid Key. Hot tip, ${tip}`);
    }
    return refuse(status, why === 'rate' ? 'Rate limit exceeded' : text);
  },
  spots: {
    id: ['/id'],
    status: ['/status'],
    phone: ['/customer/number'],
    nobody: '00000000-0000-4000-8000-000000000000',
  },
  newId: (world) => world.newId(),
};

const words: Partial<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
};

function refuse(statusCode: number, message: string | string[]): Reply {
  const error = words[statusCode];
  return json(statusCode, { message, ...(error && { error }), statusCode });
}

function invalid(flaws: readonly Flaw[]): Reply {
  return refuse(
    400,
    flaws.map(({ at, kind, wanted, text }) => {
      const path = at.join('.');
      if (kind === 'extra') {
        const holder = at.slice(0, -1).join('.');
        return `${holder ? `${holder}.` : ''}property ${at.at(-1)} should not exist`;
      }
      if (kind === 'long') return `${path} must be shorter than or equal to ${wanted} characters`;
      if (kind === 'short') return `${path} must be longer than or equal to ${wanted} characters`;
      return `${path || 'body'} ${text}`;
    }),
  );
}

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const read = readObject(request.contentType, request.body);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const body = read.value;
  const phone = textAt(body, 'customer', 'number');
  const known = phone === undefined ? { body } : { body, phone };
  const flaws = holdBody(vapiCreate, body, settings.strict);
  if (flaws.length > 0) return { refused: invalid(flaws), ...known };
  const refused = refuseCreate(world, body, phone);
  if (refused !== undefined || phone === undefined) {
    return { refused: refused ?? refuse(400, 'No customer'), ...known };
  }
  const { assistantId, phoneNumberId } = body as { assistantId?: string; phoneNumberId?: string };
  const { inFlight } = world.calls.ofKey(world.timescale.now(), request.key);
  const blocked = isFull(world, request.key);
  const cap = settings.concurrency ?? 1000;
  const remaining = Math.max(0, cap - inFlight - (blocked ? 0 : 1));
  return place(world, {
    id: vapi.newId(world),
    key: request.key,
    phone,
    name: textAt(body, 'customer', 'name') ?? null,
    agentId: assistantId ?? '',
    from: phoneNumberId ?? null,
    stamp: textAt(body, 'name') ?? textAt(body, 'customer', 'externalId') ?? null,
    sent: body,
    noRoom: settings.blocked === 'rings' ? 'waits' : 'record',
    noCredit: 'record',
    answer: (call) =>
      json(201, {
        subscriptionLimits: {
          concurrencyBlocked: blocked && call.undialled !== 'no-credit',
          concurrencyLimit: cap,
          remainingConcurrentCalls: remaining,
        },
        ...showVapiCall(world, call, request.origin),
      }),
  });
}

/** Refuses what has the right form and still cannot be dialled: something is missing, unknown or not simulated. */
function refuseCreate(world: World, body: Json, phone: string | undefined): Reply | undefined {
  const { settings } = world;
  for (const field of [
    'customers',
    'schedulePlan',
    'customerId',
    'squadId',
    'squad',
    'workflowId',
    'workflow',
  ]) {
    if (field in body) return refuse(400, `The simulator does not do \`${field}\`.`);
  }
  const agent = textAt(body, 'assistantId');
  if (agent === undefined && body.assistant === undefined) {
    return refuse(400, 'Need Either `assistantId`, `assistant`, `squadId`, Or `squad`.');
  }
  const line = textAt(body, 'phoneNumberId');
  if (line === undefined && body.phoneNumber === undefined) {
    return refuse(400, "Couldn't Get Phone Number. Need Either `phoneNumberId` Or `phoneNumber`.");
  }
  if (phone === undefined) return refuse(400, "Couldn't Get Customer. Need `customer.number`.");
  const { customer } = body as { customer: Json };
  if (customer.numberE164CheckEnabled !== false && !e164.safeParse(phone).success) {
    const tip = 'Hot tip, you may be missing the country code (Eg. US: +1).';
    return refuse(400, [`customer.number must be a valid phone number in the E.164 format. ${tip}`]);
  }
  if (settings.refused.includes(phone)) return refuse(400, 'This customer number cannot be called.');
  if (agent !== undefined && !isAgent(settings, agent)) {
    return refuse(400, `Couldn't Get Assistant. No assistant has the id ${agent}.`);
  }
  if (line !== undefined && !vapiLines(world).some(({ id }) => id === line)) {
    return refuse(400, `Couldn't Get Phone Number. No phone number has the id ${line}.`);
  }
  return undefined;
}

function prepareGet(world: World, request: Request): Prepared {
  return withCall(world, request, (call) => ({
    phone: call.phone,
    call: call.id,
    serve: () => ({ reply: json(200, showVapiCall(world, call, request.origin)), call: call.id }),
  }));
}

function prepareCalls(world: World, request: Request): Prepared {
  const read = readQuery(vapiFilters, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { id, assistantId, phoneNumberId, limit, ...wanted } = read.value;
  return {
    phone: null,
    call: null,
    serve() {
      const calls = listCalls(world, { from: wanted.createdAtGe ?? wanted.createdAtGt }, (call) => {
        if (id !== undefined && call.id !== id) return false;
        if (assistantId !== undefined && call.agentId !== assistantId) return false;
        if (phoneNumberId !== undefined && call.from !== phoneNumberId) return false;
        const { createdAt, updatedAt } = viewCall(world, call, 0);
        return isWithin(createdAt, 'createdAt', wanted) && isWithin(updatedAt, 'updatedAt', wanted);
      });
      const shown = calls.slice(0, limit).map((call) => showVapiCall(world, call, request.origin));
      return { reply: json(200, shown), call: null };
    },
  };
}

function prepareHangUp(world: World, request: Request): Prepared {
  return withCall(world, request, (call) => {
    const read = readObject(request.contentType, request.body);
    const flaws = 'flaws' in read ? read.flaws : holdBody(vapiCommand, read.value, world.settings.strict);
    if (flaws.length > 0) return { refused: invalid(flaws), phone: call.phone };
    if (hasEnded(call, world.timescale.now())) {
      return { refused: refuse(404, 'Call is not live'), phone: call.phone };
    }
    return {
      phone: call.phone,
      call: call.id,
      serve() {
        cancel(world, call);
        return { reply: json(200, {}), call: call.id };
      },
    };
  });
}

function prepareAccount(world: World, request: Request, list: (world: World) => Json[]): Prepared {
  const read = readQuery(vapiPage, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { limit, ...wanted } = read.value;
  return {
    phone: null,
    call: null,
    serve: () => ({
      reply: json(200, isWithin(since, 'createdAt', wanted) ? list(world).slice(0, limit) : []),
      call: null,
    }),
  };
}

function withCall(world: World, { params }: Request, found: (call: Call) => Prepared): Prepared {
  const call = world.calls.find(params.id as string);
  return call ? found(call) : { refused: refuse(404, 'Call not found') };
}

function vapiLines({ settings }: World) {
  return linesOf(settings, (number) => uuidOf('line', number));
}
