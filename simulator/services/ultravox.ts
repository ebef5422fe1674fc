/** Ultravox: the carrier's part of a create says whom to dial, and a call has no status, only times. */
import { z } from 'zod';
import { agentsOf, isAgent, linesOf, nameOf, since, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import {
  answering,
  type Dialect,
  headerOf,
  listing,
  listingBy,
  ofCall,
  type Prepared,
  type Request,
  showsCall,
} from '../dialect.ts';
import { hangingUp, liveCount, placeCall } from '../placing.ts';
import { json, type Reply, withHeaders } from '../reply.ts';
import {
  anyObject,
  e164,
  type Flaw,
  holdBody,
  isObject,
  type Json,
  optional,
  readObject,
  textAt,
  whole,
} from '../shape.ts';
import { iso, listCalls, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

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

/** Only the ways that dial: a join URL or a socket would need a client to come. */
const medium = z
  .strictObject({
    ...optional(phoneCall, 'twilio', 'telnyx', 'plivo', 'exotel'),
    sip: sipCall.optional(),
  })
  .refine((ways) => Object.keys(ways).length === 1, 'needs exactly one way to dial');

const form = z.strictObject({
  medium,
  ...optional(anyObject, 'templateContext', 'dataConnection', 'experimentalSettings', 'toolOverrides'),
  ...optional(anyObject, 'voiceOverrides', 'callbacks'),
  ...optional(duration, 'joinTimeout', 'maxDuration'),
  ...optional(z.string(), 'voice', 'retentionPolicy'),
  metadata: z
    .record(z.string().regex(/^(?!ultravox\.)/, 'must not begin with ultravox.'), z.string())
    .optional(),
  initialMessages: z.array(anyObject).optional(),
  recordingEnabled: z.boolean().optional(),
  firstSpeakerSettings: z
    .strictObject(optional(anyObject, 'user', 'agent'))
    .refine((ways) => Object.keys(ways).length === 1, 'needs user or agent')
    .optional(),
  initialOutputMedium: z.enum(['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_TEXT']).optional(),
  sharedSecrets: z.array(z.unknown()).optional(),
});

const page = z.object({ pageSize: whole(1, 100).default(20), cursor: z.string().optional() });
const filters = page.extend({ 'metadata.attempt_id': z.string().optional() });

export const ultravox: Dialect = {
  base: '/api',
  secrets: (headers) => [headerOf(headers, 'x-api-key')],
  routes: [
    { method: 'POST', path: '/agents/{agent}/calls', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/calls', operation: 'calls', prepare: prepareCalls },
    showsCall('/calls/{id}', () => unknown, showCall),
    { method: 'GET', path: '/calls/{id}/messages', operation: 'get', prepare: prepareMessages },
    { method: 'GET', path: '/calls/{id}/recording', operation: 'get', prepare: prepareRecording },
    { method: 'POST', path: '/calls/{id}/send_data_message', operation: 'update', prepare: prepareHangUp },
    { method: 'GET', path: '/agents', operation: 'list', prepare: prepareAgents },
    {
      method: 'GET',
      path: '/accounts/me',
      operation: 'list',
      prepare: (world, { key }) => listing(() => ({ activeCalls: liveCount(world, key) })),
    },
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
  return placeCall(world, request, {
    form,
    phoneAt: phoneOf,
    invalid,
    kept: withoutSecrets,
    order(body, phone) {
      const agentId = request.params.agent as string;
      if (!isAgent(settings, agentId)) return unknown;
      const [way] = Object.keys(body.medium as Json) as [string];
      const from = textAt(body, 'medium', way, 'outgoing', 'from') as string;
      if (way !== 'sip' && !linesOf(settings, (number) => number).some(({ number }) => number === from))
        return json(400, { medium: ['The caller is not a number of the account.'] });
      if (settings.refused.includes(phone)) return json(400, { medium: [`${phone} cannot be called.`] });
      return {
        id: ultravox.newId(world),
        name: textAt(body, 'templateContext', 'name'),
        agentId,
        from,
        stamp: textAt(body, 'metadata', 'attempt_id'),
        ringMs: 1000 * Number.parseFloat(textAt(body, 'joinTimeout') ?? '30s'),
        noRoom: withHeaders(refuse(429, 'Too many concurrent calls.'), { 'retry-after': '12' }),
        noCredit: 'ignored',
        answer: (call) => json(201, showCall(world, call)),
      };
    },
  });
}

/** The password of a trunk stays out of journal and record. */
function withoutSecrets(body: Json): Json {
  const { medium: ways } = body;
  if (!isObject(ways) || !isObject(ways.sip) || !isObject(ways.sip.outgoing)) return body;
  const { password: _, ...outgoing } = ways.sip.outgoing;
  return { ...body, medium: { ...ways, sip: { ...ways.sip, outgoing } } };
}

const unknown = refuse(404, 'Not found.');

function prepareMessages(world: World, request: Request): Prepared {
  const link = `${request.origin}/api/calls/${request.params.id}/messages`;
  return ofCall(world, request, unknown, (call) => ({
    ...listingBy(world, request, { form: page, invalid }, (query) =>
      cut(listMessages(world, call), query, link),
    ),
    phone: call.phone,
    call: call.id,
  }));
}

function prepareRecording(world: World, request: Request): Prepared {
  return ofCall(world, request, unknown, (call) => {
    const { told } = viewCall(world, call, 0);
    if (call.sent.recordingEnabled !== true || !told?.transcript) return { refused: unknown };
    const headers = { location: `https://recordings.invalid/${call.id}.wav` };
    return answering(call, () => ({ status: 302, body: '', headers }));
  });
}

const message = z.strictObject({ type: z.literal('hang_up'), message: z.string().optional() });

function prepareHangUp(world: World, request: Request): Prepared {
  return ofCall(world, request, unknown, (call) => {
    const read = readObject(request.contentType, request.body);
    const flaws = 'flaws' in read ? read.flaws : holdBody(message, read.value, world.settings.strict);
    if (flaws.length > 0) return { refused: invalid(flaws), phone: call.phone };
    const refused = refuse(422, 'The call is not joined.');
    if (viewCall(world, call, 0).joinedAt === null) return { refused, phone: call.phone };
    return hangingUp(world, call, refused, { status: 204, body: '', headers: {} });
  });
}

/** A page of a list: its cursor is the place where it begins. */
function cut(results: Json[], { pageSize, cursor }: z.output<typeof page>, path: string) {
  const from = Math.max(0, Number(cursor ?? 0) || 0);
  const until = from + pageSize;
  const next = until < results.length ? `${path}?cursor=${until}&pageSize=${pageSize}` : null;
  return { next, results: results.slice(from, until), total: results.length };
}

function prepareCalls(world: World, request: Request): Prepared {
  return listingBy(world, request, { form: filters, invalid }, (query) => {
    const wanted = query['metadata.attempt_id'];
    const found = listCalls(world, {}, ({ stamp }) => wanted === undefined || stamp === wanted);
    const calls = found.map((call) => showCall(world, call));
    return cut(calls, query, `${request.origin}/api/calls`);
  });
}

function prepareAgents(world: World, request: Request): Prepared {
  const agents = agentsOf(world.settings, agentIdOf).map(({ id, name }) => ({
    agentId: id,
    name,
    created: iso(since),
  }));
  return listingBy(world, request, { form: page, invalid }, (query) =>
    cut(agents, query, `${request.origin}/api/agents`),
  );
}

/** Billing and summary come this much later than the end, in simulated time; messages are final at the end. */
const laterMs = 15_000;

const agentIdOf = (nth: number) => uuidOf('ultravox', nth);

type Ended = { reason: string; sip: string };
const ends: Record<NonNullable<View['outcome']>, Ended> = {
  answered: { reason: 'hangup', sip: 'NORMAL' },
  voicemail: { reason: 'agent_hangup', sip: 'NORMAL' },
  'no-answer': { reason: 'unjoined', sip: 'TIMEOUT' },
  busy: { reason: 'unjoined', sip: 'BUSY' },
  invalid: { reason: 'unjoined', sip: 'INVALID_NUMBER' },
  failed: { reason: 'unjoined', sip: 'DESTINATION_UNAVAILABLE' },
  dropped: { reason: 'system_error', sip: 'NORMAL' },
  canceled: { reason: 'agent_hangup', sip: 'NORMAL' },
  'no-room': { reason: 'system_error', sip: 'UNKNOWN' },
  'no-credit': { reason: 'system_error', sip: 'UNKNOWN' },
};

/** Billed in steps of six seconds. */
const billed = (ms: number) => `${Math.ceil(ms / 6000) * 6}s`;

function showCall(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const { outcome, joinedAt, endedAt, told, cost, talkedMs } = view;
  const { sent } = call;
  const end = outcome === null ? undefined : ends[outcome];
  const isBilled = cost !== undefined;
  const summary = told?.transcript ? `A talk of ${turnsOf(told).length} turns.` : null;
  const isSip = 'sip' in (sent.medium as Json);
  return {
    callId: call.id,
    created: iso(view.createdAt),
    joined: joinedAt === null ? null : iso(joinedAt),
    ended: endedAt === null ? null : iso(endedAt),
    endReason: end?.reason ?? null,
    billedDuration: isBilled ? billed(talkedMs) : null,
    billingStatus: `BILLING_STATUS_${isBilled ? (talkedMs > 0 ? 'BILLED' : 'FREE_ZERO_EFFECTIVE_DURATION') : 'PENDING'}`,
    firstSpeakerSettings: sent.firstSpeakerSettings ?? { agent: {} },
    joinTimeout: sent.joinTimeout ?? '30s',
    maxDuration: sent.maxDuration ?? '3600s',
    medium: sent.medium,
    recordingEnabled: sent.recordingEnabled ?? false,
    summary,
    agent: { agentId: call.agentId, name: nameOf(world.settings, agentIdOf, call.agentId) },
    agentId: call.agentId,
    metadata: sent.metadata ?? {},
    sipDetails: isSip
      ? {
          // A trunk is billed while it rings, too.
          billedDuration: isBilled ? billed(talkedMs + call.ringMs) : null,
          terminationReason: end ? `SIP_TERMINATION_${end.sip}` : null,
        }
      : null,
  };
}

function listMessages(world: World, call: Call): Json[] {
  const view = viewCall(world, call, 0);
  const messages: Json[] = turnsOf(view.told).map(({ role, text }) => ({
    role: role === 'agent' ? 'MESSAGE_ROLE_AGENT' : 'MESSAGE_ROLE_USER',
    text,
    medium: 'MESSAGE_MEDIUM_VOICE',
  }));
  // The only sign of a voicemail is the tool that the agent used.
  if (view.outcome === 'voicemail' && view.told) {
    messages.push({
      role: 'MESSAGE_ROLE_TOOL_CALL',
      toolName: 'leaveVoicemail',
      invocationId: 'tool_1',
      text: '{}',
    });
  }
  return messages;
}
