import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const agent = '123e4567-e89b-12d3-a456-426655440000';
const unknownAgent = '123e4567-e89b-12d3-a456-000000000000';

const bolna: Speech = {
  service: 'bolna',
  base: '',
  key: (secret) => ({ authorization: `Bearer ${secret}` }),
  create: (phone, stamp) => ({
    path: '/call',
    body: {
      agent_id: agent,
      recipient_phone_number: phone,
      from_phone_number: '+14155550100',
      user_data: { first_name: 'Ada', visits: 3, attempt_id: stamp },
      bypass_call_guardrails: false,
    },
  }),
  success: 200,
  created: { message: '=done', status: '=queued', execution_id: 'uuid' },
  id: (created) => created.execution_id,
  get: (id) => `/executions/${id}`,
  record: {
    id: 'uuid',
    agent_id: 'uuid',
    batch_id: 'text|null',
    status: 'filled',
    error_message: 'text|null',
    conversation_duration: 'number',
    total_cost: 'number',
    answered_by_voice_mail: 'bool|null',
    transcript: 'text|null',
    termination_reason: 'text|null',
    created_at: 'iso',
    updated_at: 'iso',
    cost_breakdown: 'object',
    telephony_data: 'object|null',
    transfer_call_data: 'object|null',
    extracted_data: 'object|null',
    context_details: 'object',
  },
  phoneOf: (record) => record.telephony_data.to_number,
  said: ({ status, answered_by_voice_mail }) => (answered_by_voice_mail ? `${status} by a machine` : status),
  live: { queued: 'queued', ringing: 'ringing', talking: 'in-progress' },
  ended: {
    answered: 'completed',
    'no-answer': 'no-answer',
    voicemail: 'completed by a machine',
    busy: 'busy',
    invalid: 'failed',
    failed: 'failed',
    dropped: 'error',
  },
  calls: (_stamp, _phone, since) => ({
    method: 'GET',
    path: `/v2/agent/${agent}/executions?from=${new Date(since).toISOString()}&page_size=50`,
  }),
  items: (json) => json.data,
  itemId: (item) => item.id,
  item: {
    id: 'uuid',
    status: 'filled',
    conversation_duration: 'number',
    created_at: 'iso',
    telephony_data: 'object',
  },
  numbers: {
    ask: { method: 'GET', path: '/phone-numbers/all' },
    list: (json) => json,
    form: {
      id: 'filled',
      phone_number: 'e164',
      agent_id: 'uuid|null',
      telephony_provider: '=plivo',
      rented: 'bool',
      price: 'text',
      created_at: 'iso',
      renewal_at: 'text',
    },
  },
  agents: {
    ask: { method: 'GET', path: '/v2/agent/all' },
    list: (json) => json,
    form: {
      id: 'uuid',
      agent_name: 'text',
      agent_type: 'text',
      agent_status: '=processed',
      created_at: 'iso',
      updated_at: 'iso',
    },
  },
  statuses: { badKey: 403, noKey: 401, badBody: 422, badJson: 400, unknownCall: 404 },
  wrong: [
    ['an agent that is not a UUID', (body) => Object.assign(body, { agent_id: 'agent-1' })],
    ['a national phone', (body) => Object.assign(body, { recipient_phone_number: '9876543210' })],
    [
      'a caller that is not the account’s',
      (body) => Object.assign(body, { from_phone_number: '+14155559999' }),
    ],
    ['user_data that is a list', (body) => Object.assign(body, { user_data: [] })],
    ['redialling by the service', (body) => Object.assign(body, { retry_config: { enabled: true } })],
  ],
  required: ['agent_id', 'recipient_phone_number'],
  error: ({ json, status }) =>
    status === 403 ? misfits(json, { detail: 'filled' }) : misfits(json, { error: 'int', message: 'filled' }),
  unknownId: '00000000-0000-4000-8000-000000000001',
};

holdFacts(bolna);

describe('bolna', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(bolna, { unknownAgents: [unknownAgent] });
  });

  test('is disconnected before it is completed, and final only then', async () => {
    const { json } = await sim.dial(phones.answered);
    const live = ['queued', 'initiated', 'ringing', 'in-progress'];
    const seen: string[] = [];
    let record = json;
    let early = json;
    while (record.status !== 'completed') {
      sim.clock.pass(seen.length < 2 ? 200 : 1000);
      record = (await sim.read(json.execution_id)).json;
      if (seen.at(-1) !== record.status) seen.push(record.status);
      if (record.status === 'call-disconnected') early = record;
    }
    expect(seen).toEqual(live.concat('call-disconnected', 'completed'));
    expect(early).toMatchObject({
      conversation_duration: 0,
      total_cost: 0,
      telephony_data: { recording_url: '' },
    });
    expect(record.transcript.length).toBeGreaterThan(early.transcript.length);
    expect(record.total_cost).toBeCloseTo(Math.ceil(record.conversation_duration / 60) * 8);
    expect(record.telephony_data).toMatchObject({
      duration: String(record.conversation_duration),
      recording_url: expect.stringContaining(json.execution_id),
    });
    expect(record.context_details.recipient_data).toMatchObject({ attempt_id: 'att_1', visits: 3 });
  });

  test('stays queued until there is room, and can be stopped only while it is', async () => {
    sim.control({ concurrency: 1 });
    const first = (await sim.dial(phones.busy)).json.execution_id;
    const second = (await sim.dial(phones['no-answer'])).json.execution_id;
    const third = (await sim.dial(phones.answered)).json.execution_id;
    const status = async (id: string) => (await sim.read(id)).json.status;
    const stop = (id: string) => sim.send({ method: 'POST', path: `/call/${id}/stop` });
    sim.clock.pass(1300);
    expect([await status(first), await status(second)]).toEqual(['ringing', 'queued']);
    expect((await stop(first)).status).toBe(400);
    expect((await stop(third)).json).toEqual({ message: 'done', status: 'stopped', execution_id: third });
    sim.clock.pass(10_000);
    expect([await status(first), await status(second)]).toEqual(['busy', 'ringing']);
    sim.clock.pass(100_000);
    expect([await status(second), await status(third)]).toEqual(['no-answer', 'stopped']);
    expect([...sim.calls()].map(({ rang }) => rang)).toEqual([false, true, true]);
    expect(sim.state()).toMatchObject({ peakInFlight: 1, inFlight: 0 });
  });

  test('lists an agent’s calls of seven days at most, without their data', async () => {
    await sim.dial(phones.answered);
    const list = (query: string, of = agent) =>
      sim.send({ method: 'GET', path: `/v2/agent/${of}/executions?${query}` });
    const { json } = await list('status=queued');
    expect(json).toMatchObject({ page_number: 1, page_size: 20, total: 1, has_more: false });
    expect(JSON.stringify(json)).not.toContain('att_1');
    expect((await list('page_number=2')).json.data).toEqual([]);
    const week = new Date(sim.clock.now() - 7.1 * 86_400_000).toISOString();
    expect((await list(`from=${week}`)).status).toBe(400);
    expect((await list('page_size=51')).status).toBe(422);
    expect((await list('', unknownAgent)).status).toBe(404);
  });

  test('fails on a time with a Z, and on an agent that does not exist', async () => {
    const { path, body } = bolna.create(phones.answered, 'att_1');
    const at = { ...body, scheduled_at: '2026-11-24T10:00:00Z' };
    expect((await sim.send({ method: 'POST', path, body: at })).status).toBe(500);
    const unknown = await sim.send({ method: 'POST', path, body: { ...body, agent_id: unknownAgent } });
    expect(unknown.status).toBe(404);
    expect(bolna.error(unknown)).toEqual([]);
  });
});
