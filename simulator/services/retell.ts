/** Retell: it reports calls without room on the record, an unknown call by 422, and some machines only later. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, linesOf, nameOf, since } from '../account.ts';
import type { Call } from '../calls.ts';
import {
  bearerOf,
  type Dialect,
  listing,
  listingBy,
  ofCall,
  type Prepared,
  type Request,
  showsCall,
} from '../dialect.ts';
import { hangingUp, liveCount, placeCall } from '../placing.ts';
import { json, type Reply } from '../reply.ts';
import {
  anyObject,
  e164,
  type Flaw,
  filled,
  holdBody,
  type Json,
  readObject,
  textAt,
  texts,
  whole,
  wrongAt,
} from '../shape.ts';
import { isHeardLate, listCalls, pageAfter, turnsOf, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

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

const page = z.object({ limit: whole(1, 1000).default(50), pagination_key: z.string().optional() });

/** Filters have a type, an operator and a value. The simulator plays the one by metadata. */
const listForm = z.strictObject({
  filter_criteria: z
    .strictObject({
      metadata: z
        .array(
          z.strictObject({
            key: z.string(),
            type: z.literal('string'),
            op: z.literal('eq'),
            value: z.string(),
          }),
        )
        .optional(),
    })
    .optional(),
  limit: z.number().int().min(1).max(1000).optional(),
  pagination_key: z.string().optional(),
  sort_order: z.literal('descending').optional(),
});

export const retell: Dialect = {
  base: '',
  secrets: (headers) => [bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/v2/create-phone-call', operation: 'create', prepare: prepareCreate },
    showsCall('/v2/get-call/{id}', () => unknown, showRecord),
    {
      method: 'POST',
      path: '/v2/stop-call/{id}',
      operation: 'update',
      prepare: (world, request) =>
        ofCall(world, request, unknown, (call) =>
          hangingUp(world, call, refuse(400, 'The call has already ended.'), {
            status: 204,
            body: '',
            headers: {},
          }),
        ),
    },
    { method: 'POST', path: '/v3/list-calls', operation: 'calls', prepare: prepareCalls },
    { method: 'GET', path: '/v2/list-phone-numbers', operation: 'list', prepare: prepareNumbers },
    { method: 'POST', path: '/v2/list-agents', operation: 'list', prepare: prepareAgents },
    {
      method: 'GET',
      path: '/get-concurrency',
      operation: 'list',
      prepare: (world, { key }) =>
        listing(() => ({
          current_concurrency: liveCount(world, key),
          // Without a setting, the cap of a workspace that pays as it goes.
          concurrency_limit: world.settings.concurrency ?? 20,
        })),
    },
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

const unknown = refuse(422, 'Cannot find requested asset under given api key.');
const agentId = (nth: number) => `agent_${codeOf('0123456789abcdef', 26, 'retell', nth)}`;

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  return placeCall(world, request, {
    form,
    phoneAt: ['to_number'],
    invalid,
    order(body, phone) {
      const from = body.from_number as string;
      const checked = body.ignore_e164_validation === true ? ['to_number'] : ['to_number', 'from_number'];
      const national = checked.find((field) => !e164.safeParse(body[field]).success);
      if (national) return invalid([wrongAt([national], 'must be in E.164 format', body[national])]);
      if (settings.refused.includes(phone)) return refuse(400, `${phone} cannot be called.`);
      const agent = textAt(body, 'override_agent_id') ?? (agentsOf(settings, agentId)[0]?.id as string);
      if (!linesOf(settings, (number) => number).some(({ number }) => number === from)) return unknown;
      if (!isAgent(settings, agent)) return unknown;
      return {
        id: retell.newId(world),
        name: textAt(body, 'retell_llm_dynamic_variables', 'name'),
        agentId: agent,
        from,
        stamp: textAt(body, 'metadata', 'attempt_id'),
        noRoom: 'record',
        noCredit:
          settings.refuseBy === 'record'
            ? 'record'
            : refuse(402, 'Trial has ended, please add payment method.'),
        answer: (call) => json(201, showBase(world, viewCall(world, call, 0))),
      };
    },
  });
}

function prepareCalls(world: World, request: Request): Prepared {
  const read = readObject(request.contentType, request.body);
  const flaws = 'flaws' in read ? read.flaws : holdBody(listForm, read.value, world.settings.strict);
  if ('flaws' in read || flaws.length > 0) return { refused: invalid(flaws) };
  const { filter_criteria, limit = 50, pagination_key: cursor } = read.value as z.output<typeof listForm>;
  const wanted = filter_criteria?.metadata ?? [];
  return listing(() => {
    const found = listCalls(world, {}, ({ sent }) =>
      wanted.every(({ key, value }) => textAt(sent, 'metadata', key) === value),
    ).map((call) => showItem(world, call));
    return paged(found, 'call_id', cursor, limit);
  });
}

function paged(all: Json[], id: string, cursor: string | undefined, limit: number): Json {
  const { items, next } = pageAfter(all, id, cursor, limit);
  return { items, has_more: next !== null, ...(next !== null && { pagination_key: next }) };
}

function prepareNumbers(world: World, request: Request): Prepared {
  const [agent] = agentsOf(world.settings, agentId);
  const all = linesOf(world.settings, (number) => number).map(({ number, label }) => ({
    phone_number: number,
    phone_number_type: 'retell-twilio',
    phone_number_pretty: number,
    nickname: label,
    outbound_agents: agent ? [{ agent_id: agent.id, weight: 1 }] : null,
    last_modification_timestamp: since,
  }));
  return listingBy(world, request, { form: page, invalid }, ({ limit, pagination_key }) =>
    paged(all, 'phone_number', pagination_key, limit),
  );
}

function prepareAgents(world: World, request: Request): Prepared {
  const all = agentsOf(world.settings, agentId).map(({ id, name }) => ({
    agent_id: id,
    agent_name: name,
    channel: 'voice',
    user_modified_timestamp: since,
  }));
  return listingBy(world, request, { form: page, invalid }, ({ limit, pagination_key }) =>
    paged(all, 'agent_id', pagination_key, limit),
  );
}

/** Recording, transcript and cost are there at the end; the analysis comes this much later, in simulated time. */
const analysisMs = 10_000;

/** The fields of every answer about a call. */
function showBase(world: World, { call, phase, outcome, joinedAt }: View): Json {
  const { metadata, retell_llm_dynamic_variables, custom_sip_headers } = call.sent;
  const status = { queued: 'registered', ringing: 'registered', talking: 'ongoing', ended: 'ended' }[phase];
  const never = outcome === 'no-room' || outcome === 'no-credit' || outcome === 'dropped';
  return {
    call_id: call.id,
    call_type: 'phone_call',
    agent_id: call.agentId,
    agent_name: nameOf(world.settings, agentId, call.agentId),
    call_status: never ? 'error' : phase === 'ended' && joinedAt === null ? 'not_connected' : status,
    direction: 'outbound',
    from_number: call.from,
    to_number: call.phone,
    ...{ metadata, retell_llm_dynamic_variables, custom_sip_headers },
  };
}

const reasons: Record<NonNullable<View['outcome']>, string> = {
  answered: 'user_hangup',
  'no-answer': 'dial_no_answer',
  voicemail: 'voicemail_reached',
  busy: 'dial_busy',
  invalid: 'invalid_destination',
  failed: 'telephony_provider_unavailable',
  dropped: 'error_llm_websocket_runtime',
  canceled: 'manual_stopped',
  'no-room': 'concurrency_limit_reached',
  'no-credit': 'no_valid_payment',
};

/** A call as the list has it: without what was said. */
function showItem(world: World, call: Call): Json {
  const view = viewCall(world, call, 0);
  const { outcome, joinedAt, endedAt, talkedMs, cost, told } = view;
  const late = outcome === 'voicemail' && isHeardLate(call);
  return {
    ...showBase(world, view),
    ...(joinedAt !== null && { start_timestamp: Math.round(joinedAt) }),
    ...(endedAt !== null && { end_timestamp: Math.round(endedAt) }),
    ...(endedAt !== null && joinedAt !== null && { duration_ms: Math.round(talkedMs) }),
    ...(outcome !== null && { disconnection_reason: late ? 'agent_hangup' : reasons[outcome] }),
    ...(cost !== undefined && {
      // In cents.
      call_cost: { total_duration_seconds: view.seconds, combined_cost: Math.round(cost * 1e6) / 1e4 },
    }),
    ...(view.past(analysisMs) && {
      call_analysis: {
        call_summary: told?.transcript ? `A talk of ${turnsOf(told).length} turns.` : 'Nobody was reached.',
        in_voicemail: outcome === 'voicemail',
        call_successful: outcome === 'answered',
        custom_analysis_data: told?.data ?? {},
      },
    }),
  };
}

function showRecord(world: World, call: Call): Json {
  const turns = turnsOf(viewCall(world, call, 0).told);
  return {
    ...showItem(world, call),
    ...(turns.length > 0 && {
      transcript: turns.map(({ role, text }) => `${role === 'agent' ? 'Agent' : 'User'}: ${text}\n`).join(''),
      recording_url: `https://recordings.invalid/${call.id}/recording.wav`,
    }),
  };
}
