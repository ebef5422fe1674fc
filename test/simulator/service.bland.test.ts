import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const short = {
  call_id: 'uuid',
  created_at: 'iso',
  call_length: 'number|null',
  completed: 'bool',
  queue_status: 'filled',
  error_message: 'text|null',
  answered_by: 'text|null',
  batch_id: 'null',
  to: 'filled',
  from: 'text|null',
};

const bland: Speech = {
  service: 'bland',
  base: '/v1',
  key: (secret) => ({ authorization: secret }),
  create: (phone, stamp) => ({
    path: '/calls',
    body: {
      phone_number: phone,
      pathway_id: '7f1d2c3b-0000-4a00-9b00-000000000001',
      pathway_version: 'production',
      from: '+14155550100',
      record: true,
      max_duration: 10,
      voicemail: { action: 'hangup' },
      request_data: { name: 'Ada Park', visits: 3 },
      metadata: { attempt_id: stamp },
    },
  }),
  success: 200,
  created: { status: '=success', message: 'filled', call_id: 'uuid', batch_id: 'null' },
  id: (created) => created.call_id,
  get: (id) => `/calls/${id}`,
  record: {
    ...short,
    c_id: 'uuid',
    corrected_duration: 'text|null',
    request_data: 'object',
    inbound: 'bool',
    started_at: 'iso|null',
    end_at: 'iso|null',
    max_duration: 'number',
    variables: 'object',
    record: 'bool',
    recording_url: 'url|null',
    metadata: 'object',
    summary: 'text|null',
    price: 'number|null',
    local_dialing: 'bool',
    call_ended_by: 'text|null',
    pathway_id: 'text|null',
    analysis: 'object|null',
    concatenated_transcript: 'text',
    transcripts: 'list',
    status: 'filled',
    transferred_to: 'text|null',
    transferred_at: 'iso|null',
    warm_transfer_call: 'object|null',
    disposition_tag: 'text|null',
  },
  phoneOf: (record) => record.to,
  said: ({ completed, status, queue_status, answered_by }) =>
    completed ? [status, queue_status, answered_by].filter(Boolean).join(' ') : queue_status,
  live: { queued: 'queued', ringing: 'allocated', talking: 'started' },
  ended: {
    answered: 'completed complete human',
    'no-answer': 'no-answer complete no-answer',
    voicemail: 'completed complete voicemail',
    busy: 'busy call_error',
    invalid: 'failed call_error',
    failed: 'failed call_error',
    dropped: 'failed complete_error human',
  },
  calls: (_stamp, phone, since) => ({
    method: 'GET',
    path: `/calls?to_number=${encodeURIComponent(phone)}&start_date=${new Date(since).toISOString()}&limit=100`,
  }),
  items: (json) => json.calls,
  itemId: (item) => item.call_id,
  item: short,
  numbers: {
    ask: { method: 'GET', path: '/outbound' },
    list: (json) => json.outbound_numbers,
    form: { created_at: 'iso', phone_number: 'e164', last_initiated: 'iso|null' },
  },
  agents: {
    ask: { method: 'GET', path: '/personas?page=1&limit=100' },
    list: (json) => json.data,
    form: { id: 'filled', name: 'filled' },
  },
  statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
  wrong: [
    ['a field that makes it redial by itself', (body) => Object.assign(body, { retry: { wait: 60 } })],
    ['metadata that is text', (body) => Object.assign(body, { metadata: 'att_1' })],
    ['request_data that is a list', (body) => Object.assign(body, { request_data: [] })],
    ['a record that is text', (body) => Object.assign(body, { record: 'yes' })],
    ['a webhook without TLS', (body) => Object.assign(body, { webhook: 'http://hooks.invalid' })],
    [
      'a summary prompt of 2001 characters',
      (body) => Object.assign(body, { summary_prompt: 'x'.repeat(2001) }),
    ],
    ['a national phone', (body) => Object.assign(body, { phone_number: '4155550101' })],
    ['a caller that is not the account’s', (body) => Object.assign(body, { from: '+14155559999' })],
  ],
  required: ['phone_number', 'pathway_id'],
  error: ({ json, status }) =>
    status === 401
      ? misfits(json, { data: 'null', errors: 'list' })
      : misfits(json, { status: 'filled', message: 'filled', errors: 'list?' }),
  unknownId: '00000000-0000-4000-8000-000000000001',
};

holdFacts(bland);

describe('bland', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(bland, { keys: ['secret'] });
  });

  test('is over only when it is completed, whatever its status says', async () => {
    const { json } = await sim.dial(phones.answered);
    let record = json;
    const before = new Set<string>();
    while (record.completed !== true) {
      sim.clock.pass(1000);
      record = (await sim.read(json.call_id)).json;
      if (!record.completed) before.add(record.status);
    }
    expect([...before]).toEqual(['unknown', 'completed']);
    expect(record).toMatchObject({ recording_url: null, transcripts: [], answered_by: 'human' });
    expect(record.price).toBeGreaterThan(0);
    sim.clock.pass(60_000);
    record = (await sim.read(json.call_id)).json;
    expect(record.concatenated_transcript).toMatch(/^assistant: /);
    expect(record.recording_url).toContain(json.call_id);
    expect(Number(record.corrected_duration)).toBe(Math.ceil(record.call_length * 60 - 0.05));
    expect(record).toMatchObject({ metadata: { attempt_id: 'att_1' }, request_data: { visits: 3 } });
  });

  test('charges a little for an attempt that nobody answered', async () => {
    const { json } = await sim.dial(phones['no-answer']);
    sim.clock.pass(100_000);
    expect((await sim.read(json.call_id)).json.price).toBe(0.015);
  });

  test('takes the key with the word Bearer before it, too', async () => {
    const headers = { authorization: 'Bearer secret' };
    expect((await sim.ask('GET', '/outbound', undefined, headers)).status).toBe(200);
  });

  test('refuses a second call to a number within ten seconds', async () => {
    expect((await sim.dial(phones.busy)).status).toBe(200);
    const again = await sim.dial(phones.busy);
    expect(again.status).toBe(429);
    expect(again.json.message).toContain('within the last 10 seconds');
    sim.clock.pass(10_000);
    expect((await sim.dial(phones.busy)).status).toBe(200);
  });

  test('says by a 400 of its own form that a number must not be called', async () => {
    sim.control({ refused: [phones.answered] });
    const { status, json } = await sim.dial(phones.answered);
    expect([status, json.status]).toEqual([400, 'DNC Error']);
  });

  test('says by 402 that credit has run out, by 429 that too many talk, by 404 that an agent is unknown', async () => {
    sim.control({ credits: 0 });
    const poor = await sim.dial(phones.answered);
    expect([poor.status, poor.json.message]).toEqual([402, 'Insufficient balance.']);
    sim.control({ credits: null, concurrency: 1, unknownAgents: ['gone'] });
    await sim.dial(phones.answered);
    const full = await sim.dial(phones.busy);
    expect([full.status, full.json]).toEqual([429, { status: 'error', message: 'Rate limit exceeded' }]);
    const { path, body } = bland.create(phones.busy, 'att_1');
    const unknown = await sim.send({ method: 'POST', path, body: { ...body, pathway_id: 'gone' } });
    expect(unknown.status).toBe(404);
  });

  test('may answer 200 and dial nobody, as a fault', async () => {
    sim.control({ faults: [{ kind: 'undialled', next: 1 }] });
    const { status, json } = await sim.dial(phones.answered);
    expect([status, json]).toEqual([200, { status: 'error', message: 'Unable to queue call.' }]);
    expect(sim.state().created).toBe(0);
  });

  test('stops a call once', async () => {
    const { json } = await sim.dial(phones.answered);
    sim.clock.pass(2000);
    const stop = { method: 'POST', path: `/calls/${json.call_id}/stop` } as const;
    expect((await sim.send(stop)).json.status).toBe('success');
    expect(bland.said((await sim.read(json.call_id)).json)).toBe('canceled complete');
    expect((await sim.send(stop)).status).toBe(400);
  });

  test('lists numbers as bare digits, without metadata, up to a moment that is not part of it', async () => {
    await sim.dial(phones.answered);
    const list = async (query: string) => (await sim.send({ method: 'GET', path: `/calls?${query}` })).json;
    const { calls, ...counts } = await list('to_number=14155550101');
    expect(counts).toEqual({ total_count: 1, count: 1 });
    expect(calls[0].to).toBe('14155550101');
    const now = new Date(sim.clock.now()).toISOString();
    expect((await list(`end_date=${now}`)).calls).toEqual([]);
    expect((await list('completed=true')).calls).toEqual([]);
    const odd = await sim.send({ method: 'GET', path: '/calls?metadata.attempt_id=att_1' });
    expect(odd.status).toBe(400);
    const me = await sim.send({ method: 'GET', path: '/me' });
    expect(me.json).toMatchObject({ total_calls: 1, billing: { current_balance: 1000 } });
  });
});
