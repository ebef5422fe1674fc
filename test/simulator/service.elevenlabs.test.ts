import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const twilio = { id: 'phnum_main', phone_number: '+14155550000' };
const trunk = { id: 'phnum_trunk', phone_number: '+14155550001' };
const numbers = [twilio, trunk, '+14155550002'];

const elevenlabs: Speech = {
  service: 'elevenlabs',
  base: '',
  key: (secret) => ({ 'xi-api-key': secret }),
  create: (phone, stamp) => ({
    path: '/v1/convai/twilio/outbound-call',
    body: {
      agent_id: 'agent_01jy',
      agent_phone_number_id: twilio.id,
      to_number: phone,
      conversation_initiation_client_data: {
        user_id: stamp,
        dynamic_variables: { first_name: 'Ada', balance: 12.5, vip: true },
      },
      telephony_call_config: { ringing_timeout_secs: 45 },
    },
  }),
  success: 200,
  created: { success: 'bool', message: 'text', conversation_id: 'filled|null', callSid: 'filled|null' },
  id: (created) => created.conversation_id,
  get: (id) => `/v1/convai/conversations/${id}`,
  record: {
    agent_id: 'filled',
    agent_name: 'text|null',
    status: 'filled',
    user_id: 'text|null',
    metadata: 'object',
    analysis: 'object|null',
    conversation_initiation_client_data: 'object',
    conversation_id: 'filled',
    has_audio: 'bool',
    has_user_audio: 'bool',
    has_response_audio: 'bool',
    has_auxiliary_audio: 'bool',
    transcript: 'list',
  },
  phoneOf: (record) => record.metadata.phone_call.external_number,
  said: ({ status }) => status,
  live: { queued: 'initiated', ringing: 'initiated', talking: 'in-progress' },
  ended: {
    answered: 'done',
    'no-answer': 'initiated',
    voicemail: 'done',
    busy: 'initiated',
    failed: 'failed',
    dropped: 'failed',
  },
  calls: (stamp) => ({ method: 'GET', path: `/v1/convai/conversations?user_id=${stamp}&page_size=100` }),
  items: (json) => json.conversations,
  itemId: (item) => item.conversation_id,
  item: {
    agent_id: 'filled',
    agent_name: 'text|null',
    conversation_id: 'filled',
    start_time_unix_secs: 'secs',
    call_duration_secs: 'int',
    message_count: 'int',
    status: 'filled',
    termination_reason: 'text',
    call_successful: 'filled',
    direction: '=outbound',
  },
  numbers: {
    ask: { method: 'GET', path: '/v1/convai/phone-numbers' },
    list: (json) => json,
    form: {
      phone_number: 'e164',
      label: 'text',
      phone_number_id: 'filled',
      provider: '=twilio|=sip_trunk',
      supports_inbound: 'bool',
      supports_outbound: 'bool',
      livekit_stack: '=standard?',
      assigned_agent: 'object|null',
    },
  },
  agents: {
    ask: { method: 'GET', path: '/v1/convai/agents?page_size=100' },
    list: (json) => json.agents,
    form: {
      agent_id: 'filled',
      name: 'text',
      tags: 'list',
      created_at_unix_secs: 'secs',
      access_info: 'object',
      last_call_time_unix_secs: 'secs|null',
      archived: 'bool',
    },
  },
  statuses: { badKey: 401, badBody: 422, unknownCall: 404 },
  wrong: [
    ['an agent that is a number', (body) => Object.assign(body, { agent_id: 1 })],
    ['a national phone', (body) => Object.assign(body, { to_number: '4155550101' })],
    [
      'a variable that is an object',
      (body) =>
        Object.assign(body.conversation_initiation_client_data.dynamic_variables, { address: { city: 'X' } }),
    ],
    [
      'a variable of the system',
      (body) => Object.assign(body.conversation_initiation_client_data.dynamic_variables, { system__x: 1 }),
    ],
    [
      'metadata, which has no place',
      (body) => Object.assign(body.conversation_initiation_client_data, { metadata: {} }),
    ],
    [
      'a ringing time of 1000 s',
      (body) => Object.assign(body.telephony_call_config, { ringing_timeout_secs: 1000 }),
    ],
  ],
  required: ['agent_id', 'agent_phone_number_id', 'to_number'],
  error({ json, status }) {
    if (Array.isArray(json.detail)) {
      const form = { loc: 'list', msg: 'filled', type: 'filled', 'input?': 'text?' };
      return json.detail.flatMap(({ input: _, ...one }: Record<string, unknown>) => misfits(one, form));
    }
    if (status === 422) return ['not a list'];
    return misfits(json.detail, {
      type: 'filled',
      code: 'filled',
      message: 'filled',
      status: 'filled',
      request_id: 'filled',
    });
  },
  unknownId: 'conv_00000000000000000000000001',
};

holdFacts(elevenlabs, { numbers });

describe('elevenlabs', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(elevenlabs, { numbers });
  });

  const post = (path: string, change: Record<string, unknown>) => {
    const { body } = elevenlabs.create(phones.answered, 'att_1');
    return sim.send({ method: 'POST', path, body: { ...body, ...change } });
  };

  test('has a path for each provider of numbers, and the other path is refused', async () => {
    const sip = '/v1/convai/sip-trunk/outbound-call';
    const dialled = await post(sip, { agent_phone_number_id: trunk.id });
    expect(
      misfits(dialled.json, {
        success: 'bool',
        message: 'text',
        conversation_id: 'filled',
        sip_call_id: 'filled',
      }),
    ).toEqual([]);
    const record = (await sim.read(dialled.json.conversation_id)).json;
    expect(record.metadata.phone_call).toMatchObject({ type: 'sip_trunking', agent_number: '+14155550001' });
    expect((await post(sip, {})).status).toBe(400);
    expect((await post('/v1/convai/twilio/outbound-call', { agent_phone_number_id: trunk.id })).status).toBe(
      400,
    );
  });

  test('is processing before it is done, and then has turns, costs and audio', async () => {
    const { json } = await sim.dial(phones.answered);
    const seen: string[] = [];
    let record = json;
    while (record.status !== 'done') {
      sim.clock.pass(1000);
      record = (await sim.read(json.conversation_id)).json;
      if (seen.at(-1) !== record.status) seen.push(record.status);
      if (record.status === 'processing') expect(record).toMatchObject({ analysis: null, transcript: [] });
    }
    expect(seen).toEqual(['initiated', 'in-progress', 'processing', 'done']);
    expect(record.transcript[0]).toMatchObject({
      role: 'agent',
      message: expect.any(String),
      time_in_call_secs: 0,
    });
    expect(record.transcript.some(({ role }: { role: string }) => role === 'user')).toBe(true);
    expect(record.metadata.cost).toBe(Math.round(record.metadata.cost_fiat * 2500));
    expect(record.metadata.call_duration_secs).toBeGreaterThan(0);
    expect(record).toMatchObject({ user_id: 'att_1', has_audio: true });
    expect(record.conversation_initiation_client_data.dynamic_variables).toMatchObject({ balance: 12.5 });
    const audio = await sim.send({ method: 'GET', path: `${elevenlabs.get(json.conversation_id)}/audio` });
    expect(audio.headers.get('content-type')).toBe('audio/mpeg');
  });

  test('tells of a voicemail only by the tool that the agent used', async () => {
    const { json } = await sim.dial(phones.voicemail);
    sim.clock.pass(2_000_000);
    const record = (await sim.read(json.conversation_id)).json;
    expect(record.transcript.at(-1).tool_calls).toMatchObject([{ tool_name: 'voicemail_detection' }]);
  });

  test('has no audio of a call that nobody answered', async () => {
    const { json } = await sim.dial(phones['no-answer']);
    sim.clock.pass(2_000_000);
    const audio = await sim.send({ method: 'GET', path: `${elevenlabs.get(json.conversation_id)}/audio` });
    expect(audio.status).toBe(404);
    expect((await sim.read(json.conversation_id)).json).toMatchObject({
      status: 'initiated',
      transcript: [],
    });
  });

  test('says by 200 that the carrier refused, for a number that is none and as a fault', async () => {
    const invalid = await sim.dial(phones.invalid);
    sim.control({ faults: [{ kind: 'undialled', next: 1 }] });
    const struck = await sim.dial(phones.answered);
    for (const { status, json } of [invalid, struck]) {
      expect(status).toBe(200);
      expect(json).toMatchObject({ success: false, conversation_id: null, callSid: null });
    }
    expect(sim.state().created).toBe(0);
    expect((await sim.dial(phones.answered)).json.success).toBe(true);
  });

  test('says by 401 that credit has run out, and by 429 that too many talk', async () => {
    sim.control({ credits: 0 });
    const poor = await sim.dial(phones.answered);
    expect([poor.status, poor.json.detail.status]).toEqual([401, 'quota_exceeded']);
    sim.control({ credits: null, concurrency: 1 });
    await sim.dial(phones.answered);
    const full = await sim.dial(phones.busy);
    expect([full.status, full.json.detail.code]).toEqual([429, 'too_many_concurrent_requests']);
    expect(elevenlabs.error(full)).toEqual([]);
  });

  test('answers 404 for an agent or a number that does not exist', async () => {
    const path = '/v1/convai/twilio/outbound-call';
    expect((await post(path, { agent_id: 'agent-unknown' })).status).toBe(404);
    expect((await post(path, { agent_phone_number_id: 'phnum_none' })).status).toBe(404);
  });

  test('rings no longer than it is told to', async () => {
    const path = '/v1/convai/twilio/outbound-call';
    const { json } = await post(path, { telephony_call_config: { ringing_timeout_secs: 2 } });
    sim.clock.pass(100_000);
    expect((await sim.read(json.conversation_id)).json.status).toBe('initiated');
    expect(sim.state().ended).toEqual({ 'no-answer': 1 });
  });

  test('lists by cursor, agent and time', async () => {
    for (const phone of [phones.busy, phones.answered, phones['no-answer']]) {
      await sim.dial(phone);
      sim.clock.pass(2000);
    }
    const list = (query: string) => sim.send({ method: 'GET', path: `/v1/convai/conversations?${query}` });
    const first = (await list('page_size=2')).json;
    expect(first).toMatchObject({ has_more: true, next_cursor: first.conversations[1].conversation_id });
    const second = (await list(`page_size=2&cursor=${first.next_cursor}`)).json;
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    expect(second.conversations).toHaveLength(1);
    const since = Math.floor((sim.clock.now() - 5000) / 1000);
    expect(
      (await list(`call_start_after_unix=${since}&agent_id=agent_01jy`)).json.conversations,
    ).toHaveLength(2);
    for (const query of ['page_size=101', 'phone=1', 'call_start_after_unix=soon']) {
      expect((await list(query)).status).toBe(422);
    }
  });
});
