/** Dograh: ids are integers, the carrier is asked while the create waits, and every failed create leaves a run. */
import { z } from 'zod';
import { agentsOf, isAgent, since } from '../account.ts';
import {
  bearerOf,
  type Dialect,
  headerOf,
  listing,
  type Prepared,
  type Request,
  showing,
} from '../dialect.ts';
import { place, readWish } from '../placing.ts';
import { json, type Reply, refusal } from '../reply.ts';
import {
  anyObject,
  detailOf,
  e164,
  type Flaw,
  filled,
  type Json,
  moment,
  readQuery,
  textAt,
  whole,
} from '../shape.ts';
import { iso, listCalls } from '../view.ts';
import type { World } from '../world.ts';
import { type Filter, isRun, readFilters } from './dograh-filters.ts';
import { agentNumber, dograhAgent, dograhLines, runName, showRun, showUsage } from './dograh-records.ts';

const id = z.number().int().nullable().optional();
const form = z.strictObject({
  phone_number: filled,
  initial_context: anyObject.nullable().optional(),
  telephony_configuration_id: id,
  from_phone_number_id: id,
});

/** The one configuration of telephony. */
const configuration = 1;

const page = z.object({
  page: whole(1, 1_000_000).default(1),
  limit: whole(1, 100).default(50),
  filters: z.string().optional(),
  sort_by: z.string().optional(),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});
const usage = page.extend({ start_date: moment.optional(), end_date: moment.optional() });

export const dograh: Dialect = {
  base: '/api/v1',
  secrets: (headers) => [headerOf(headers, 'x-api-key'), bearerOf(headers)],
  routes: [
    {
      method: 'POST',
      path: '/public/agent/workflow/{agent}',
      operation: 'create',
      prepare: (world, request) => prepareCreate(world, request, 'Workflow not found'),
    },
    {
      method: 'POST',
      path: '/public/agent/{agent}',
      operation: 'create',
      prepare: (world, request) => prepareCreate(world, request, 'Agent trigger not found'),
    },
    { method: 'GET', path: '/workflow/fetch', operation: 'list', prepare: prepareAgents },
    { method: 'GET', path: '/workflow/{workflow}/runs', operation: 'calls', prepare: prepareRuns },
    { method: 'GET', path: '/workflow/{workflow}/runs/{run}', operation: 'get', prepare: prepareGet },
    { method: 'GET', path: '/organizations/usage/runs', operation: 'calls', prepare: prepareUsage },
    { method: 'GET', path: '/organizations/telephony-configs', operation: 'list', prepare: prepareConfigs },
    {
      method: 'GET',
      path: '/organizations/telephony-configs/{config}/phone-numbers',
      operation: 'list',
      prepare: prepareNumbers,
    },
    {
      method: 'GET',
      path: '/public/download/workflow/{token}/{part}',
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

const invalid = (flaws: readonly Flaw[]) => json(422, { detail: detailOf(flaws) });
const invalidQuery = (flaws: readonly Flaw[]) => json(422, { detail: detailOf(flaws, 'query') });

function prepareCreate(world: World, request: Request, notFound: string): Prepared {
  const { settings } = world;
  const read = readWish(world, request, { form, phoneAt: ['phone_number'], invalid });
  if ('refusal' in read) return read.refusal;
  const { body, phone } = read;
  const refused = (reply: Reply) => ({ refused: reply, body, phone });
  const agentId = request.params.agent as string;
  if (!isAgent(settings, agentId)) return refused(refusal(404, notFound));
  if ((body.telephony_configuration_id ?? configuration) !== configuration) {
    return refused(refusal(404, 'Telephony configuration not found'));
  }
  const lines = dograhLines(settings);
  const from = body.from_phone_number_id ?? lines[0]?.id;
  const line = lines.find((one) => one.id === from);
  if (!line) return refused(refusal(400, 'from_phone_number_not_found'));
  if (!e164.safeParse(phone).success || settings.refused.includes(phone)) return refused(carrierRefusal());
  const { provider: _, runtime_configuration: __, ...context } = (body.initial_context ?? {}) as Json;
  return place(world, {
    id: dograh.newId(world),
    key: request.key,
    phone,
    name: textAt(body, 'initial_context', 'name') ?? null,
    agentId,
    from: line.number,
    stamp: textAt(body, 'initial_context', 'attempt_id') ?? null,
    sent: { ...body, initial_context: { ...context, called_number: phone } },
    noRoom: refusal(429, 'Concurrent call limit reached'),
    // The run is made before the credit is checked and the carrier is asked.
    noCredit: 'record',
    invalid: 'record',
    answer(call) {
      if (call.undialled === 'invalid') return carrierRefusal();
      if (call.undialled === 'no-credit') {
        return refusal(
          402,
          'You have exhausted your Dograh credits. Please purchase more credits from /billing.',
        );
      }
      const workflow_run_id = Number(call.id);
      return json(200, { status: 'initiated', workflow_run_id, workflow_run_name: runName(call) });
    },
  });
}

function carrierRefusal(): Reply {
  const answer = JSON.stringify({ code: 21_211, message: 'Invalid To', status: 400 });
  return refusal(400, `Failed to initiate call: 400: ${answer}`);
}

/** A run is found by its own id only; the workflow's is not compared with it. */
function prepareGet(world: World, { params, origin }: Request): Prepared {
  const { workflow, run } = params as { workflow: string; run: string };
  for (const [name, value] of [['workflow_id', workflow] as const, ['run_id', run] as const]) {
    if (/^\d+$/.test(value)) continue;
    const flaw: Flaw = { at: [name], kind: 'type', wanted: 'int', text: 'must be an integer', input: value };
    return { refused: json(422, { detail: detailOf([flaw], 'path') }) };
  }
  const call = world.calls.find(run);
  return call
    ? showing(call, () => showRun(world, call, origin))
    : { refused: refusal(404, 'Workflow run not found') };
}

function prepareDownload(world: World, { params, origin }: Request): Prepared {
  const call = world.calls.find((params.token as string).slice(3));
  const isKnown = ['transcript', 'recording'].includes(params.part as string);
  const ready = call && showRun(world, call, origin).transcript_public_url !== null;
  if (!call || !isKnown || !ready) return { refused: refusal(404, 'Not found') };
  const reply = {
    status: 302,
    body: '',
    headers: { location: `https://storage.invalid/${call.id}/${params.part}` },
  };
  return { phone: call.phone, call: call.id, serve: () => ({ reply, call: call.id }) };
}

function prepareUsage(world: World, request: Request): Prepared {
  const read = readQuery(usage, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalidQuery(read.flaws) };
  const wanted = readFilters(read.value.filters);
  if (!wanted) return { refused: refusal(400, 'Invalid filters') };
  const { start_date, end_date } = read.value;
  return listing(() => {
    // An unknown attribute is skipped.
    const runs = listCalls(world, { from: start_date, to: end_date }, () => true)
      .map((call) => showUsage(world, call))
      .filter((run) => isRun(run, wanted));
    const sum = (name: string) => runs.reduce((total, run) => total + (run[name] as number), 0);
    return {
      ...paged(runs, read.value),
      total_dograh_tokens: sum('dograh_token_usage'),
      total_duration_seconds: sum('call_duration_seconds'),
    };
  });
}

const allowed = ['dateRange', 'dispositionCode', 'duration', 'status', 'tokenUsage'];

function prepareRuns(world: World, request: Request): Prepared {
  const read = readQuery(page, request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalidQuery(read.flaws) };
  const wanted: Filter[] | undefined = readFilters(read.value.filters);
  if (!wanted) return { refused: refusal(400, 'Invalid filters') };
  if (wanted.some(({ attribute }) => !allowed.includes(attribute))) {
    return { refused: refusal(403, 'Filter attribute not allowed') };
  }
  const workflow = Number(request.params.workflow);
  return listing(() => {
    const runs = listCalls(world, {}, ({ agentId }) => agentNumber(world.settings, agentId) === workflow)
      .map((call) => showUsage(world, call))
      .filter((run) => isRun(run, wanted));
    return { ...paged(runs, read.value), applied_filters: wanted };
  });
}

function paged(runs: Json[], { page: number, limit, sort_order }: z.output<typeof page>): Json {
  const sorted = sort_order === 'asc' ? runs.toReversed() : runs;
  return {
    runs: sorted.slice((number - 1) * limit, number * limit),
    total_count: runs.length,
    page: number,
    limit,
    total_pages: Math.ceil(runs.length / limit),
  };
}

function prepareAgents(world: World, request: Request): Prepared {
  const read = readQuery(z.object({ status: z.string().optional() }), request.query, world.settings.strict);
  if ('flaws' in read) return { refused: invalidQuery(read.flaws) };
  return listing(() =>
    agentsOf(world.settings, dograhAgent).map(({ id: workflow_uuid, name }) => ({
      id: agentNumber(world.settings, workflow_uuid),
      name,
      status: 'active',
      created_at: iso(since),
      total_runs: 0,
      folder_id: null,
      workflow_uuid,
    })),
  );
}

function prepareConfigs(): Prepared {
  const one = { id: configuration, name: 'Simulated', provider: 'twilio', is_default_outbound: true };
  return listing(() => ({ configurations: [one] }));
}

function prepareNumbers(world: World, { params }: Request): Prepared {
  if (Number(params.config) !== configuration) {
    return { refused: refusal(404, 'Telephony configuration not found') };
  }
  const phone_numbers = dograhLines(world.settings).map(({ id: number, number: address, label }, nth) => ({
    id: number,
    telephony_configuration_id: configuration,
    address,
    address_normalized: address,
    address_type: 'pstn',
    country_code: null,
    label,
    inbound_workflow_id: null,
    telephony_trunk_id: null,
    is_active: true,
    is_default_caller_id: nth === 0,
    extra_metadata: {},
    created_at: iso(since),
    updated_at: iso(since),
  }));
  return listing(() => ({ phone_numbers }));
}
