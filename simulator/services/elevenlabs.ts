/** ElevenLabs: it dials while the create waits, has a path for each provider of numbers, and no way to hang up. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, lettersAndDigits, linesOf, since } from '../account.ts';
import { type Dialect, headerOf, listing, type Prepared, type Request, showing } from '../dialect.ts';
import { liveCount, place, readWish } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import {
  anyObject,
  detailOf,
  e164,
  type Flaw,
  filled,
  type Json,
  readQuery,
  textAt,
  whole,
} from '../shape.ts';
import { listCalls } from '../view.ts';
import type { World } from '../world.ts';
import { elevenAgent, hasAudio, showConversation, showSummary, type Trunk } from './elevenlabs-records.ts';

const optional = z.string().nullable().optional();
const variable = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const form = z.strictObject({
  agent_id: filled,
  agent_phone_number_id: filled,
  to_number: e164,
  conversation_initiation_client_data: z
    .strictObject({
      user_id: optional,
      dynamic_variables: z
        .record(z.string().regex(/^(?!system__)/, 'must not begin with system__'), variable)
        .optional(),
      conversation_config_override: anyObject.optional(),
      custom_llm_extra_body: anyObject.optional(),
      branch_id: optional,
      environment: optional,
      starting_workflow_node_id: optional,
      procedure_ids: z.array(z.string()).nullable().optional(),
      source_info: anyObject.optional(),
    })
    .nullable()
    .optional(),
  call_recording_enabled: z.boolean().nullable().optional(),
  telephony_call_config: z
    .strictObject({
      ringing_timeout_secs: z.number().int().min(1).max(999).optional(),
      twilio_call_recording_enabled: z.boolean().optional(),
    })
    .optional(),
});

const page = z.object({ page_size: whole(1, 100).default(30), cursor: z.string().optional() });
const second = whole(0, 100_000_000_000).optional();
/** The filters that this simulator plays; the service has many more. */
const filters = page.extend({
  agent_id: z.string().optional(),
  user_id: z.string().optional(),
  call_start_after_unix: second,
  call_start_before_unix: second,
  call_successful: z.enum(['success', 'failure', 'unknown']).optional(),
  summary_mode: z.enum(['exclude', 'include']).optional(),
  sort_direction: z.enum(['asc', 'desc']).optional(),
});

export const elevenlabs: Dialect = {
  base: '',
  secrets: (headers) => [headerOf(headers, 'xi-api-key')],
  routes: [
    {
      method: 'POST',
      path: '/v1/convai/twilio/outbound-call',
      operation: 'create',
      prepare: (world, request) => prepareCreate(world, request, 'twilio'),
    },
    {
      method: 'POST',
      path: '/v1/convai/sip-trunk/outbound-call',
      operation: 'create',
      prepare: (world, request) => prepareCreate(world, request, 'sip_trunk'),
    },
    { method: 'GET', path: '/v1/convai/conversations', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/v1/convai/conversations/{id}', operation: 'get', prepare: prepareGet },
    { method: 'GET', path: '/v1/convai/conversations/{id}/audio', operation: 'get', prepare: prepareAudio },
    { method: 'GET', path: '/v1/convai/phone-numbers', operation: 'list', prepare: prepareNumbers },
    { method: 'GET', path: '/v1/convai/agents', operation: 'list', prepare: prepareAgents },
    {
      method: 'GET',
      path: '/v1/convai/analytics/live-count',
      operation: 'list',
      prepare: (world, { key }) => listing(() => ({ count: liveCount(world, key) })),
    },
  ],
  refuse(why, status, text) {
    if (why === 'key' || why === 'no-key') return refuse(401, 'invalid_api_key', 'Invalid API key');
    if (why === 'rate') return refuse(429, 'system_busy', 'The system is experiencing heavy traffic');
    return refuse(status, { 404: 'not_found', 405: 'method_not_allowed' }[status] ?? 'internal_error', text);
  },
  spots: {
    id: ['/conversation_id'],
    status: ['/status', '/success'],
    phone: ['/metadata/phone_call/external_number'],
    nobody: `conv_${'0'.repeat(26)}`,
  },
  newId: (world) => `conv_${codeOf(lettersAndDigits, 26, world.newId())}`,
  undialled: () => notDialled('HTTP 401 error: Unable to create record: Authenticate'),
};

const kinds: Partial<Record<number, string>> = {
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'internal_error',
};

function refuse(status: number, code: string, message: string): Reply {
  const type = kinds[status] ?? 'validation_error';
  return json(status, {
    detail: { type, code, message, status: code, request_id: codeOf('0123456789abcdef', 32, code) },
  });
}

function invalid(flaws: readonly Flaw[]): Reply {
  return json(422, { detail: detailOf(flaws) });
}

/** A success by its status only: the carrier refused, and no conversation exists. */
function notDialled(message: string): Reply {
  return json(200, { success: false, message, conversation_id: null, callSid: null });
}

function prepareCreate(world: World, request: Request, trunk: Trunk): Prepared {
  const { settings } = world;
  const read = readWish(world, request, { form, phoneAt: ['to_number'], invalid });
  if ('refusal' in read) return read.refusal;
  const { body, phone } = read;
  const known = { body, phone };
  const agentId = body.agent_id as string;
  const line = lines(world).find(({ id }) => id === body.agent_phone_number_id);
  if (!isAgent(settings, agentId))
    return { refused: refuse(404, 'agent_not_found', 'Agent not found'), ...known };
  if (!line) return { refused: refuse(404, 'phone_number_not_found', 'Phone number not found'), ...known };
  if (line.trunk !== trunk || (trunk !== 'twilio' && 'call_recording_enabled' in body)) {
    const message = `The phone number is one of ${line.trunk}`;
    return { refused: refuse(400, 'invalid_parameters', message), ...known };
  }
  if (settings.refused.includes(phone)) {
    return {
      refused: notDialled(`HTTP 400 error: Unable to create record: Account not authorized to call ${phone}`),
      ...known,
    };
  }
  return place(world, {
    id: elevenlabs.newId(world),
    key: request.key,
    phone,
    name: textAt(body, 'conversation_initiation_client_data', 'dynamic_variables', 'name') ?? null,
    agentId,
    from: line.number,
    stamp: textAt(body, 'conversation_initiation_client_data', 'user_id') ?? null,
    sent: { ...body, trunk },
    ringMs: 1000 * ringingSeconds(body),
    noRoom: refuse(429, 'too_many_concurrent_requests', 'Too many concurrent requests'),
    noCredit: refuse(401, 'quota_exceeded', 'This request exceeds your quota'),
    invalid: notDialled(`HTTP 400 error: Unable to create record: The number ${phone} is not valid`),
    answer: ({ id }) =>
      json(200, {
        success: true,
        message: 'Call initiated successfully',
        conversation_id: id,
        ...(trunk === 'twilio'
          ? { callSid: `CA${codeOf('0123456789abcdef', 32, id)}` }
          : { sip_call_id: `SCL_${codeOf(lettersAndDigits, 12, id)}` }),
      }),
  });
}

function ringingSeconds({ telephony_call_config }: Json): number {
  const config = telephony_call_config as { ringing_timeout_secs?: number } | undefined;
  return config?.ringing_timeout_secs ?? 60;
}

function prepareGet(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call) return { refused: refuse(404, 'conversation_not_found', 'Conversation not found') };
  return showing(call, () => showConversation(world, call));
}

function prepareAudio(world: World, { params }: Request): Prepared {
  const call = world.calls.find(params.id as string);
  if (!call || !hasAudio(world, call)) {
    return { refused: refuse(404, 'conversation_audio_not_found', 'No audio') };
  }
  const reply = { status: 200, body: 'ID3 simulated audio', headers: { 'content-type': 'audio/mpeg' } };
  return { phone: call.phone, call: call.id, serve: () => ({ reply, call: call.id }) };
}

function prepareCalls(world: World, request: Request): Prepared {
  const read = readQuery(filters, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: json(422, { detail: detailOf(read.flaws, 'query') }) };
  const wanted = read.value;
  const { page_size, cursor, sort_direction, call_successful, user_id, agent_id } = wanted;
  return listing(() => {
    const span = {
      from: wanted.call_start_after_unix && wanted.call_start_after_unix * 1000,
      to: wanted.call_start_before_unix && wanted.call_start_before_unix * 1000,
    };
    const found = listCalls(
      world,
      span,
      (call) =>
        (user_id === undefined || call.stamp === user_id) &&
        (agent_id === undefined || call.agentId === agent_id),
    )
      .map((call) => showSummary(world, call))
      .filter((item) => call_successful === undefined || item.call_successful === call_successful);
    if (sort_direction === 'asc') found.reverse();
    const from = found.findIndex(({ conversation_id }) => conversation_id === cursor) + 1;
    const conversations = found.slice(from, from + page_size);
    const has_more = from + page_size < found.length;
    return { conversations, next_cursor: has_more ? conversations.at(-1)?.conversation_id : null, has_more };
  });
}

const numberFilters = z.object({ provider: z.string().optional(), agent_id: z.string().optional() });

function prepareNumbers(world: World, request: Request): Prepared {
  const read = readQuery(numberFilters, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: json(422, { detail: detailOf(read.flaws, 'query') }) };
  const { provider, agent_id } = read.value;
  const [agent] = agentsOf(world.settings, elevenAgent);
  return listing(() =>
    lines(world)
      .filter(({ trunk }) => provider === undefined || trunk === provider)
      .filter(() => agent_id === undefined || agent?.id === agent_id)
      .map(({ id, number, label, trunk }) => ({
        phone_number: number,
        label,
        phone_number_id: id,
        provider: trunk,
        supports_inbound: true,
        supports_outbound: true,
        ...(trunk === 'sip_trunk' ? { livekit_stack: 'standard' } : {}),
        assigned_agent: agent ? { agent_id: agent.id, agent_name: agent.name } : null,
      })),
  );
}

function prepareAgents(world: World, request: Request): Prepared {
  const read = readQuery(page, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: json(422, { detail: detailOf(read.flaws, 'query') }) };
  const { page_size, cursor } = read.value;
  return listing(() => {
    const found = agentsOf(world.settings, elevenAgent);
    const from = found.findIndex(({ id }) => id === cursor) + 1;
    const shown = found.slice(from, from + page_size);
    const has_more = from + page_size < found.length;
    const access_info = {
      is_creator: true,
      creator_name: 'Ada',
      creator_email: 'ada@example.com',
      role: 'admin',
    };
    const agents = shown.map(({ id, name }) => ({
      agent_id: id,
      name,
      tags: [],
      created_at_unix_secs: since / 1000,
      access_info,
      last_call_time_unix_secs: null,
      archived: false,
    }));
    return { agents, next_cursor: has_more ? shown.at(-1)?.id : null, has_more };
  });
}

/** Numbers by provider: the second is behind a SIP trunk, so that a client must look. */
function lines({ settings }: World) {
  return linesOf(settings, (number) => `phnum_${codeOf(lettersAndDigits, 26, number)}`).map((line, nth) => ({
    ...line,
    trunk: (nth === 1 ? 'sip_trunk' : 'twilio') as Trunk,
  }));
}
