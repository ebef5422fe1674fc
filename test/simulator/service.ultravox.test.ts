import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const agent = '1c9e2d5a-0000-4a00-9b00-000000000001';

const call = {
  callId: 'uuid',
  clientVersion: 'text|null',
  created: 'iso',
  joined: 'iso|null',
  ended: 'iso|null',
  endReason: 'text|null',
  billedDuration: 'text|null',
  billedSideInputTokens: 'int|null',
  billedSideOutputTokens: 'int|null',
  billingStatus: 'filled',
  firstSpeaker: 'filled',
  firstSpeakerSettings: 'object',
  initialOutputMedium: '=MESSAGE_MEDIUM_VOICE',
  joinTimeout: 'text?',
  joinUrl: 'url|null',
  maxDuration: 'text?',
  medium: 'object?',
  recordingEnabled: 'bool?',
  shortSummary: 'text|null',
  summary: 'text|null',
  agent: 'object',
  agentId: 'uuid|null',
  experimentalSettings: 'object|null',
  metadata: 'object',
  initialState: 'object',
  requestContext: 'object|null',
  sipDetails: 'object|null',
};

const ultravox: Speech = {
  service: 'ultravox',
  base: '/api',
  key: (secret) => ({ 'x-api-key': secret }),
  create: (phone, stamp) => ({
    path: `/agents/${agent}/calls`,
    body: {
      templateContext: { name: 'Ada Park', visits: 3 },
      metadata: { attempt_id: stamp },
      medium: {
        sip: {
          outgoing: {
            to: `sip:${phone}@trunk.example.com`,
            from: '+14155550100',
            username: 'u',
            password: 'hidden',
          },
        },
      },
      joinTimeout: '60s',
      maxDuration: '600s',
      recordingEnabled: true,
      firstSpeakerSettings: { user: {} },
    },
  }),
  success: 201,
  created: call,
  id: (created) => created.callId,
  get: (id) => `/calls/${id}`,
  record: call,
  phoneOf: (record) => /\+\d+/.exec(record.medium.sip.outgoing.to)?.[0] ?? '',
  said({ joined, ended, endReason, sipDetails }) {
    if (ended === null) return joined === null ? 'waits' : 'joined';
    return [endReason, sipDetails.terminationReason.replace('SIP_TERMINATION_', ''), joined ? 'joined' : '']
      .filter(Boolean)
      .join(' ');
  },
  live: { queued: 'waits', ringing: 'waits', talking: 'joined' },
  ended: {
    answered: 'hangup NORMAL joined',
    'no-answer': 'unjoined TIMEOUT',
    voicemail: 'agent_hangup NORMAL joined',
    busy: 'unjoined BUSY',
    invalid: 'unjoined INVALID_NUMBER',
    failed: 'unjoined DESTINATION_UNAVAILABLE',
    dropped: 'system_error NORMAL joined',
  },
  calls: (stamp) => ({ method: 'GET', path: `/calls?metadata.attempt_id=${stamp}&pageSize=100` }),
  items: (json) => json.results,
  itemId: (item) => item.callId,
  item: call,
  agents: {
    ask: { method: 'GET', path: '/agents?pageSize=100' },
    list: (json) => json.results,
    form: {
      agentId: 'uuid',
      publishedRevisionId: 'uuid|null',
      name: 'text',
      created: 'iso',
      callTemplate: 'object',
      statistics: 'object',
    },
  },
  statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
  wrong: [
    ['metadata that is not text', (body) => Object.assign(body.metadata, { visits: 3 })],
    ['metadata of the service’s own', (body) => Object.assign(body.metadata, { 'ultravox.x': '1' })],
    ['a bare number on a trunk', (body) => Object.assign(body.medium.sip.outgoing, { to: phones.answered })],
    ['two ways to dial', (body) => Object.assign(body.medium, { twilio: body.medium.sip })],
    ['no way to dial', (body) => Object.assign(body, { medium: {} })],
    ['a duration that is a number', (body) => Object.assign(body, { joinTimeout: 60 })],
    ['a duration without its unit', (body) => Object.assign(body, { joinTimeout: '60' })],
    ['two first speakers', (body) => Object.assign(body.firstSpeakerSettings, { agent: {} })],
  ],
  required: ['medium'],
  error: ({ json, status }) =>
    status === 400 && !('detail' in json)
      ? Object.values(json).flatMap((texts) => (Array.isArray(texts) ? [] : ['not a list']))
      : misfits(json, { detail: 'filled' }),
  unknownId: '00000000-0000-4000-8000-000000000001',
};

holdFacts(ultravox);

describe('ultravox', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(ultravox);
  });

  const get = (path: string) => sim.send({ method: 'GET', path });

  test('is billed some time after its end, in steps of six seconds, and has its messages at once', async () => {
    const id = ultravox.id((await sim.dial(phones.answered)).json);
    let record = (await sim.read(id)).json;
    while (record.ended === null) {
      sim.clock.pass(1000);
      record = (await sim.read(id)).json;
    }
    expect(record).toMatchObject({
      billedDuration: null,
      billingStatus: 'BILLING_STATUS_PENDING',
      summary: null,
    });
    const messages = (await get(`/calls/${id}/messages?pageSize=2`)).json;
    expect(messages.results.map(({ role }: { role: string }) => role)).toEqual([
      'MESSAGE_ROLE_AGENT',
      'MESSAGE_ROLE_USER',
    ]);
    expect(messages.total).toBeGreaterThan(2);
    const rest = (await get(messages.next.slice(sim.url.length))).json;
    expect(rest.previous).not.toBeNull();
    sim.clock.pass(20_000);
    record = (await sim.read(id)).json;
    const talked = (Date.parse(record.ended) - Date.parse(record.joined)) / 1000;
    expect(Number.parseInt(record.billedDuration, 10)).toBe(Math.ceil(talked / 6) * 6);
    expect(record).toMatchObject({ billingStatus: 'BILLING_STATUS_BILLED', summary: expect.any(String) });
  });

  test('has a recording behind its key, if one was asked for', async () => {
    const id = ultravox.id((await sim.dial(phones.answered)).json);
    expect((await get(`/calls/${id}/recording`)).status).toBe(404);
    sim.clock.pass(2_000_000);
    const recording = await get(`/calls/${id}/recording`);
    expect(recording.status).toBe(302);
    expect(recording.headers.get('location')).toContain(id);
  });

  test('tells of a voicemail only by the tool that the agent used', async () => {
    const id = ultravox.id((await sim.dial(phones.voicemail)).json);
    sim.clock.pass(100_000);
    expect((await get(`/calls/${id}/messages`)).json.results.at(-1)).toMatchObject({
      role: 'MESSAGE_ROLE_TOOL_CALL',
      toolName: 'leaveVoicemail',
    });
  });

  test('ends unjoined if nobody answers within the join timeout', async () => {
    const { path, body } = ultravox.create(phones.answered, 'att_1');
    const { json } = await sim.send({ method: 'POST', path, body: { ...body, joinTimeout: '2s' } });
    sim.clock.pass(4000);
    expect(ultravox.said((await sim.read(json.callId)).json)).toBe('unjoined TIMEOUT');
  });

  test('says nothing of busy lines when a provider dials instead of a trunk', async () => {
    const { path, body } = ultravox.create(phones.busy, 'att_1');
    const medium = { twilio: { outgoing: { to: phones.busy, from: '+14155550100' } } };
    const { status, json } = await sim.send({ method: 'POST', path, body: { ...body, medium } });
    expect(status).toBe(201);
    sim.clock.pass(60_000);
    expect((await sim.read(json.callId)).json).toMatchObject({ endReason: 'unjoined', sipDetails: null });
    const foreign = { twilio: { outgoing: { to: phones.busy, from: '+14155559999' } } };
    expect((await sim.send({ method: 'POST', path, body: { ...body, medium: foreign } })).status).toBe(400);
  });

  test('says by 429 with Retry-After that too many talk, and knows no credit', async () => {
    sim.control({ concurrency: 1, credits: 0 });
    expect((await sim.dial(phones.answered)).status).toBe(201);
    const full = await sim.dial(phones.busy);
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '12']);
    expect((await get('/accounts/me')).json).toMatchObject({ activeCalls: 1, allowedConcurrentCalls: 1 });
  });

  test('hangs up by a message, once the call is joined', async () => {
    const id = ultravox.id((await sim.dial(phones.answered)).json);
    const hangUp = (body: unknown) =>
      sim.send({ method: 'POST', path: `/calls/${id}/send_data_message`, body });
    sim.clock.pass(2000);
    expect((await hangUp({ type: 'hang_up', message: '' })).status).toBe(422);
    while ((await sim.read(id)).json.joined === null) sim.clock.pass(500);
    sim.clock.pass(100);
    expect((await hangUp({ type: 'end' })).status).toBe(400);
    const done = await hangUp({ type: 'hang_up', message: 'Goodbye' });
    expect([done.status, done.text]).toEqual([204, '']);
    expect((await sim.read(id)).json.endReason).toBe('agent_hangup');
    expect((await hangUp({ type: 'hang_up' })).status).toBe(422);
  });

  test('keeps the password of a trunk out of record and journal', async () => {
    const { text } = await sim.dial(phones.answered);
    const { path, body } = ultravox.create(phones.answered, 'att_1');
    expect((await sim.send({ method: 'POST', path, body: { ...body, odd: 1 } })).status).toBe(400);
    expect(text).not.toContain('hidden');
    expect(JSON.stringify([...sim.journal()])).not.toContain('hidden');
  });

  test('lists by metadata, agent and day, and refuses what it does not know', async () => {
    await sim.dial(phones.answered, 'att_1');
    await sim.dial(phones.busy, 'att_2');
    expect((await get('/calls?metadata.attempt_id=att_2')).json.results).toHaveLength(1);
    expect((await get('/calls?metadata.other=att_2')).json.total).toBe(0);
    expect((await get(`/calls?agentIds=${agent}&pageSize=1`)).json).toMatchObject({
      total: 2,
      previous: null,
    });
    expect((await get(`/agents/${agent}/calls`)).json.total).toBe(2);
    const later = new Date(sim.clock.now() + 1000).toISOString();
    expect((await get(`/calls?fromDate=${later}`)).json.total).toBe(0);
    expect((await get('/calls?pageSize=101')).status).toBe(400);
    expect((await get('/calls?number=1')).status).toBe(400);
    const { body } = ultravox.create(phones.answered, 'att_1');
    sim.control({ agents: ['another'] });
    expect((await sim.send({ method: 'POST', path: `/agents/${agent}/calls`, body })).status).toBe(404);
  });
});
