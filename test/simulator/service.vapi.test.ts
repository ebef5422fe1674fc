import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const agent = '5b0a4a08-133c-4146-9315-0984f8c6be80';
const line = { id: '42b4b25d-031e-4786-857f-63b346c9580f', phone_number: '+14155550000' };

const published = {
  id: 'uuid',
  orgId: 'uuid',
  createdAt: 'iso',
  updatedAt: 'iso',
  type: '=outboundPhoneCall',
  status: 'filled',
  name: 'text?',
  assistantId: 'text?',
  phoneNumberId: 'text?',
  phoneCallProvider: '=twilio',
  customer: 'object?',
  assistantOverrides: 'object?',
  monitor: 'object',
  cost: 'number',
  costBreakdown: 'object?',
  startedAt: 'iso?',
  endedAt: 'iso?',
  endedReason: 'filled?',
  artifact: 'object?',
  analysis: 'object?',
};

const vapi: Speech = {
  service: 'vapi',
  base: '',
  key: (secret) => ({ authorization: `Bearer ${secret}` }),
  create: (phone, stamp) => ({
    path: '/call',
    body: {
      name: stamp,
      assistantId: agent,
      phoneNumberId: line.id,
      customer: { number: phone, name: 'Ada L', externalId: stamp },
      assistantOverrides: { variableValues: { first_name: 'Ada', balance: 12.5 } },
    },
  }),
  success: 201,
  created: { ...published, subscriptionLimits: 'object' },
  id: (created) => created.id,
  get: (id) => `/call/${id}`,
  record: published,
  phoneOf: (record) => record.customer.number,
  said: ({ status, endedReason }) => (status === 'ended' ? endedReason : status),
  live: { queued: 'queued', ringing: 'ringing', talking: 'in-progress' },
  ended: {
    'no-answer': 'customer-did-not-answer',
    voicemail: 'voicemail',
    busy: 'customer-busy',
    invalid: 'twilio-reported-customer-misdialed',
  },
  calls: (_stamp, _phone, since) => ({
    method: 'GET',
    path: `/call?assistantId=${agent}&createdAtGe=${new Date(since).toISOString()}&limit=1000`,
  }),
  items: (json) => json,
  itemId: (item) => item.id,
  item: published,
  numbers: {
    ask: { method: 'GET', path: '/phone-number?limit=100' },
    list: (json) => json,
    form: {
      id: 'uuid',
      orgId: 'uuid',
      provider: '=twilio',
      number: 'e164',
      name: 'text',
      status: '=active',
      twilioAccountSid: 'filled',
      createdAt: 'iso',
      updatedAt: 'iso',
    },
  },
  agents: {
    ask: { method: 'GET', path: '/assistant?limit=100' },
    list: (json) => json,
    form: { id: 'uuid', orgId: 'uuid', name: 'filled', createdAt: 'iso', updatedAt: 'iso' },
  },
  statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
  wrong: [
    ['a top-level metadata', (body) => Object.assign(body, { metadata: {} })],
    ['a name of 41 characters', (body) => Object.assign(body, { name: 'x'.repeat(41) })],
    ['a customer name of 41 characters', (body) => Object.assign(body.customer, { name: 'x'.repeat(41) })],
    ['a customer field of another name', (body) => Object.assign(body.customer, { phone: '+14155550101' })],
    ['a phone that is a number', (body) => Object.assign(body.customer, { number: 14155550101 })],
    ['a national phone', (body) => Object.assign(body.customer, { number: '4155550101' })],
    ['overrides of another name', (body) => Object.assign(body.assistantOverrides, { variables: {} })],
    ['an assistant that does not exist', (body) => Object.assign(body, { assistantId: 'agent-unknown' })],
    ['a number that does not exist', (body) => Object.assign(body, { phoneNumberId: 'none' })],
  ],
  required: ['assistantId', 'phoneNumberId', 'customer'],
  error: ({ json, status }) => [
    ...misfits(json, { message: 'text|list', error: 'text?', statusCode: 'int' }),
    ...(json.statusCode === status ? [] : ['another status']),
  ],
  unknownId: '00000000-0000-4000-8000-000000000001',
};
const numbers = [line, '+14155550101', '+14155550102'];

holdFacts(vapi, { numbers });

describe('vapi', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(vapi, { numbers });
  });

  test('names each unknown field in a list, and a missing caller in one sentence', async () => {
    const { body } = vapi.create(phones.answered, 'att_1');
    const extra = await sim.send({ method: 'POST', path: '/call', body: { ...body, metadata: {} } });
    expect(extra.json).toEqual({
      message: ['property metadata should not exist'],
      error: 'Bad Request',
      statusCode: 400,
    });
    const { phoneNumberId: _, ...rest } = body;
    const missing = await sim.send({ method: 'POST', path: '/call', body: rest });
    expect(missing.json.message).toContain("Couldn't Get Phone Number");
  });

  test('completes a record some time after its end', async () => {
    const { json } = await sim.dial(phones.answered);
    let record = json;
    while (record.status !== 'ended') {
      sim.clock.pass(1000);
      record = (await sim.read(json.id)).json;
    }
    expect(record).toMatchObject({ cost: 0, startedAt: expect.any(String), endedAt: expect.any(String) });
    expect(record.artifact).toBeUndefined();
    sim.clock.pass(10_000);
    record = (await sim.read(json.id)).json;
    expect(record.cost).toBeGreaterThan(0);
    expect(record.artifact.transcript).toMatch(/^AI: /);
    expect(record.artifact.recording.mono.combinedUrl).toContain(json.id);
    expect(record.analysis.summary).toBeTruthy();
  });

  test('says of a call that broke after it was answered which part broke', async () => {
    const { json } = await sim.dial(phones.dropped);
    sim.clock.pass(100_000);
    const record = (await sim.read(json.id)).json;
    expect(record.endedReason).toMatch(/^(pipeline-error-|call\.in-progress\.error-vapifault-)/);
    expect(record.startedAt).toBeTruthy();
  });

  test('takes a call without room, and ends its record without having dialled', async () => {
    sim.control({ concurrency: 1 });
    const first = await sim.dial(phones.answered);
    expect(first.json.subscriptionLimits).toEqual({
      concurrencyBlocked: false,
      concurrencyLimit: 1,
      remainingConcurrentCalls: 0,
    });
    const blocked = await sim.dial(phones['no-answer']);
    expect(blocked.status).toBe(201);
    expect(blocked.json).toMatchObject({
      status: 'queued',
      subscriptionLimits: { concurrencyBlocked: true, remainingConcurrentCalls: 0 },
    });
    sim.clock.pass(5000);
    expect((await sim.read(blocked.json.id)).json).toMatchObject({
      status: 'ended',
      endedReason: 'call.start.error-subscription-concurrency-limit-reached',
    });
    expect([...sim.calls()].map(({ rang }) => rang)).toEqual([false, true]);
    expect(sim.state()).toMatchObject({ created: 2, distinctPhones: 1, duplicates: 0 });
  });

  test('may let a blocked call ring when another has ended', async () => {
    sim.control({ concurrency: 1, blocked: 'rings' });
    await sim.dial(phones.busy);
    const blocked = await sim.dial(phones['no-answer']);
    expect(blocked.json.subscriptionLimits.concurrencyBlocked).toBe(true);
    expect((await sim.read(blocked.json.id)).json.status).toBe('queued');
    expect(sim.state().inFlight).toBe(1);
    sim.clock.pass(10_000);
    expect((await sim.read(blocked.json.id)).json.status).toBe('ringing');
    sim.clock.pass(60_000);
    expect((await sim.read(blocked.json.id)).json.endedReason).toBe('customer-did-not-answer');
  });

  test('hangs up by the address that the create told, without a key', async () => {
    const { json } = await sim.dial(phones.answered);
    sim.clock.pass(2000);
    const end = (body: unknown) =>
      fetch(json.monitor.controlUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await end({ type: 'end' })).status).toBe(400);
    expect((await end({ type: 'end-call' })).status).toBe(200);
    expect((await sim.read(json.id)).json).toMatchObject({
      status: 'ended',
      endedReason: 'manually-canceled',
    });
    expect((await end({ type: 'end-call' })).status).toBe(404);
  });

  test('lists by assistant, number and time, and refuses other filters', async () => {
    await sim.dial(phones.answered);
    const list = (query: string) => sim.send({ method: 'GET', path: `/call?${query}` });
    expect((await list(`phoneNumberId=${line.id}`)).json).toHaveLength(1);
    expect((await list('assistantId=another')).json).toEqual([]);
    const later = new Date(sim.clock.now() + 1000).toISOString();
    expect((await list(`createdAtGe=${later}`)).json).toEqual([]);
    expect((await list('limit=0')).json).toEqual([]);
    for (const query of ['limit=1001', 'name=att_1', 'createdAtGe=yesterday']) {
      expect((await list(query)).status).toBe(400);
    }
  });
});
