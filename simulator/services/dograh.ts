/** Dograh: ids are integers, the carrier is asked while the create waits, and every failed create leaves a run. */
import { z } from 'zod';
import { agentsOf, codeOf, isAgent, linesOf, uuidOf } from '../account.ts';
import type { Call } from '../calls.ts';
import {
  answering,
  bearerOf,
  type Dialect,
  headerOf,
  listing,
  listingBy,
  ofCall,
  type Prepared,
  type Request,
  showsCall,
} from '../dialect.ts';
import { placeCall } from '../placing.ts';
import { json, type Reply, refusal } from '../reply.ts';
import type { Settings } from '../settings.ts';
import {
  anyObject,
  detailOf,
  e164,
  type Flaw,
  filled,
  type Json,
  moment,
  readJson,
  textAt,
  whole,
} from '../shape.ts';
import { isHeardLate, iso, listCalls, type View, viewCall } from '../view.ts';
import type { World } from '../world.ts';

const id = z.number().int().nullable().optional();
const form = z.strictObject({
  phone_number: filled,
  initial_context: anyObject.nullable().optional(),
  telephony_configuration_id: id,
  from_phone_number_id: id,
});

/** The one configuration of telephony. */
const configuration = 1;

/** A list in JSON. The simulator plays the filter by number, and passes over any other. */
const filters = z.array(z.object({ attribute: z.string(), value: z.object({ value: z.unknown() }) }));
const usage = z.object({
  page: whole(1, 1_000_000).default(1),
  limit: whole(1, 100).default(50),
  filters: z
    .string()
    .transform((text) => readJson(text))
    .pipe(filters)
    .default([]),
  start_date: moment.optional(),
});

export const dograh: Dialect = {
  base: '/api/v1',
  secrets: (headers) => [headerOf(headers, 'x-api-key'), bearerOf(headers)],
  routes: [
    { method: 'POST', path: '/public/agent/workflow/{agent}', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/workflow/fetch', operation: 'list', prepare: prepareAgents },
    { method: 'GET', path: '/workflow/{workflow}/runs/{id}', operation: 'get', prepare: prepareGet },
    { method: 'GET', path: '/organizations/usage/runs', operation: 'calls', prepare: prepareUsage },
    {
      method: 'GET',
      path: '/organizations/telephony-configs/{config}/phone-numbers',
      operation: 'list',
      prepare: prepareNumbers,
    },
    {
      method: 'GET',
      path: '/public/download/workflow/{id}/recording',
      operation: 'get',
      open: true,
      prepare: prepareDownload,
    },
  ],
  refuse(why, status, text) {
    if (why === 'key') return refusal(401, 'Invalid API key');
    if (why === 'no-key') {
      return json(422, {
        detail: [{ loc: ['header', 'X-API-Key'], msg: 'Field required', type: 'missing' }],
      });
    }
    return refusal(status, text);
  },
  spots: {
    id: ['/workflow_run_id', '/id'],
    status: ['/status', '/gathered_context/mapped_call_disposition'],
    phone: ['/initial_context/called_number'],
    nobody: '999999999',
  },
  newId: (world) => String(7001 + world.calls.counts(world.timescale.now()).created),
};

const unknown = refusal(404, 'Workflow run not found');
const showRow = showsCall('/workflow/{workflow}/runs/{id}', () => unknown, showRun);
const invalid = (flaws: readonly Flaw[]) => json(422, { detail: detailOf(flaws) });
const invalidQuery = (flaws: readonly Flaw[]) => json(422, { detail: detailOf(flaws, 'query') });
const exhausted = 'You have exhausted your Dograh credits.';

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  return placeCall(world, request, {
    form,
    phoneAt: ['phone_number'],
    invalid,
    order(body, phone) {
      const agentId = request.params.agent as string;
      if (!isAgent(settings, agentId)) return refusal(404, 'Workflow not found');
      if ((body.telephony_configuration_id ?? configuration) !== configuration)
        return refusal(404, 'Telephony configuration not found');
      const all = lines(settings);
      const from = body.from_phone_number_id ?? all[0]?.id;
      const line = all.find((one) => one.id === from);
      if (!line) return refusal(400, 'from_phone_number_not_found');
      if (!e164.safeParse(phone).success || settings.refused.includes(phone)) return carrierRefusal();
      const { provider: _, runtime_configuration: __, ...context } = (body.initial_context ?? {}) as Json;
      return {
        id: dograh.newId(world),
        name: textAt(context, 'name'),
        agentId,
        from: line.number,
        stamp: textAt(context, 'attempt_id'),
        sent: { ...body, initial_context: { ...context, called_number: phone } },
        noRoom: refusal(429, 'Concurrent call limit reached'),
        // The run is made before the credit is checked and the carrier is asked.
        noCredit: 'record',
        invalid: 'record',
        answer(call) {
          if (call.undialled === 'invalid') return carrierRefusal();
          if (call.undialled === 'no-credit') {
            return refusal(402, `${exhausted} Please purchase more credits from /billing.`);
          }
          // The run's name is neither the id nor unique.
          const workflow_run_name = `WR-API-${codeOf('0123456789', 4, call.id)}`;
          return json(200, { status: 'initiated', workflow_run_id: Number(call.id), workflow_run_name });
        },
      };
    },
  });
}

function carrierRefusal(): Reply {
  const answer = JSON.stringify({ code: 21_211, message: 'Invalid To', status: 400 });
  return refusal(400, `Failed to initiate call: 400: ${answer}`);
}

/** A run is found by its own id only; the workflow's is not compared with it. */
function prepareGet(world: World, request: Request): Prepared {
  const name = ['workflow', 'id'].find((part) => !/^\d+$/.test(request.params[part] as string));
  if (name === undefined) return showRow.prepare(world, request);
  const input = request.params[name];
  const flaw: Flaw = { at: [name], kind: 'type', wanted: 'int', text: 'must be an integer', input };
  return { refused: json(422, { detail: detailOf([flaw], 'path') }) };
}

function prepareDownload(world: World, request: Request): Prepared {
  const none = refusal(404, 'Not found');
  return ofCall(world, request, none, (call) => {
    if (!viewCall(world, call, laterMs).told?.transcript) return { refused: none };
    const headers = { location: `https://storage.invalid/${call.id}/recording` };
    return answering(call, () => ({ status: 302, body: '', headers }));
  });
}

function prepareUsage(world: World, request: Request): Prepared {
  return listingBy(world, request, { form: usage, invalid: invalidQuery }, (query) => {
    const parts = query.filters.flatMap(({ attribute, value }) =>
      attribute === 'calledNumber' ? [String(value.value)] : [],
    );
    // Numbers are found by any part of them.
    const found = listCalls(world, { from: query.start_date }, ({ phone }) =>
      parts.every((part) => phone.includes(part)),
    );
    const from = (query.page - 1) * query.limit;
    return {
      runs: found.slice(from, from + query.limit).map((call) => showUsage(world, call)),
      total_count: found.length,
    };
  });
}

function prepareAgents(world: World): Prepared {
  return listing(() =>
    // A workflow has a number, and a UUID too.
    agentsOf(world.settings, agentIdOf).map(({ id: workflow_uuid, name }, nth) => ({
      id: 42 + nth,
      name,
      status: 'active',
      workflow_uuid,
    })),
  );
}

function prepareNumbers(world: World, { params }: Request): Prepared {
  if (Number(params.config) !== configuration) {
    return { refused: refusal(404, 'Telephony configuration not found') };
  }
  const phone_numbers = lines(world.settings).map(({ id: number, number: address }) => ({
    id: number,
    telephony_configuration_id: configuration,
    address,
  }));
  return listing(() => ({ phone_numbers }));
}

/** Files and usage come this much later than `is_completed`, in simulated time. */
const laterMs = 20_000;

const agentIdOf = (nth: number) => uuidOf('dograh', nth);

/** Numbers have integers for ids. */
function lines(settings: Settings): { id: number; number: string }[] {
  return linesOf(settings, (_number, nth) => String(nth + 1)).map(({ id, number }, nth) => ({
    id: /^\d+$/.test(id) ? Number(id) : nth + 1,
    number,
  }));
}

type Ended = { disposition: string; tags: string[]; callback: string; error?: string };
const away = (disposition: string): Ended => ({
  disposition,
  tags: ['not_connected', `telephony_${disposition}`],
  callback: disposition,
});
const reached = (disposition: string, tags: string[]): Ended => ({
  disposition,
  tags,
  callback: 'completed',
});
/** A run has no status: its outcome is what a workflow wrote down. */
const ends: Record<NonNullable<View['outcome']>, Ended> = {
  answered: reached('user_hangup', ['user_speech']),
  voicemail: reached('voicemail_detected', []),
  'no-answer': away('no-answer'),
  busy: away('busy'),
  failed: away('failed'),
  canceled: away('canceled'),
  dropped: { ...reached('pipeline_error', ['user_speech']), error: 'Pipeline error' },
  invalid: { ...away('error'), error: 'Failed to initiate call: 400' },
  'no-room': { ...away('error'), error: 'Concurrent call limit reached' },
  'no-credit': { ...away('error'), error: exhausted },
};
const live = { queued: 'initiated', ringing: 'ringing', talking: 'in-progress', ended: '' } as const;

function gather({ call, outcome }: View): Json {
  const carrier = call.undialled === null ? { call_id: `CA${call.id}`, provider: 'twilio' } : {};
  if (outcome === null) return carrier;
  const { disposition, tags, error } = ends[outcome];
  // The workflow did not notice the machine, so only the carrier's word shows it.
  const isMissed = outcome === 'voicemail' && isHeardLate(call);
  return {
    ...carrier,
    mapped_call_disposition: isMissed ? 'user_idle_max_duration_exceeded' : disposition,
    call_tags: tags,
    ...(isMissed && { answered_by: 'machine_start' }),
    ...(error && { error }),
  };
}

function showRun(world: World, call: Call, { origin }: Request): Json {
  const view = viewCall(world, call, laterMs);
  const { told, cost, seconds, outcome } = view;
  const link = `${origin}/api/v1/public/download/workflow/${call.id}/recording`;
  const status = outcome === null ? live[view.phase] : ends[outcome].callback;
  const callback = { status, timestamp: iso(view.updatedAt), call_id: `CA${call.id}` };
  return {
    id: Number(call.id),
    created_at: iso(view.createdAt),
    is_completed: view.phase === 'ended',
    recording_public_url: told?.transcript ? link : null,
    usage_info: cost === undefined || seconds === 0 ? null : { call_duration_seconds: seconds },
    initial_context: call.sent.initial_context,
    gathered_context: gather(view),
    call_type: 'outbound',
    logs: { telephony_status_callbacks: call.undialled === null ? [callback] : [] },
    annotations: told?.data ?? null,
  };
}

/** An item of the organization's usage, the only place with a price in money. */
function showUsage(world: World, call: Call): Json {
  const view = viewCall(world, call, laterMs);
  const gathered = gather(view);
  return {
    id: Number(call.id),
    created_at: iso(view.createdAt),
    call_duration_seconds: view.cost === undefined ? 0 : view.seconds,
    caller_number: call.from,
    called_number: call.phone,
    disposition: gathered.mapped_call_disposition ?? null,
    initial_context: call.sent.initial_context,
    gathered_context: gathered,
    charge_usd: view.cost ?? null,
  };
}
