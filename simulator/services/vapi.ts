/** Vapi: it accepts a call that it has no room for, and reports outcomes by hundreds of reasons. */
import { agentsOf, isAgent, linesOf, since, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import {
  bearerOf,
  type Dialect,
  listingBy,
  ofCall,
  type Prepared,
  type Request,
  showsCall,
} from '../dialect.ts';
import { hangingUp, isFull, type Order, placeCall } from '../placing.ts';
import { createStream, pick } from '../random.ts';
import { json, type Reply } from '../reply.ts';
import { e164, type Flaw, holdBody, type Json, readObject, textAt } from '../shape.ts';
import { iso, listCalls, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';
import { vapiCommand, vapiCreate, vapiFilters, vapiPage } from './vapi-forms.ts';

export const vapi: Dialect = {
  base: '',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/call', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/call', operation: 'calls', prepare: prepareCalls },
    showsCall('/call/{id}', () => unknown, showCall),
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
      prepare: (world, request) => prepareAccount(world, request, listNumbers(world)),
    },
    {
      method: 'GET',
      path: '/assistant',
      operation: 'list',
      prepare: (world, request) => prepareAccount(world, request, listAgents(world)),
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

const unknown = refuse(404, 'Call not found');

function invalid(flaws: readonly Flaw[]): Reply {
  if (flaws.length === 0) return refuse(400, "Couldn't Get Customer. Need `customer.number`.");
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
  return placeCall(world, request, {
    form: vapiCreate,
    phoneAt: ['customer', 'number'],
    invalid,
    order: (body, phone) => refuseCreate(world, body, phone) ?? orderOf(world, request, body),
  });
}

/** Refuses what has the right form and still cannot be dialled: something is missing or unknown. */
function refuseCreate(world: World, body: Json, phone: string): Reply | undefined {
  const { settings } = world;
  const agent = textAt(body, 'assistantId');
  if (agent === undefined && body.assistant === undefined) {
    return refuse(400, 'Need Either `assistantId`, `assistant`, `squadId`, Or `squad`.');
  }
  const line = textAt(body, 'phoneNumberId');
  if (line === undefined && body.phoneNumber === undefined) {
    return refuse(400, "Couldn't Get Phone Number. Need Either `phoneNumberId` Or `phoneNumber`.");
  }
  const { customer } = body as { customer: Json };
  if (customer.numberE164CheckEnabled !== false && !e164.safeParse(phone).success) {
    const tip = 'Hot tip, you may be missing the country code (Eg. US: +1).';
    return refuse(400, [`customer.number must be a valid phone number in the E.164 format. ${tip}`]);
  }
  if (settings.refused.includes(phone)) return refuse(400, 'This customer number cannot be called.');
  if (agent !== undefined && !isAgent(settings, agent)) {
    return refuse(400, `Couldn't Get Assistant. No assistant has the id ${agent}.`);
  }
  if (line !== undefined && !linesOf(settings, lineId).some(({ id }) => id === line)) {
    return refuse(400, `Couldn't Get Phone Number. No phone number has the id ${line}.`);
  }
  return undefined;
}

function orderOf(world: World, request: Request, body: Json): Order {
  const { concurrency, blocked } = world.settings;
  const { inFlight } = world.calls.ofKey(world.timescale.now(), request.key);
  const isBlocked = isFull(world, request.key);
  const cap = concurrency ?? 1000;
  const remaining = Math.max(0, cap - inFlight - (isBlocked ? 0 : 1));
  return {
    id: vapi.newId(world),
    name: textAt(body, 'customer', 'name'),
    agentId: textAt(body, 'assistantId') ?? '',
    from: textAt(body, 'phoneNumberId'),
    stamp: textAt(body, 'name') ?? textAt(body, 'customer', 'externalId'),
    noRoom: blocked === 'rings' ? 'waits' : 'record',
    noCredit: 'record',
    answer: (call) =>
      json(201, {
        subscriptionLimits: {
          concurrencyBlocked: isBlocked && call.undialled !== 'no-credit',
          concurrencyLimit: cap,
          remainingConcurrentCalls: remaining,
        },
        ...showCall(world, call, request),
      }),
  };
}

function prepareCalls(world: World, request: Request): Prepared {
  return listingBy(world, request, { form: vapiFilters, invalid }, ({ assistantId, limit, ...times }) =>
    listCalls(
      world,
      { from: times.createdAtGe },
      (call) =>
        (assistantId ?? call.agentId) === call.agentId && isWithin(viewCall(world, call, 0).createdAt, times),
    )
      .slice(0, limit)
      .map((call) => showCall(world, call, request)),
  );
}

function prepareHangUp(world: World, request: Request): Prepared {
  return ofCall(world, request, unknown, (call) => {
    const read = readObject(request.contentType, request.body);
    const flaws = 'flaws' in read ? read.flaws : holdBody(vapiCommand, read.value, world.settings.strict);
    if (flaws.length > 0) return { refused: invalid(flaws), phone: call.phone };
    return hangingUp(world, call, refuse(404, 'Call is not live'), json(200, {}));
  });
}

function prepareAccount(world: World, request: Request, all: Json[]): Prepared {
  return listingBy(world, request, { form: vapiPage, invalid }, ({ limit, ...times }) =>
    isWithin(since, times) ? all.slice(0, limit) : [],
  );
}

type Times = { createdAtGe?: number | undefined; createdAtLt?: number | undefined };

function isWithin(at: number, { createdAtGe: from = 0, createdAtLt: until = Infinity }: Times): boolean {
  // Times on the wire have whole milliseconds.
  const time = Date.parse(iso(at));
  return time >= from && time < until;
}

/** Transcript, recording, analysis and cost come this much later than the end, in simulated time. */
const laterMs = 8_000;

const statuses = { queued: 'queued', ringing: 'ringing', talking: 'in-progress', ended: 'ended' } as const;

const reasons: Record<NonNullable<View['outcome']>, readonly string[]> = {
  answered: ['customer-ended-call', 'assistant-ended-call', 'silence-timed-out'],
  'no-answer': ['customer-did-not-answer'],
  voicemail: ['voicemail'],
  busy: ['customer-busy'],
  invalid: ['twilio-reported-customer-misdialed'],
  failed: [
    'call.in-progress.error-providerfault-outbound-sip-503-service-unavailable',
    'twilio-failed-to-connect-call',
  ],
  dropped: ['pipeline-error-openai-llm-failed', 'call.in-progress.error-vapifault-worker-died'],
  canceled: ['manually-canceled'],
  'no-room': ['call.start.error-subscription-concurrency-limit-reached'],
  'no-credit': ['call.start.error-subscription-insufficient-credits'],
};

function showCall(world: World, call: Call, { origin }: Request): Json {
  const view = viewCall(world, call, laterMs);
  const { phase, outcome, joinedAt, endedAt, cost } = view;
  const draw = createStream(world.settings.seed, call.phone, call.nth, 'reason');
  const { assistant, phoneNumber, name, customer, assistantOverrides, transport } = call.sent;
  return {
    id: call.id,
    orgId: world.orgId,
    type: 'outboundPhoneCall',
    status: statuses[phase],
    createdAt: iso(view.createdAt),
    updatedAt: iso(view.updatedAt),
    // What the create gave is repeated; the rest is left out.
    ...{ name, assistant, assistantId: call.sent.assistantId, assistantOverrides },
    ...{ phoneNumber, phoneNumberId: call.sent.phoneNumberId, customer, transport },
    phoneCallProvider: 'twilio',
    monitor: { controlUrl: `${origin}/monitor/${call.id}/control` },
    cost: cost ?? 0,
    ...(outcome !== null && { endedReason: pick(draw, reasons[outcome]) }),
    ...(joinedAt !== null && { startedAt: iso(joinedAt) }),
    ...(endedAt !== null && { endedAt: iso(endedAt) }),
    ...(cost !== undefined && { costBreakdown: { total: cost } }),
    ...tellResults(view),
  };
}

function tellResults({ told, call }: View): Json {
  if (!told?.transcript) return {};
  const url = `https://storage.invalid/${call.id}`;
  return {
    artifact: {
      transcript: told.transcript.replace(/^Agent:/gm, 'AI:').replace(/^Customer:/gm, 'User:'),
      recording: { stereoUrl: `${url}-stereo.wav`, mono: { combinedUrl: `${url}-mono.wav` } },
    },
    analysis: {
      summary: `A talk of ${told.transcript.split('\n').length} turns.`,
      ...(told.data && { structuredData: told.data }),
      successEvaluation: String(told.data?.interested ?? false),
    },
  };
}

const lineId = (number: string) => uuidOf('line', number);

function listNumbers({ settings, orgId }: World): Json[] {
  return linesOf(settings, lineId).map(({ id, number, label: name }) => ({
    id,
    orgId,
    provider: 'twilio',
    number,
    name,
    status: 'active',
    createdAt: iso(since),
  }));
}

function listAgents({ settings, orgId }: World): Json[] {
  return agentsOf(settings, (nth) => uuidOf('assistant', nth)).map(({ id, name }) => ({
    id,
    orgId,
    name,
    createdAt: iso(since),
  }));
}
