/** How each service is asked and how it answers, and a simulator that speaks so. */
import type { ServiceName, SimulatorOptions } from '../../simulator/settings.ts';
import { type Answered, type Client, createHandClock, type HandClock, openSimulator } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
export type Json = any;
export type Ask = { method: 'GET' | 'POST'; path: string; body?: Json };

export const phones = {
  answered: '+14155550101',
  'no-answer': '+14155550102',
  voicemail: '+14155550108',
  /** One with an odd last digit. */
  machine: '+14155550103',
  busy: '+14155550104',
  invalid: '+14155550105',
  failed: '+14155550106',
  dropped: '+14155550107',
} as const;
export type Fates = Exclude<keyof typeof phones, 'machine'>;

export type Speech = {
  key(secret: string): Record<string, string>;
  create(phone: string, stamp: string): { path: string; body: Json };
  /** The status of a successful create. */
  success: number;
  id(created: Json): string;
  get(id: string): string;
  phoneOf(record: Json): string;
  /** A call's state as the record says it, in one word or a few. */
  said(record: Json): string;
  live: readonly [queued: string, ringing: string, talking: string];
  ended: Partial<Record<Fates, string>>;
  /** How the list is asked for one call, and what it answers. */
  calls(stamp: string, phone: string, since: number): Ask;
  ids(list: Json): unknown[];
  /** A list of numbers or agents. */
  list: Ask;
  statuses: { badKey: number; noKey?: number; badBody: number; badJson?: number; unknownCall: number };
  /** What is wrong with a create, by what is laid over its body. */
  wrong: Record<string, Json>;
  required: readonly string[];
  /** The sentence of a refusal. */
  refusal(json: Json): unknown;
  unknownId: string;
};

const uuid = '00000000-0000-4000-8000-000000000001';
export const agent = '5b0a4a08-133c-4146-9315-0984f8c6be80';
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const since = (at: number) => new Date(at).toISOString();
const fastApi = ({ detail }: Json) => (Array.isArray(detail) ? detail[0].msg : detail);

export const speeches: Record<Exclude<ServiceName, 'standard'>, Speech> = {
  vapi: {
    key: bearer,
    create: (phone, stamp) => ({
      path: '/call',
      body: {
        name: stamp,
        assistantId: agent,
        phoneNumberId: 'line-1',
        customer: { number: phone, name: 'Ada L', externalId: stamp },
        assistantOverrides: { variableValues: { first_name: 'Ada', balance: 12.5 } },
      },
    }),
    success: 201,
    id: ({ id }) => id,
    get: (id) => `/call/${id}`,
    phoneOf: ({ customer }) => customer.number,
    said: ({ status, endedReason }) => (status === 'ended' ? endedReason : status),
    live: ['queued', 'ringing', 'in-progress'],
    ended: {
      'no-answer': 'customer-did-not-answer',
      voicemail: 'voicemail',
      busy: 'customer-busy',
      invalid: 'twilio-reported-customer-misdialed',
    },
    calls: (_stamp, _phone, at) => ({
      method: 'GET',
      path: `/call?assistantId=${agent}&createdAtGe=${since(at)}&limit=1000`,
    }),
    ids: (list) => list.map(({ id }: Json) => id),
    list: { method: 'GET', path: '/phone-number?limit=100' },
    statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
    wrong: {
      'a top-level metadata': { metadata: {} },
      'a name of 41 characters': { name: 'x'.repeat(41) },
      'a customer field of another name': { customer: { phone: '+14155550101' } },
      'a phone that is a number': { customer: { number: 14155550101 } },
      'a national phone': { customer: { number: '4155550101' } },
      'overrides of another name': { assistantOverrides: { variables: {} } },
      'an assistant that does not exist': { assistantId: 'agent-unknown' },
      'a number that does not exist': { phoneNumberId: 'none' },
    },
    required: ['assistantId', 'phoneNumberId', 'customer'],
    refusal: ({ message }) => [message].flat()[0],
    unknownId: uuid,
  },
  retell: {
    key: bearer,
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
    id: ({ call_id }) => call_id,
    get: (id) => `/v2/get-call/${id}`,
    phoneOf: ({ to_number }) => to_number,
    said: ({ call_status, disconnection_reason, start_timestamp }) =>
      [call_status, disconnection_reason, start_timestamp ? 'reached' : undefined].filter(Boolean).join(' '),
    live: ['registered', 'registered', 'ongoing reached'],
    ended: {
      answered: 'ended user_hangup reached',
      'no-answer': 'not_connected dial_no_answer',
      voicemail: 'ended voicemail_reached reached',
      busy: 'not_connected dial_busy',
      invalid: 'not_connected invalid_destination',
      failed: 'not_connected telephony_provider_unavailable',
      dropped: 'error error_llm_websocket_runtime reached',
    },
    calls: (stamp) => ({
      method: 'POST',
      path: '/v3/list-calls',
      body: {
        filter_criteria: { metadata: [{ key: 'attempt_id', type: 'string', op: 'eq', value: stamp }] },
        limit: 50,
      },
    }),
    ids: ({ items }) => items.map(({ call_id }: Json) => call_id),
    list: { method: 'GET', path: '/v2/list-phone-numbers?limit=50' },
    statuses: { badKey: 401, badBody: 400, unknownCall: 422 },
    wrong: {
      'an agent_id, which is not a field': { agent_id: 'agent_1' },
      'a variable that is a number': { retell_llm_dynamic_variables: { a: 1 } },
      'a metadata that is text': { metadata: 'att_1' },
      'an empty agent': { override_agent_id: '' },
      'a national phone': { to_number: '4155550101' },
      'a phone that is a number': { to_number: 14155550101 },
      'an override of another name': { agent_override: { voice: {} } },
    },
    required: ['from_number', 'to_number'],
    refusal: ({ message }) => message,
    unknownId: 'call_000000000000000000000000000',
  },
  elevenlabs: {
    key: (secret) => ({ 'xi-api-key': secret }),
    create: (phone, stamp) => ({
      path: '/v1/convai/twilio/outbound-call',
      body: {
        agent_id: 'agent_01jy',
        agent_phone_number_id: 'line-1',
        to_number: phone,
        conversation_initiation_client_data: { user_id: stamp, dynamic_variables: { balance: 12.5 } },
        telephony_call_config: { ringing_timeout_secs: 45 },
      },
    }),
    success: 200,
    id: ({ conversation_id }) => conversation_id,
    get: (id) => `/v1/convai/conversations/${id}`,
    phoneOf: ({ metadata }) => metadata.phone_call.external_number,
    said: ({ status }) => status,
    live: ['initiated', 'initiated', 'in-progress'],
    ended: {
      answered: 'done',
      'no-answer': 'initiated',
      voicemail: 'done',
      busy: 'initiated',
      failed: 'failed',
      dropped: 'failed',
    },
    calls: (stamp) => ({ method: 'GET', path: `/v1/convai/conversations?user_id=${stamp}&page_size=100` }),
    ids: ({ conversations }) => conversations.map(({ conversation_id }: Json) => conversation_id),
    list: { method: 'GET', path: '/v1/convai/phone-numbers' },
    statuses: { badKey: 401, badBody: 422, unknownCall: 404 },
    wrong: {
      'an agent that is a number': { agent_id: 1 },
      'a national phone': { to_number: '4155550101' },
      'a variable that is an object': {
        conversation_initiation_client_data: { dynamic_variables: { address: { city: 'X' } } },
      },
      'a variable of the system': {
        conversation_initiation_client_data: { dynamic_variables: { system__x: 1 } },
      },
      'metadata, which has no place': { conversation_initiation_client_data: { metadata: {} } },
      'a ringing time of 1000 s': { telephony_call_config: { ringing_timeout_secs: 1000 } },
    },
    required: ['agent_id', 'agent_phone_number_id', 'to_number'],
    refusal: ({ detail }) => (Array.isArray(detail) ? detail[0].msg : detail.message),
    unknownId: 'conv_00000000000000000000000001',
  },
  bolna: {
    key: bearer,
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
    id: ({ execution_id }) => execution_id,
    get: (id) => `/executions/${id}`,
    phoneOf: ({ telephony_data }) => telephony_data.to_number,
    said: ({ status, answered_by_voice_mail }) =>
      answered_by_voice_mail ? `${status} by a machine` : status,
    live: ['queued', 'ringing', 'in-progress'],
    ended: {
      answered: 'completed',
      'no-answer': 'no-answer',
      voicemail: 'completed by a machine',
      busy: 'busy',
      invalid: 'failed',
      failed: 'failed',
      dropped: 'error',
    },
    calls: (_stamp, _phone, at) => ({
      method: 'GET',
      path: `/v2/agent/${agent}/executions?from=${since(at)}&page_size=50`,
    }),
    ids: ({ data }) => data.map(({ id }: Json) => id),
    list: { method: 'GET', path: '/phone-numbers/all' },
    statuses: { badKey: 403, noKey: 401, badBody: 422, badJson: 400, unknownCall: 404 },
    wrong: {
      'an agent that is not a UUID': { agent_id: 'agent-1' },
      'a national phone': { recipient_phone_number: '9876543210' },
      'a caller that is not the account’s': { from_phone_number: '+14155559999' },
      'user_data that is a list': { user_data: [] },
      'redialling by the service': { retry_config: { enabled: true } },
    },
    required: ['agent_id', 'recipient_phone_number'],
    refusal: ({ message, detail }) => message ?? detail,
    unknownId: uuid,
  },
  synthflow: {
    key: bearer,
    create: (phone, stamp) => ({
      path: '/calls',
      body: {
        model_id: agent,
        phone,
        name: 'Ada Park',
        from_phone_number: '+14155550100',
        custom_variables: [{ key: 'attempt_id', value: stamp }],
      },
    }),
    success: 200,
    id: ({ response }) => response.call_id,
    get: (id) => `/calls/${id}`,
    phoneOf: ({ response }) => response.calls[0].phone_number_to,
    said({ response }) {
      const { status, end_call_reason, error_message } = response.calls[0];
      return [status, end_call_reason, error_message].filter(Boolean).join(' ');
    },
    live: ['pending', 'ringing', 'in-progress'],
    ended: {
      answered: 'completed human_ended_call',
      'no-answer': 'no-answer undefined',
      voicemail: 'left_voicemail voicemail_message_left',
      busy: 'busy undefined',
      invalid: 'failed error Telephony - 400 - Invalid phone number',
      failed: 'failed error Telephony - 503 - Service Unavailable',
      dropped: 'failed error recovery_unresolved',
    },
    calls: (_stamp, phone, at) => ({
      method: 'GET',
      path: `/calls?model_id=${agent}&lead_phone_number=${encodeURIComponent(phone)}&from_date=${at}&limit=100`,
    }),
    ids: ({ response }) => response.calls.map(({ call_id }: Json) => call_id),
    list: { method: 'GET', path: '/numbers?workspace=ws_1&limit=20&offset=0' },
    statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
    wrong: {
      'variables that are not pairs': { custom_variables: { plan: 'gold' } },
      'a variable that is a number': { custom_variables: [{ key: 'plan', value: 3 }] },
      metadata: { metadata: {} },
      'a national phone': { phone: '4155550101' },
      'a caller that is not attached': { from_phone_number: '+14155559999' },
      'an agent that does not exist': { model_id: 'agent-unknown' },
    },
    required: ['model_id', 'phone', 'name'],
    refusal: ({ detail }) => detail.description ?? detail,
    unknownId: uuid,
  },
  bland: {
    key: (secret) => ({ authorization: secret }),
    create: (phone, stamp) => ({
      path: '/calls',
      body: {
        phone_number: phone,
        pathway_id: agent,
        from: '+14155550100',
        record: true,
        max_duration: 10,
        voicemail: { action: 'hangup' },
        request_data: { name: 'Ada Park', visits: 3 },
        metadata: { attempt_id: stamp },
      },
    }),
    success: 200,
    id: ({ call_id }) => call_id,
    get: (id) => `/calls/${id}`,
    phoneOf: ({ to }) => to,
    said: ({ completed, status, queue_status, answered_by }) =>
      completed ? [status, queue_status, answered_by].filter(Boolean).join(' ') : queue_status,
    live: ['queued', 'allocated', 'started'],
    ended: {
      answered: 'completed complete human',
      'no-answer': 'no-answer complete no-answer',
      voicemail: 'completed complete voicemail',
      busy: 'busy call_error',
      invalid: 'failed call_error',
      failed: 'failed call_error',
      dropped: 'failed complete_error human',
    },
    calls: (_stamp, phone, at) => ({
      method: 'GET',
      path: `/calls?to_number=${encodeURIComponent(phone)}&start_date=${since(at)}&limit=100`,
    }),
    ids: ({ calls }) => calls.map(({ call_id }: Json) => call_id),
    list: { method: 'GET', path: '/outbound' },
    statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
    wrong: {
      'a field that makes it redial by itself': { retry: { wait: 60 } },
      'metadata that is text': { metadata: 'att_1' },
      'request_data that is a list': { request_data: [] },
      'a record that is text': { record: 'yes' },
      'a webhook without TLS': { webhook: 'http://hooks.invalid' },
      'a summary prompt of 2001 characters': { summary_prompt: 'x'.repeat(2001) },
      'a national phone': { phone_number: '4155550101' },
      'a caller that is not the account’s': { from: '+14155559999' },
    },
    required: ['phone_number', 'pathway_id'],
    refusal: ({ message, errors }) => message ?? errors[0].message,
    unknownId: uuid,
  },
  ultravox: {
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
        recordingEnabled: true,
      },
    }),
    success: 201,
    id: ({ callId }) => callId,
    get: (id) => `/calls/${id}`,
    phoneOf: ({ medium }) => /\+\d+/.exec(medium.sip.outgoing.to)?.[0] ?? '',
    said({ joined, ended, endReason, sipDetails }) {
      if (ended === null) return joined === null ? 'waits' : 'joined';
      const reason = sipDetails.terminationReason.replace('SIP_TERMINATION_', '');
      return [endReason, reason, joined ? 'joined' : ''].filter(Boolean).join(' ');
    },
    live: ['waits', 'waits', 'joined'],
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
    ids: ({ results }) => results.map(({ callId }: Json) => callId),
    list: { method: 'GET', path: '/agents?pageSize=100' },
    statuses: { badKey: 401, badBody: 400, unknownCall: 404 },
    wrong: {
      'metadata that is not text': { metadata: { visits: 3 } },
      'metadata of the service’s own': { metadata: { 'ultravox.x': '1' } },
      'a bare number on a trunk': { medium: { sip: { outgoing: { to: phones.answered, from: '' } } } },
      'two ways to dial': { medium: { twilio: {}, sip: {} } },
      'no way to dial': { medium: {} },
      'a duration that is a number': { joinTimeout: 60 },
      'a duration without its unit': { joinTimeout: '60' },
      'two first speakers': { firstSpeakerSettings: { user: {}, agent: {} } },
    },
    required: ['medium'],
    refusal: (json) => json.detail ?? [Object.values(json)[0]].flat()[0],
    unknownId: uuid,
  },
  dograh: {
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
    id: ({ workflow_run_id }) => String(workflow_run_id),
    get: (id) => `/workflow/42/runs/${id}`,
    phoneOf: ({ initial_context }) => initial_context.called_number,
    said: ({ is_completed, gathered_context, logs }) =>
      is_completed ? gathered_context.mapped_call_disposition : logs.telephony_status_callbacks.at(-1).status,
    live: ['initiated', 'ringing', 'in-progress'],
    ended: {
      answered: 'user_hangup',
      'no-answer': 'no-answer',
      voicemail: 'voicemail_detected',
      busy: 'busy',
      failed: 'failed',
      dropped: 'pipeline_error',
    },
    calls(_stamp, phone, at) {
      const filter = { attribute: 'calledNumber', type: 'text', value: { value: phone.slice(1) } };
      const filters = encodeURIComponent(JSON.stringify([filter]));
      return {
        method: 'GET',
        path: `/organizations/usage/runs?start_date=${since(at)}&page=1&limit=100&filters=${filters}`,
      };
    },
    ids: ({ runs }) => runs.map(({ id }: Json) => String(id)),
    list: { method: 'GET', path: '/organizations/telephony-configs/1/phone-numbers' },
    statuses: { badKey: 401, noKey: 422, badBody: 422, unknownCall: 404 },
    wrong: {
      'a phone that is a number': { phone_number: 14155550101 },
      'a caller that is a number in E.164': { from_phone_number_id: '+14155550100' },
      'a context that is a list': { initial_context: [] },
    },
    required: ['phone_number'],
    refusal: fastApi,
    unknownId: '999',
  },
};

export const names = Object.keys(speeches) as (keyof typeof speeches)[];

const endings = {
  '1': 'answered',
  '2': 'no-answer',
  '3': 'voicemail',
  '4': 'busy',
  '5': 'invalid',
  '6': 'failed',
  '7': 'dropped',
  '8': 'voicemail',
} as const;
/** The first number has an id of its own; of ElevenLabs's, the second is behind a trunk. */
const numbers = [
  { id: 'line-1', phone_number: '+14155550100' },
  { id: 'line-2', phone_number: '+14155550101' },
  '+14155550102',
];

export type Service = Client & {
  clock: HandClock;
  speech: Speech;
  send(ask: Ask, secret?: string): Promise<Answered>;
  /** A create, with this laid over its body. */
  dial(phone: string, stamp?: string, over?: Json): Promise<Answered>;
  /** The record of a call. */
  read(id: string): Promise<Json>;
  find(stamp: string, phone: string): Promise<unknown[]>;
};

export async function openService(
  name: keyof typeof speeches,
  options: SimulatorOptions = {},
): Promise<Service> {
  const clock = createHandClock();
  const speech = speeches[name];
  const sim = await openSimulator({ service: name, endings, numbers, ...options }, clock);
  const begun = clock.now() - 1000;
  const send: Service['send'] = ({ method, path, body }, secret = 'secret') =>
    sim.ask(method, path, body, speech.key(secret));
  return {
    ...sim,
    clock,
    speech,
    send,
    dial(phone, stamp = 'att_1', over = {}) {
      const { path, body } = speech.create(phone, stamp);
      return send({ method: 'POST', path, body: { ...body, ...over } });
    },
    read: async (id) => (await send({ method: 'GET', path: speech.get(id) })).json,
    find: async (stamp, phone) => speech.ids((await send(speech.calls(stamp, phone, begun))).json),
  };
}
