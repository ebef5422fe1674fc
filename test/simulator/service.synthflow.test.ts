import { beforeEach, describe, expect, test } from 'vitest';
import { misfits } from './forms.ts';
import { holdFacts, openService, phones, type Service, type Speech } from './speech.ts';

const agent = '0b7c1f52-90d3-4d7e-8a55-1f0f7b6a0001';

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape.
type Json = any;
const recordOf = (json: Json) => json.response.calls[0];

const record = {
  call_id: 'uuid',
  model_id: 'filled',
  campaign_type: '=outbound',
  type_of_call: '=outbound',
  phone_number_from: 'e164',
  phone_number_to: 'e164',
  name: 'text',
  transcript: 'text',
  duration: 'int',
  recording_url: 'url|null',
  end_call_reason: 'text|null',
  custom_end_call_reason: 'null',
  error_message: 'text',
  executed_actions: 'object',
  prompt_variables: 'object',
  start_time: 'filled',
  timezone: 'filled',
  telephony_hangup: 'filled?',
  telephony_disconnect_reason: 'filled?',
  telephony_duration: 'int?',
  telephony_ringing_duration: 'int?',
  telephony_start: 'iso?',
  telephony_end: 'iso?',
  status: 'filled',
  collected_variables: 'object|null',
};

const synthflow: Speech = {
  service: 'synthflow',
  base: '/v2',
  key: (secret) => ({ authorization: `Bearer ${secret}` }),
  create: (phone, stamp) => ({
    path: '/calls',
    body: {
      model_id: agent,
      phone,
      name: 'Ada Park',
      from_phone_number: '+14155550100',
      custom_variables: [
        { key: 'attempt_id', value: stamp },
        { key: 'plan', value: 'gold' },
      ],
    },
  }),
  success: 200,
  created: { status: '=ok', response: 'object', eta: 'int' },
  id: (created) => created.response.call_id,
  get: (id) => `/calls/${id}`,
  record: { status: '=ok', response: 'object' },
  phoneOf: (json) => recordOf(json).phone_number_to,
  said(json) {
    expect(misfits(recordOf(json), record)).toEqual([]);
    const { status, end_call_reason, error_message } = recordOf(json);
    return [status, end_call_reason, error_message].filter(Boolean).join(' ');
  },
  live: { queued: 'pending', ringing: 'ringing', talking: 'in-progress' },
  ended: {
    answered: 'completed human_ended_call',
    'no-answer': 'no-answer undefined',
    voicemail: 'left_voicemail voicemail_message_left',
    busy: 'busy undefined',
    invalid: 'failed error Telephony - 400 - Invalid phone number',
    failed: 'failed error Telephony - 503 - Service Unavailable',
    dropped: 'failed error recovery_unresolved',
  },
  calls: (_stamp, phone, since) => ({
    method: 'GET',
    path: `/calls?model_id=${agent}&lead_phone_number=${encodeURIComponent(phone)}&from_date=${since}&limit=100`,
  }),
  items: (json) => json.response.calls,
  itemId: (item) => item.call_id,
  item: {
    call_id: 'uuid',
    model_id: 'filled',
    type_of_call: '=outbound',
    lead_name: 'text',
    lead_phone_number: 'e164',
    agent_phone_number: 'e164',
    call_status: 'filled',
    end_call_reason: 'text|null',
    duration: 'int',
    start_time: 'filled',
  },
  numbers: {
    ask: { method: 'GET', path: '/numbers?workspace=ws_1&limit=20&offset=0' },
    list: (json) => json.response.phone_numbers,
    form: { number: 'e164', sid: 'text|null', is_available: 'bool' },
  },
  agents: {
    ask: { method: 'GET', path: '/assistants/?limit=20&offset=0' },
    list: (json) => json.response.assistants,
    form: { model_id: 'uuid', name: 'text', type: '=outbound' },
  },
  statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
  wrong: [
    ['variables that are not pairs', (body) => Object.assign(body, { custom_variables: { plan: 'gold' } })],
    ['a variable that is a number', (body) => Object.assign(body.custom_variables[1], { value: 3 })],
    ['metadata', (body) => Object.assign(body, { metadata: {} })],
    ['a national phone', (body) => Object.assign(body, { phone: '4155550101' })],
    ['a caller that is not attached', (body) => Object.assign(body, { from_phone_number: '+14155559999' })],
    ['an agent that does not exist', (body) => Object.assign(body, { model_id: 'agent-unknown' })],
  ],
  required: ['model_id', 'phone', 'name'],
  error: ({ json }) =>
    misfits(json.detail, {
      status: '=error',
      description: 'filled',
      request_id: 'filled',
      category: 'filled',
    }),
  unknownId: '00000000-0000-4000-8000-000000000001',
};

holdFacts(synthflow);

describe('synthflow', () => {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(synthflow);
  });

  test('repeats the variables as a map, and completes a record after its end', async () => {
    const { json } = await sim.dial(phones.answered);
    const id = synthflow.id(json);
    let call: Json = {};
    while (call.status !== 'completed') {
      sim.clock.pass(1000);
      call = recordOf((await sim.read(id)).json);
    }
    expect(call).toMatchObject({
      recording_url: null,
      transcript: '',
      prompt_variables: { attempt_id: 'att_1' },
    });
    sim.clock.pass(30_000);
    call = recordOf((await sim.read(id)).json);
    expect(call.transcript).toMatch(/^bot: /);
    expect(call.recording_url).toContain(id);
    expect(call.duration).toBe(Math.ceil(call.telephony_duration / 1000));
    expect(Number(call.start_time)).toBeGreaterThan(1e12);
  });

  test('tells of some machines only by the reason of the end', async () => {
    const { json } = await sim.dial(phones.machine);
    sim.clock.pass(2_000_000);
    expect(synthflow.said((await sim.read(synthflow.id(json))).json)).toBe('completed voicemail');
  });

  test('says by 429 that too many talk, or on the record if it is set to', async () => {
    sim.control({ concurrency: 1 });
    await sim.dial(phones.answered);
    const full = await sim.dial(phones.busy);
    expect(full.status).toBe(429);
    expect(synthflow.error(full)).toEqual([]);
    sim.control({ refuseBy: 'record' });
    const { json } = await sim.dial(phones.busy);
    sim.clock.pass(5000);
    expect(synthflow.said((await sim.read(synthflow.id(json))).json)).toBe('failed error 429');
    expect([...sim.calls()].filter(({ rang }) => rang)).toHaveLength(1);
  });

  test('needs the agent for a list and the workspace for numbers, and pages by offset', async () => {
    const ask = (path: string) => sim.send({ method: 'GET', path });
    expect((await ask('/calls?limit=20')).status).toBe(400);
    expect((await ask('/numbers?limit=20')).status).toBe(400);
    expect((await ask(`/calls?model_id=${agent}&limit=101`)).status).toBe(400);
    const { response } = (await ask('/numbers?workspace=ws_1&limit=2&offset=4')).json;
    expect(response.pagination).toEqual({ total_records: 5, limit: 2, offset: 4 });
    expect(response.phone_numbers).toHaveLength(1);
    const one = (await ask(`/assistants/${agent}`)).json.response.assistants[0];
    expect(one.attached_phone_numbers).toHaveLength(5);
  });

  test('cannot hang up', async () => {
    const { json } = await sim.dial(phones.answered);
    const path = `/calls/${synthflow.id(json)}`;
    expect((await sim.send({ method: 'POST', path: `${path}/stop` })).status).toBe(404);
    expect((await sim.send({ method: 'POST', path })).status).toBe(405);
  });
});
