import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const base = {
  call_id: 'filled',
  call_type: '=phone_call',
  agent_id: 'filled',
  agent_version: 'int',
  agent_name: 'text?',
  call_status: 'filled',
  direction: '=outbound',
  from_number: 'e164',
  to_number: 'e164',
  metadata: 'object?',
  retell_llm_dynamic_variables: 'object?',
  data_storage_setting: 'text?',
};
const item = {
  ...base,
  start_timestamp: 'ms?',
  end_timestamp: 'ms?',
  duration_ms: 'int?',
  disconnection_reason: 'filled?',
  call_cost: 'object?',
  call_analysis: 'object?',
};
const stamped = (stamp: string) => ({
  filter_criteria: { metadata: [{ key: 'attempt_id', type: 'string', op: 'eq', value: stamp }] },
  limit: 50,
  sort_order: 'descending',
});

const retell: Speech = {
  service: 'retell',
  base: '',
  key: (secret) => ({ authorization: `Bearer ${secret}` }),
  create: (phone, stamp) => ({
    path: '/v2/create-phone-call',
    body: {
      from_number: '+14155550100',
      to_number: phone,
      override_agent_id: 'agent_7a1c',
      metadata: { attempt_id: stamp },
      retell_llm_dynamic_variables: { first_name: 'Ada', balance: '12.50' },
    },
  }),
  success: 201,
  created: base,
  id: (created) => created.call_id,
  get: (id) => `/v2/get-call/${id}`,
  record: { ...item, transcript: 'text?', transcript_object: 'list?', recording_url: 'url?' },
  phoneOf: (record) => record.to_number,
  said: ({ call_status, disconnection_reason, start_timestamp }) =>
    [call_status, disconnection_reason, start_timestamp ? 'reached' : undefined].filter(Boolean).join(' '),
  live: { queued: 'registered', ringing: 'registered', talking: 'ongoing reached' },
  ended: {
    answered: 'ended user_hangup reached',
    'no-answer': 'not_connected dial_no_answer',
    voicemail: 'ended voicemail_reached reached',
    busy: 'not_connected dial_busy',
    invalid: 'not_connected invalid_destination',
    failed: 'not_connected telephony_provider_unavailable',
    dropped: 'error error_llm_websocket_runtime reached',
  },
  calls: (stamp) => ({ method: 'POST', path: '/v3/list-calls', body: stamped(stamp) }),
  items: (json) => json.items,
  itemId: (one) => one.call_id,
  item,
  numbers: {
    ask: { method: 'GET', path: '/v2/list-phone-numbers?limit=50' },
    list: (json) => json.items,
    form: {
      phone_number: 'e164',
      phone_number_type: '=retell-twilio',
      phone_number_pretty: 'text',
      nickname: 'text|null',
      outbound_agents: 'list|null',
      last_modification_timestamp: 'ms',
    },
  },
  agents: {
    ask: { method: 'POST', path: '/v2/list-agents?limit=50', body: {} },
    list: (json) => json.items,
    form: {
      agent_id: 'filled',
      agent_name: 'text',
      channel: '=voice',
      tags: 'object',
      user_modified_timestamp: 'ms',
    },
  },
  statuses: { badKey: 401, badBody: 400, unknownCall: 422 },
  wrong: [
    ['an agent_id, which is not a field', (body) => Object.assign(body, { agent_id: 'agent_1' })],
    ['a variable that is a number', (body) => Object.assign(body.retell_llm_dynamic_variables, { a: 1 })],
    ['a metadata that is text', (body) => Object.assign(body, { metadata: 'att_1' })],
    ['an empty agent', (body) => Object.assign(body, { override_agent_id: '' })],
    ['a national phone', (body) => Object.assign(body, { to_number: '4155550101' })],
    ['a phone that is a number', (body) => Object.assign(body, { to_number: 14155550101 })],
    ['an override of another name', (body) => Object.assign(body, { agent_override: { voice: {} } })],
  ],
  required: ['from_number', 'to_number'],
  error: ({ json }) => misfits(json, { status: '=error', message: 'filled' }),
  unknownId: 'call_000000000000000000000000000',
};

holdFacts(retell);

describe('retell', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(retell);
  });

  test('gives a call an id of its form, and the agent of the number if none is named', async () => {
    const { path, body } = retell.create(phones.answered, 'att_1');
    const { override_agent_id: _, ...rest } = body;
    const { json } = await sim.send({ method: 'POST', path, body: rest });
    expect(json.call_id).toMatch(/^call_[\da-f]{27}$/);
    const [first] = (await sim.send(retell.agents.ask)).json.items;
    expect(json.agent_id).toBe(first.agent_id);
  });

  test('answers 422 for an agent or a caller that does not exist', async () => {
    for (const change of [{ override_agent_id: 'agent-unknown' }, { from_number: '+14155559999' }]) {
      const { path, body } = retell.create(phones.answered, 'att_1');
      const answer = await sim.send({ method: 'POST', path, body: { ...body, ...change } });
      expect(answer.status).toBe(422);
      expect(answer.json.message).toBe('Cannot find requested asset under given api key.');
    }
  });

  test('learns of some machines only from its analysis, after the end', async () => {
    const { json } = await sim.dial(phones.machine);
    let record = json;
    while (record.call_status !== 'ended') {
      sim.clock.pass(1000);
      record = (await sim.read(json.call_id)).json;
    }
    expect(record).toMatchObject({ disconnection_reason: 'agent_hangup', transcript: expect.any(String) });
    expect(record.call_analysis).toBeUndefined();
    sim.clock.pass(15_000);
    record = (await sim.read(json.call_id)).json;
    expect(record).toMatchObject({
      disconnection_reason: 'agent_hangup',
      call_analysis: { in_voicemail: true },
    });
  });

  test('tells durations in milliseconds and costs in cents', async () => {
    const { json } = await sim.dial(phones.answered);
    sim.clock.pass(2_000_000);
    const record = (await sim.read(json.call_id)).json;
    const { start_timestamp, end_timestamp, duration_ms, call_cost } = record;
    expect(Math.abs(end_timestamp - start_timestamp - duration_ms)).toBeLessThanOrEqual(1);
    expect(call_cost.total_duration_seconds).toBe(Math.ceil(duration_ms / 1000));
    expect(call_cost.combined_cost).toBeCloseTo(Math.ceil(call_cost.total_duration_seconds / 60) * 8);
    expect(record.call_analysis.in_voicemail).toBe(false);
  });

  test('says on the record that there was no room', async () => {
    sim.control({ concurrency: 1 });
    await sim.dial(phones.answered);
    const { status, json } = await sim.dial(phones.busy);
    expect(status).toBe(201);
    sim.clock.pass(5000);
    expect(retell.said((await sim.read(json.call_id)).json)).toBe('error concurrency_limit_reached');
    expect([...sim.calls()].filter(({ rang }) => rang)).toHaveLength(1);
  });

  test('says by 402 that credit has run out, or on the record if it is set to', async () => {
    sim.control({ credits: 0 });
    const refused = await sim.dial(phones.answered);
    expect(refused.status).toBe(402);
    expect(retell.error(refused)).toEqual([]);
    sim.control({ refuseBy: 'record' });
    const { status, json } = await sim.dial(phones.answered);
    expect(status).toBe(201);
    sim.clock.pass(5000);
    expect(retell.said((await sim.read(json.call_id)).json)).toBe('error no_valid_payment');
  });

  test('stops a call once, with an empty answer', async () => {
    const { json } = await sim.dial(phones.answered);
    sim.clock.pass(2000);
    const stop = { method: 'POST', path: `/v2/stop-call/${json.call_id}` } as const;
    const stopped = await sim.send(stop);
    expect([stopped.status, stopped.text]).toEqual([204, '']);
    expect(retell.said((await sim.read(json.call_id)).json)).toBe('not_connected manual_stopped');
    expect((await sim.send(stop)).status).toBe(400);
    expect((await sim.send({ method: 'POST', path: '/v2/stop-call/none' })).status).toBe(422);
  });

  test('lists by filters, page by page, without what was said', async () => {
    const ids: string[] = [];
    for (const phone of [phones.busy, phones.answered, phones['no-answer']]) {
      ids.push((await sim.dial(phone)).json.call_id);
    }
    sim.clock.pass(2_000_000);
    const list = async (body: unknown) => {
      const answer = await sim.send({ method: 'POST', path: '/v3/list-calls', body });
      return answer.status === 200 ? answer.json : answer.status;
    };
    const first = await list({ limit: 2, include_total: true });
    expect(first).toMatchObject({ has_more: true, total: 3, pagination_key: ids[1] });
    const second = await list({ limit: 2, pagination_key: first.pagination_key });
    expect(second.items.map(retell.itemId)).toEqual([ids[0]]);
    const to = { type: 'string', op: 'ew', value: phones.busy.slice(-4) };
    expect((await list({ filter_criteria: { to_number: to } })).items).toHaveLength(1);
    const status = { type: 'enum', op: 'in', value: ['not_connected'] };
    expect((await list({ filter_criteria: { call_status: status } })).items).toHaveLength(2);
    const started = { type: 'range', op: 'bt', value: [0, sim.clock.now()] };
    expect((await list({ filter_criteria: { start_timestamp: started } })).items).toHaveLength(1);
    const registered = { type: 'enum', op: 'in', value: ['registered'] };
    expect(await list({ filter_criteria: { call_status: registered } })).toBe(400);
    expect(await list({ filter_criteria: { metadata: { attempt_id: 'att_1' } } })).toBe(400);
    expect(await list({ limit: 1001 })).toBe(400);
  });
});
