/** Ultravox: the carrier's part of a create says whom to dial, and a call has no status, only times. */
import { z } from 'zod';
import { agentsOf, isAgent, linesOf, since, uuidOf } from '../account.ts';
import { hasEnded } from '../calls.ts';
import { type Dialect, headerOf, listing, type Prepared, type Request, showing } from '../dialect.ts';
import { cancel, liveCount, place, readWish } from '../placing.ts';
import { json, type Reply, withHeaders } from '../reply.ts';
import {
  anyObject,
  e164,
  type Flaw,
  holdBody,
  isObject,
  type Json,
  readObject,
  readQuery,
  textAt,
  whole,
} from '../shape.ts';
import { iso, listCalls, viewCall } from '../view.ts';
import type { World } from '../world.ts';
import { listMessages, recordingOf, showUltravoxCall, ultravoxAgent } from './ultravox-records.ts';

const duration = z.string().regex(/^-?(?:0|[1-9]\d{0,11})(?:\.\d{1,9})?s$/, 'must be a duration such as 30s');
const phoneCall = z.strictObject({
  outgoing: z.strictObject({ to: e164, from: e164, additionalParams: anyObject.optional() }),
  dtmfHandling: anyObject.optional(),
});
const sipCall = z.strictObject({
  outgoing: z.strictObject({
    to: z.string().regex(/^sips?:\+[1-9]\d{6,14}@[\w.-]+$/, 'must be a SIP URI of a number in E.164 format'),
    from: z.string(),
    username: z.string().optional(),
    password: z.string().optional(),
  }),
});
const callback = z.strictObject({ url: z.string(), secrets: z.array(z.string()).optional() }).optional();

/** Only the ways that dial: a join URL or a socket would need a client to come. */
const medium = z
  .strictObject({
    twilio: phoneCall.optional(),
    telnyx: phoneCall.optional(),
    plivo: phoneCall.optional(),
    exotel: phoneCall.optional(),
    sip: sipCall.optional(),
  })
  .refine((ways) => Object.keys(ways).length === 1, 'needs exactly one way to dial');

const form = z.strictObject({
  medium,
  templateContext: anyObject.optional(),
  metadata: z
    .record(z.string().regex(/^(?!ultravox\.)/, 'must not begin with ultravox.'), z.string())
    .optional(),
  initialMessages: z.array(anyObject).optional(),
  joinTimeout: duration.optional(),
  maxDuration: duration.optional(),
  recordingEnabled: z.boolean().optional(),
  firstSpeakerSettings: z
    .strictObject({ user: anyObject.optional(), agent: anyObject.optional() })
    .refine((ways) => Object.keys(ways).length === 1, 'needs user or agent')
    .optional(),
  initialOutputMedium: z.enum(['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_TEXT']).optional(),
  callbacks: z.strictObject({ joined: callback, ended: callback, billed: callback }).optional(),
  dataConnection: anyObject.optional(),
  experimentalSettings: anyObject.optional(),
  toolOverrides: anyObject.optional(),
  voice: z.string().optional(),
  voiceOverrides: anyObject.optional(),
  retentionPolicy: z.string().optional(),
  sharedSecrets: z.array(z.unknown()).optional(),
});

const page = z.object({ pageSize: whole(1, 100).default(20), cursor: z.string().optional() });
const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/, 'must be a date or an ISO 8601 time')
  .transform((at) => Date.parse(at));
const filters = page.extend({
  agentIds: z.union([z.string(), z.array(z.string())]).optional(),
  fromDate: day.optional(),
  toDate: day.optional(),
  sort: z.enum(['created', '-created']).optional(),
});

export const ultravox: Dialect = {
  base: '/api',
  secrets: (headers) => [headerOf(headers, 'x-api-key')],
  routes: [
    { method: 'POST', path: '/agents/{agent}/calls', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/agents/{agent}/calls', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/calls', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/calls/{id}', operation: 'get', prepare: prepareGet },
    { method: 'GET', path: '/calls/{id}/messages', operation: 'get', prepare: prepareMessages },
    { method: 'GET', path: '/calls/{id}/recording', operation: 'get', prepare: prepareRecording },
    { method: 'POST', path: '/calls/{id}/send_data_message', operation: 'update', prepare: prepareHangUp },
    { method: 'GET', path: '/agents', operation: 'list', prepare: prepareAgents },
    { method: 'GET', path: '/accounts/me', operation: 'list', prepare: prepareAccount },
  ],
  refuse(why, status, text) {
    if (why === 'key' || why === 'no-key') return refuse(401, 'Invalid API key.');
    return refuse(status, why === 'rate' ? 'Request was throttled.' : text);
  },
  spots: {
    id: ['/callId'],
    status: ['/endReason', '/billingStatus'],
    phone: ['sip', 'twilio', 'telnyx', 'plivo', 'exotel'].map((way) => `/medium/${way}/outgoing/to`),
    nobody: '00000000-0000-4000-8000-000000000000',
  },
  newId: (world) => world.newId(),
};

function refuse(status: number, detail: string): Reply {
  return json(status, { detail });
}

/** Errors by field, as Django's framework writes them. */
function invalid(flaws: readonly Flaw[]): Reply {
  if (flaws.some(({ at }) => at.length === 0)) return refuse(400, `Body ${flaws[0]?.text}.`);
  return json(400, Object.fromEntries(flaws.map(({ at, text }) => [at.join('.'), [`This field ${text}.`]])));
}

function phoneOf(body: Json): string | undefined {
  const ways = isObject(body.medium) ? Object.keys(body.medium) : [];
  const to = ways[0] === undefined ? undefined : textAt(body, 'medium', ways[0], 'outgoing', 'to');
  return /\+[1-9]\d{6,14}/.exec(to ?? '')?.[0];
}

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const read = readWish(world, request, { form, phoneAt: phoneOf, invalid, clean: withoutSecrets });
  if ('refusal' in read) return read.refusal;
  const { body, phone } = read;
  const known = { body: withoutSecrets(body), phone };
  const agentId = request.params.agent as string;
  if (!isAgent(settings, agentId)) return { refused: refuse(404, 'Not found.'), ...known };
  const query = readQuery(z.object({ throttle: z.string().optional() }), request.query, settings.strict);
  if ('flaws' in query) return { refused: invalid(query.flaws), ...known };
  const [way] = Object.keys(body.medium as Json) as [string];
  const from = textAt(body, 'medium', way, 'outgoing', 'from') as string;
  if (way !== 'sip' && !linesOf(settings, (number) => number).some(({ number }) => number === from)) {
    return { refused: json(400, { medium: ['The caller is not a number of the account.'] }), ...known };
  }
  if (settings.refused.includes(phone)) {
    return { refused: json(400, { medium: [`${phone} cannot be called.`] }), ...known };
  }
  return place(world, {
    id: ultravox.newId(world),
    key: request.key,
    phone,
    name: textAt(body, 'templateContext', 'name') ?? null,
    agentId,
    from,
    stamp: textAt(body, 'metadata', 'attempt_id') ?? null,
    sent: withoutSecrets(body),
    ringMs: 1000 * Number.parseFloat(textAt(body, 'joinTimeout') ?? '30s'),
    noRoom: withHeaders(refuse(429, 'Too many concurrent calls.'), { 'retry-after': '12' }),
    noCredit: 'ignored',
    answer: (call) => json(201, showUltravoxCall(world, call)),
  });
}

/** The password of a trunk stays out of journal and record. */
function withoutSecrets(body: Json): Json {
  const { medium: ways } = body;
  if (!isObject(ways) || !isObject(ways.sip) || !isObject(ways.sip.outgoing)) return body;
  const { password: _, ...outgoing } = ways.sip.outgoing;
  return { ...body, medium: { ...ways, sip: { ...ways.sip, outgoing } } };
}

const unknown = () => refuse(404, 'Not found.');

function prepareGet(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  return call ? showing(call, () => showUltravoxCall(world, call)) : { refused: unknown() };
}

function prepareMessages(world: World, { params, query, origin }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: unknown() };
  const wanted = page.extend({ mode: z.enum(['last_stage', 'in_call']).optional() });
  const read = readQuery(wanted, query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws), phone: call.phone };
  return showing(call, () =>
    cut(listMessages(world, call), read.value, `${origin}/api/calls/${call.id}/messages`),
  );
}

function prepareRecording(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  const location = call && recordingOf(world, call);
  if (!call || !location) return { refused: unknown() };
  const reply = { status: 302, body: '', headers: { location } };
  return { phone: call.phone, call: call.id, serve: () => ({ reply, call: call.id }) };
}

const message = z.strictObject({ type: z.literal('hang_up'), message: z.string().optional() });

function prepareHangUp(world: World, request: Request): Prepared {
  const call = world.calls.find(request.params.id as string);
  if (!call) return { refused: unknown() };
  const read = readObject(request.contentType, request.body);
  const flaws = 'flaws' in read ? read.flaws : holdBody(message, read.value, world.settings.strict);
  if (flaws.length > 0) return { refused: invalid(flaws), phone: call.phone };
  const { joinedAt } = viewCall(world, call, 0);
  if (joinedAt === null || hasEnded(call, world.timescale.now())) {
    return { refused: refuse(422, 'The call is not joined.'), phone: call.phone };
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

/** A page of a list: its cursor is the place where it begins. */
function cut(
  results: Json[],
  { pageSize, cursor }: { pageSize: number; cursor?: string | undefined },
  path: string,
) {
  const from = Math.max(0, Number(cursor ?? 0) || 0);
  const link = (at: number) => `${path}?cursor=${at}&pageSize=${pageSize}`;
  return {
    next: from + pageSize < results.length ? link(from + pageSize) : null,
    previous: from > 0 ? link(Math.max(0, from - pageSize)) : null,
    results: results.slice(from, from + pageSize),
    total: results.length,
  };
}

function prepareCalls(world: World, request: Request): Prepared {
  const params = new URLSearchParams(request.query);
  const marks = [...params].flatMap(([name, value]) =>
    name.startsWith('metadata.') ? [[name.slice(9), value] as const] : [],
  );
  for (const [name] of marks) params.delete(`metadata.${name}`);
  const read = readQuery(filters, params.toString(), world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const { agentIds, fromDate, toDate, sort, ...paging } = read.value;
  const agents = [agentIds ?? request.params.agent ?? []].flat();
  return listing(() => {
    const found = listCalls(world, { from: fromDate, to: toDate }, ({ agentId, sent }) => {
      if (agents.length > 0 && !agents.includes(agentId)) return false;
      return marks.every(([name, value]) => textAt(sent, 'metadata', name) === value);
    });
    if (sort === 'created') found.reverse();
    return cut(
      found.map((call) => showUltravoxCall(world, call)),
      paging,
      `${request.origin}/api/calls`,
    );
  });
}

function prepareAgents(world: World, request: Request): Prepared {
  const wanted = page.extend({ search: z.string().optional(), sort: z.string().optional() });
  const read = readQuery(wanted, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalid(read.flaws) };
  const agents = agentsOf(world.settings, ultravoxAgent).map(({ id, name }) => ({
    agentId: id,
    publishedRevisionId: null,
    name,
    created: iso(since),
    callTemplate: {},
    statistics: { calls: 0 },
  }));
  return listing(() => cut(agents, read.value, `${request.origin}/api/agents`));
}

function prepareAccount(world: World, { key }: Request): Prepared {
  return listing(() => ({
    accountId: uuidOf('account'),
    name: 'simulated',
    billingUrl: 'https://billing.invalid/',
    freeTimeUsed: '0s',
    freeTimeRemaining: '1800s',
    hasActiveSubscription: true,
    subscriptionTier: 'PAYGO',
    activeCalls: liveCount(world, key),
    allowedConcurrentCalls: world.settings.concurrency,
  }));
}
