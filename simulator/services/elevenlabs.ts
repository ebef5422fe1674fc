/** ElevenLabs: it dials while the create waits, has a path for each provider of numbers, and no way to hang up. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, lettersAndDigits, linesOf, nameOf } from '../account.ts';
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
import { liveCount, placeCall } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import { anyObject, detailOf, e164, type Flaw, filled, type Json, textAt, whole } from '../shape.ts';
import { listCalls, pageAfter, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

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
/** The filter that this simulator plays; the service has many more. */
const filters = page.extend({ user_id: z.string().optional() });

export const elevenlabs: Dialect = {
  base: '',
  secrets: (headers) => [headerOf(headers, 'xi-api-key')],
  routes: [
    { method: 'POST', path: '/v1/convai/{trunk}/outbound-call', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/v1/convai/conversations', operation: 'calls', prepare: prepareCalls },
    showsCall('/v1/convai/conversations/{id}', () => unknown, showConversation),
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

const unknown = refuse(404, 'conversation_not_found', 'Conversation not found');
const invalid = (flaws: readonly Flaw[]) => json(422, { detail: detailOf(flaws) });
const invalidQuery = (flaws: readonly Flaw[]) => json(422, { detail: detailOf(flaws, 'query') });

/** A success by its status only: the carrier refused, and no conversation exists. */
function notDialled(message: string): Reply {
  return json(200, { success: false, message, conversation_id: null, callSid: null });
}

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const trunk = (request.params.trunk as string).replace('-', '_');
  return placeCall(world, request, {
    form,
    phoneAt: ['to_number'],
    invalid,
    order(body, phone) {
      const agentId = body.agent_id as string;
      const data = (body.conversation_initiation_client_data ?? {}) as Json;
      const line = lines(world).find(({ id }) => id === body.agent_phone_number_id);
      if (!isAgent(settings, agentId)) return refuse(404, 'agent_not_found', 'Agent not found');
      if (!line) return refuse(404, 'phone_number_not_found', 'Phone number not found');
      if (line.trunk !== trunk || (trunk !== 'twilio' && 'call_recording_enabled' in body))
        return refuse(400, 'invalid_parameters', `The phone number is one of ${line.trunk}`);
      const failed = 'HTTP 400 error: Unable to create record';
      if (settings.refused.includes(phone))
        return notDialled(`${failed}: Account not authorized to call ${phone}`);
      const { ringing_timeout_secs: ringing } = (body.telephony_call_config ?? {}) as Json;
      return {
        id: elevenlabs.newId(world),
        name: textAt(data, 'dynamic_variables', 'name'),
        agentId,
        from: line.number,
        stamp: textAt(data, 'user_id'),
        sent: { ...body, trunk },
        ringMs: 1000 * Number(ringing ?? 60),
        noRoom: refuse(429, 'too_many_concurrent_requests', 'Too many concurrent requests'),
        noCredit: refuse(401, 'quota_exceeded', 'This request exceeds your quota'),
        invalid: notDialled(`${failed}: The number ${phone} is not valid`),
        answer: ({ id }) =>
          json(200, {
            success: true,
            message: 'Call initiated successfully',
            conversation_id: id,
            ...(trunk === 'twilio' ? { callSid: sidOf(id) } : { sip_call_id: sipIdOf(id) }),
          }),
      };
    },
  });
}

const sidOf = (id: string) => `CA${codeOf('0123456789abcdef', 32, id)}`;
const sipIdOf = (id: string) => `SCL_${codeOf(lettersAndDigits, 12, id)}`;

function prepareAudio(world: World, request: Request): Prepared {
  const none = refuse(404, 'conversation_audio_not_found', 'No audio');
  return ofCall(world, request, none, (call) => {
    if (!viewCall(world, call, analysisMs).told?.transcript) return { refused: none };
    const headers = { 'content-type': 'audio/mpeg' };
    return answering(call, () => ({ status: 200, body: 'ID3 simulated audio', headers }));
  });
}

function prepareCalls(world: World, request: Request): Prepared {
  const by = { form: filters, invalid: invalidQuery };
  return listingBy(world, request, by, ({ user_id, cursor, page_size }) => {
    const found = listCalls(world, {}, ({ stamp }) => user_id === undefined || stamp === user_id);
    const all = found.map((call) => showSummary(viewCall(world, call, analysisMs)));
    const { items: conversations, next } = pageAfter(all, 'conversation_id', cursor, page_size);
    return { conversations, next_cursor: next, has_more: next !== null };
  });
}

function prepareNumbers(world: World): Prepared {
  return listing(() =>
    lines(world).map(({ id, number, label, trunk }) => ({
      phone_number: number,
      label,
      phone_number_id: id,
      provider: trunk,
      supports_inbound: true,
      supports_outbound: true,
    })),
  );
}

function prepareAgents(world: World, request: Request): Prepared {
  const all = agentsOf(world.settings, agentIdOf).map(({ id, name }) => ({ agent_id: id, name }));
  return listingBy(world, request, { form: page, invalid: invalidQuery }, ({ page_size, cursor }) => {
    const { items: agents, next } = pageAfter(all, 'agent_id', cursor, page_size);
    return { agents, next_cursor: next, has_more: next !== null };
  });
}

/** Numbers by provider: the second is behind a SIP trunk, so that a client must look. */
function lines({ settings }: World) {
  return linesOf(settings, (number) => `phnum_${codeOf(lettersAndDigits, 26, number)}`).map((line, nth) => ({
    ...line,
    trunk: nth === 1 ? 'sip_trunk' : 'twilio',
  }));
}

/** The analysis takes this long after the end, in simulated time; until it is done, the status is `processing`. */
const analysisMs = 10_000;

const agentIdOf = (nth: number) => `agent_${codeOf(lettersAndDigits, 26, 'elevenlabs', nth)}`;

/** Nothing tells that nobody answered: the status stays `initiated`. */
function statusOf({ phase, outcome, past }: View): string {
  if (phase === 'talking') return 'in-progress';
  if (outcome === null || outcome === 'no-answer' || outcome === 'busy') return 'initiated';
  if (outcome === 'failed') return 'failed';
  if (!past(analysisMs)) return 'processing';
  return outcome === 'dropped' ? 'failed' : 'done';
}

const unix = (wall: number) => Math.floor(wall / 1000);

function showSummary(view: View): Json {
  const { call, told } = view;
  return {
    agent_id: call.agentId,
    conversation_id: call.id,
    start_time_unix_secs: unix(view.createdAt),
    call_duration_secs: view.phase === 'ended' ? view.seconds : 0,
    status: statusOf(view),
    // Every conversation has a judgement on its goal, which does not show who answered.
    call_successful: !told ? 'unknown' : told.data?.interested === true ? 'success' : 'failure',
    direction: 'outbound',
  };
}

function showConversation(world: World, call: Call): Json {
  const view = viewCall(world, call, analysisMs);
  const { told, outcome, joinedAt, cost } = view;
  const { user_id = null, ...data } = (call.sent.conversation_initiation_client_data ?? {}) as Json;
  const { agent_id, conversation_id, status, call_successful, ...times } = showSummary(view);
  const isBroken = outcome === 'failed' || outcome === 'dropped';
  const said = turnsOf(told).map(({ role, text }) => ({ role, message: text, tool_calls: [] }));
  return {
    agent_id,
    agent_name: nameOf(world.settings, agentIdOf, call.agentId),
    conversation_id,
    status,
    user_id,
    metadata: {
      start_time_unix_secs: times.start_time_unix_secs,
      accepted_time_unix_secs: joinedAt === null ? null : unix(joinedAt),
      call_duration_secs: times.call_duration_secs,
      cost_fiat: cost ?? null,
      termination_reason: told?.transcript ? 'Call ended by remote party' : '',
      error: isBroken ? { code: outcome === 'failed' ? 1002 : 1011, reason: 'Internal error' } : null,
      phone_call: {
        direction: 'outbound',
        phone_number_id: call.sent.agent_phone_number_id,
        agent_number: call.from,
        external_number: call.phone,
        ...(call.sent.trunk === 'sip_trunk'
          ? { type: 'sip_trunking', call_id: sipIdOf(call.id) }
          : { type: 'twilio', call_sid: sidOf(call.id) }),
      },
    },
    analysis: told?.transcript
      ? {
          data_collection_results: collect(told.data),
          call_successful,
          transcript_summary: `A talk of ${said.length} turns.`,
        }
      : null,
    conversation_initiation_client_data: {
      ...data,
      user_id,
      dynamic_variables: data.dynamic_variables ?? {},
    },
    has_audio: Boolean(told?.transcript),
    transcript: outcome === 'voicemail' ? [...said, detection] : said,
  };
}

/** The agent's tool for machines: the only sign of a voicemail. */
const detection = {
  role: 'agent',
  message: null,
  tool_calls: [{ tool_name: 'voicemail_detection', params_as_json: '{"reason":"A machine answered."}' }],
};

function collect(data: Json | null): Json {
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([name, value]) => [
      name,
      { data_collection_id: name, value: typeof value === 'object' ? null : value },
    ]),
  );
}
