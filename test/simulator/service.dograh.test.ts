import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const agent = '6b1f0000-0000-4a00-9b00-000000000001';

const filterOf = (attribute: string, value: unknown) =>
  encodeURIComponent(JSON.stringify([{ attribute, type: 'text', value: { value } }]));

const dograh: Speech = {
  service: 'dograh',
  base: '/api/v1',
  key: (secret) => ({ 'x-api-key': secret }),
  create: (phone, stamp) => ({
    path: `/public/agent/workflow/${agent}`,
    body: {
      phone_number: phone,
      initial_context: { attempt_id: stamp, customer_name: 'Ada Park', visits: 3 },
      telephony_configuration_id: 1,
      from_phone_number_id: 2,
    },
  }),
  success: 200,
  created: { status: '=initiated', workflow_run_id: 'int', workflow_run_name: 'filled' },
  id: (created) => String(created.workflow_run_id),
  get: (id) => `/workflow/42/runs/${id}`,
  record: {
    id: 'int',
    workflow_id: 'int',
    name: 'filled',
    mode: 'filled',
    created_at: 'iso',
    is_completed: 'bool',
    transcript_url: 'text|null',
    recording_url: 'text|null',
    transcript_public_url: 'url|null?',
    recording_public_url: 'url|null?',
    public_access_token: 'text|null?',
    cost_info: 'object|null',
    usage_info: 'object|null?',
    definition_id: 'int|null',
    initial_context: 'object|null?',
    gathered_context: 'object|null?',
    call_type: '=outbound',
    logs: 'object|null?',
    annotations: 'object|null?',
  },
  phoneOf: (record) => record.initial_context.called_number,
  said({ is_completed, gathered_context, logs }) {
    if (is_completed) return gathered_context.mapped_call_disposition;
    return logs.telephony_status_callbacks.at(-1).status;
  },
  live: { queued: 'initiated', ringing: 'ringing', talking: 'in-progress' },
  ended: {
    answered: 'user_hangup',
    'no-answer': 'no-answer',
    voicemail: 'voicemail_detected',
    busy: 'busy',
    failed: 'failed',
    dropped: 'pipeline_error',
  },
  calls: (_stamp, phone, since) => ({
    method: 'GET',
    path: `/organizations/usage/runs?start_date=${new Date(since).toISOString()}&page=1&limit=100&filters=${filterOf('calledNumber', phone.slice(1))}`,
  }),
  items: (json) => json.runs,
  itemId: (item) => String(item.id),
  item: {
    id: 'int',
    workflow_id: 'int',
    workflow_name: 'text|null',
    name: 'filled',
    created_at: 'iso',
    dograh_token_usage: 'number',
    call_duration_seconds: 'int',
    caller_number: 'e164',
    called_number: 'e164',
    call_type: '=outbound',
    mode: 'filled',
    disposition: 'text|null',
    initial_context: 'object',
    gathered_context: 'object',
    charge_usd: 'number|null',
  },
  numbers: {
    ask: { method: 'GET', path: '/organizations/telephony-configs/1/phone-numbers' },
    list: (json) => json.phone_numbers,
    form: {
      id: 'int',
      telephony_configuration_id: 'int',
      address: 'e164',
      address_normalized: 'e164',
      address_type: '=pstn',
      country_code: 'text|null',
      label: 'text|null',
      inbound_workflow_id: 'int|null',
      telephony_trunk_id: 'int|null',
      is_active: 'bool',
      is_default_caller_id: 'bool',
      extra_metadata: 'object',
      created_at: 'iso',
      updated_at: 'iso',
    },
  },
  agents: {
    ask: { method: 'GET', path: '/workflow/fetch?status=active' },
    list: (json) => json,
    form: {
      id: 'int',
      name: 'text',
      status: '=active',
      created_at: 'iso',
      total_runs: 'int',
      folder_id: 'int|null',
      workflow_uuid: 'uuid',
    },
  },
  statuses: { badKey: 401, noKey: 422, badBody: 422, unknownCall: 404 },
  wrong: [
    ['a phone that is a number', (body) => Object.assign(body, { phone_number: 14155550101 })],
    [
      'a caller that is a number in E.164',
      (body) => Object.assign(body, { from_phone_number_id: '+14155550100' }),
    ],
    ['a context that is a list', (body) => Object.assign(body, { initial_context: [] })],
  ],
  required: ['phone_number'],
  error: ({ json, status }) =>
    status === 422
      ? json.detail.flatMap(({ input: _, ...one }: Record<string, unknown>) =>
          misfits(one, { loc: 'list', msg: 'filled', type: 'filled' }),
        )
      : misfits(json, { detail: 'filled' }),
  unknownId: '999',
};

holdFacts(dograh);

describe('dograh', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(dograh);
  });

  const get = (path: string) => sim.send({ method: 'GET', path });
  const post = (change: Record<string, unknown>, path?: string) => {
    const create = dograh.create(phones.answered, 'att_1');
    return sim.send({ method: 'POST', path: path ?? create.path, body: { ...create.body, ...change } });
  };

  test('has its files, its usage and its cost some time after it is completed', async () => {
    const { json } = await sim.dial(phones.answered);
    const id = dograh.id(json);
    let record = (await sim.read(id)).json;
    while (!record.is_completed) {
      sim.clock.pass(1000);
      record = (await sim.read(id)).json;
    }
    expect(record).toMatchObject({ transcript_public_url: null, usage_info: null, cost_info: null });
    sim.clock.pass(30_000);
    record = (await sim.read(id)).json;
    const seconds = record.usage_info.call_duration_seconds;
    expect(record.cost_info).toEqual({
      dograh_token_usage: Math.ceil(seconds / 60) * 8,
      call_duration_seconds: seconds,
    });
    const file = await fetch(record.recording_public_url, { redirect: 'manual' });
    expect([file.status, file.headers.get('location')]).toEqual([
      302,
      `https://storage.invalid/${id}/recording`,
    ]);
  });

  test('rewrites the number in the context, and drops what it keeps for itself', async () => {
    const initial_context = { attempt_id: 'att_1', called_number: '+1', provider: 'x', a: [1] };
    const { json } = await post({ initial_context });
    expect((await sim.read(dograh.id(json))).json.initial_context).toEqual({
      attempt_id: 'att_1',
      a: [1],
      called_number: phones.answered,
    });
  });

  test('does not hear some machines, of which only the carrier tells', async () => {
    const { json } = await sim.dial(phones.machine);
    sim.clock.pass(100_000);
    expect((await sim.read(dograh.id(json))).json.gathered_context).toMatchObject({
      mapped_call_disposition: 'user_idle_max_duration_exceeded',
      answered_by: 'machine_start',
    });
  });

  test('refuses what the carrier refuses, and keeps a failed run of it', async () => {
    const refused = await sim.dial(phones.invalid);
    expect(refused.status).toBe(400);
    expect(refused.json.detail).toMatch(/^Failed to initiate call: 400: \{"code":21211/);
    sim.clock.pass(5000);
    const [run] = await sim.find('att_1', phones.invalid);
    expect(run).toMatchObject({ disposition: 'error', initial_context: { attempt_id: 'att_1' } });
    expect([...sim.calls()]).toMatchObject([{ rang: false }]);
    expect((await post({ phone_number: '4155550101' })).status).toBe(400);
  });

  test('says by 402 that credit has run out, by 429 that too many talk', async () => {
    sim.control({ credits: 0 });
    const poor = await sim.dial(phones.answered);
    expect(poor.status).toBe(402);
    expect(poor.json.detail).toMatch(/^You have exhausted your Dograh credits\./);
    sim.control({ credits: null, concurrency: 1 });
    await sim.dial(phones.answered);
    const full = await sim.dial(phones.busy);
    expect([full.status, full.json]).toEqual([429, { detail: 'Concurrent call limit reached' }]);
    expect([...sim.calls()].filter(({ rang }) => rang)).toEqual([]);
  });

  test('answers in its own words for what does not exist', async () => {
    sim.control({ unknownAgents: ['gone'] });
    const gone = [
      await post({}, '/public/agent/workflow/gone'),
      await post({}, '/public/agent/gone'),
      await post({ telephony_configuration_id: 9 }),
      await post({ from_phone_number_id: 99 }),
      await get('/workflow/42/runs/none'),
    ];
    expect(
      gone.map(({ status, json }) => [status, typeof json.detail === 'string' ? json.detail : '']),
    ).toEqual([
      [404, 'Workflow not found'],
      [404, 'Agent trigger not found'],
      [404, 'Telephony configuration not found'],
      [400, 'from_phone_number_not_found'],
      [422, ''],
    ]);
  });

  test('filters runs: usage passes over an unknown attribute, a workflow’s list refuses it', async () => {
    await sim.dial(phones.busy, 'att_1');
    await sim.dial(phones['no-answer'], 'att_2');
    sim.clock.pass(100_000);
    const runs = async (filters: string) => (await get(`/organizations/usage/runs?filters=${filters}`)).json;
    expect((await runs(filterOf('calledNumber', '5550104'))).total_count).toBe(1);
    expect((await runs(filterOf('dispositionCode', 'no-answer'))).total_count).toBe(1);
    expect((await runs(filterOf('weather', 'fair'))).total_count).toBe(2);
    expect((await get('/organizations/usage/runs?filters=[')).status).toBe(400);
    expect((await get(`/workflow/42/runs?filters=${filterOf('calledNumber', '1')}`)).status).toBe(403);
    const list = await get('/workflow/42/runs?page=2&limit=1');
    expect(list.json).toMatchObject({
      total_count: 2,
      page: 2,
      limit: 1,
      total_pages: 2,
      applied_filters: [],
    });
    expect(list.json.runs).toHaveLength(1);
    expect((await get('/organizations/usage/runs?limit=101')).status).toBe(422);
  });

  test('cannot hang up', async () => {
    const id = dograh.id((await sim.dial(phones.answered)).json);
    expect((await sim.send({ method: 'POST', path: `/workflow/42/runs/${id}` })).status).toBe(405);
    expect((await get('/organizations/telephony-configs')).json.configurations).toMatchObject([{ id: 1 }]);
  });
});
