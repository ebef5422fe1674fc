import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { CarillonError, errorLine } from '../../src/base/errors.ts';
import { subjects } from '../../src/voice/description.ts';
import { findIn } from '../../src/voice/lists.ts';
import {
  describeService,
  descriptionSchema,
  loadService,
  serviceNames,
  settingsOf,
  standard,
} from '../../src/voice/load-service.ts';
import { overrideFault } from '../../src/voice/person-fields.ts';
import { valuesAt } from '../../src/voice/pointer.ts';
import { describeProfile } from '../../src/voice/profile.ts';
import { createReader } from '../../src/voice/read-answer.ts';
import { fill } from '../../src/voice/template.ts';
import { assert, runs } from '../support/property.ts';
import { connect, secret, serve } from './servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-services-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'profile.json');
function write(content: unknown): string {
  writeFileSync(path, JSON.stringify(content));
  return path;
}
const load = (content: unknown, name?: string) => loadService(name, write(content));

function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(CarillonError);
    expect((error as CarillonError).code).toBe('config-invalid');
    expect(errorLine(error)).not.toContain('\n');
    return (error as CarillonError).message;
  }
  throw new Error('it was accepted');
}

test.each(serviceNames())('%s: each thing that it can and cannot says where it was read', (name) => {
  const { facts = {} } = describeService(name);
  expect(Object.keys(facts).sort()).toEqual([...subjects].sort());
  for (const { source } of Object.values(facts)) expect(source).toMatch(/^(?:https:\/\/|docs\/)/);
});

test('every service that ships is a whole description, and the standard interface is the first', () => {
  expect(serviceNames()[0]).toBe('standard');
  for (const name of serviceNames()) {
    const service = describeService(name);
    expect(loadService(name, undefined)).toEqual({ name, description: service });
    expect(() => Object.assign(service.create, { path: '/x' }), name).toThrow(TypeError);
    expect(service.base_url === null || URL.canParse(service.base_url), name).toBe(true);
  }
  expect(loadService(undefined, undefined).name).toBe('standard');
});

test('a conversation is waited for until its transcript is there, or its recording where the record has none', () => {
  const withoutTranscript = new Set(['dograh', 'ultravox']);
  const last = (name: string) => connect('http://127.0.0.1:9', { service: describeService(name) }).comesLast;
  for (const name of serviceNames())
    expect(last(name), name).toBe(withoutTranscript.has(name) ? 'recording_url' : 'transcript');
});

test('a service that nobody described is told with those that are known', () => {
  const message = faultOf(() => loadService('nobody', undefined));
  expect(message).toBe('VOICE_SERVICE is not a service that Carillon knows: nobody');
});

describe('a published answer is read as the service means it', () => {
  const readerOf = (name: string) => createReader(describeService(name), (path) => path);

  test.each([
    ['bolna', { id: 'e', status: 'stopped' }, 'canceled'],
    [
      'bolna',
      { id: 'e', status: 'stopped', error_message: 'The telephony provider did not respond' },
      'failed',
    ],
    ['bolna', { id: 'e', status: 'stopped', telephony_data: { hangup_by: 'Carrier' } }, 'failed'],
    ['bolna', { id: 'e', status: 'stopped', telephony_data: { hangup_by: 'API Request' } }, 'canceled'],
    // The words of a fault may hold the person's number.
    ...[
      ['temporarily unavailable (SIP 480)', 'no-answer'],
      ['Call failed: 486 Busy Here', 'busy'],
      ['Your account is not allowed to call +14804870041.', 'failed'],
      ['Your account is not allowed to call +1 (480) 486-0041.', 'failed'],
      ['+14864800041 was not found (SIP 404)', 'failed'],
    ].map(([error_message, outcome]): [string, object, string] => [
      'bland',
      { call_id: 'c', completed: true, status: 'failed', answered_by: null, error_message },
      outcome!,
    ]),
    ...[
      ['487: Request Terminated', 'no-answer'],
      ['Telephony - 400 - Invalid phone number +14154290001', 'failed'],
      ['Telephony - 400 - Invalid phone number +14874290001', 'failed'],
    ].map(([error_message, outcome]): [string, object, string] => [
      'synthflow',
      { call_id: 'c', status: 'failed', end_call_reason: 'error', error_message, duration: 0 },
      outcome!,
    ]),
  ])('%s: %j is %s', (name, record, outcome) => {
    expect(readerOf(name).call(record, '', Date.now())).toMatchObject({ stage: { kind: 'ended', outcome } });
  });

  const turn = { role: 'user', message: 'Please leave a message' };
  const tool = { role: 'agent', tool_calls: [{ tool_name: 'voicemail_detection' }] };

  test.each([
    ['elevenlabs', { conversation_id: 'e', status: 'processing', transcript: [turn, tool] }, 'voicemail'],
    ['elevenlabs', { conversation_id: 'e', status: 'processing', transcript: [turn] }, 'answered'],
  ])('%s: %j is %s before its analysis', (name, record, outcome) => {
    expect(readerOf(name).call(record, '', Date.now())).toMatchObject({ stage: { kind: 'ended', outcome } });
  });

  test.each([
    // The trunk's leg may outlast the call, and tells its reason then.
    [{ joined: null, sipDetails: { terminationReason: null } }, 'no-answer', false],
    [{ joined: null, sipDetails: { terminationReason: 'SIP_TERMINATION_BUSY' } }, 'busy', true],
    [{ joined: null, sipDetails: null }, 'no-answer', true],
    [{ joined: '2026-11-24T18:00:09Z', sipDetails: { terminationReason: null } }, 'answered', true],
  ])('ultravox: %j is %s, and its last word: %s', (told, outcome, isFinal) => {
    const endReason = told.joined === null ? 'unjoined' : 'hangup';
    const record = { callId: 'u', created: '2026-11-24T18:00:00Z', ended: '2026-11-24T18:01:00Z', endReason };
    expect(readerOf('ultravox').call({ ...record, ...told }, '', Date.now())).toMatchObject({
      stage: { kind: 'ended', outcome },
      isFinal,
    });
  });

  test.each([
    ['ended', 'user_hangup', 'answered', false],
    // Only a conversation is analysed for a machine.
    ['not_connected', 'dial_no_answer', 'no-answer', true],
    ['error', 'error_asr', 'dropped', true],
  ])(
    'retell: %s by %s is %s, and its last word: %s',
    (call_status, disconnection_reason, outcome, isFinal) => {
      const record = { call_id: 'r', call_status, disconnection_reason };
      expect(readerOf('retell').call(record, '', Date.now())).toMatchObject({
        stage: { kind: 'ended', outcome },
        isFinal,
      });
    },
  );

  test.each([
    ['Invalid phone number', true],
    ['from_phone_number is not attached to this assistant', false],
    ['Model not found', false],
  ])('Synthflow refuses with “%s”', async (description, customer) => {
    const detail = { status: 'error', description, request_id: 'r-1', category: 'validation' };
    const { baseUrl } = await serve(() => ({ status: 400, json: { detail } }));
    const client = connect(baseUrl, { service: describeService('synthflow') });
    const order = { agentId: 'a-1', phone: '+14155550123', from: { number: '+14155550100' }, stamp: 's-1' };
    expect(await client.create(order)).toMatchObject({
      fault: { kind: 'refused', customer, message: `the service answered 400: ${description}` },
    });
  });

  test.each([
    ['Authenticate', false],
    ["The source phone number provided, +14155550100, is not a valid 'From' number", false],
    ['The phone number you are attempting to call, +14155550123, is not valid.', true],
    ["Invalid 'To' Phone Number: +1415555XXXX", true],
  ])('ElevenLabs passes on that its carrier says “%s”', async (words, customer) => {
    const message = `HTTP 400 error: Unable to create record: ${words}`;
    const json = { success: false, message, conversation_id: null, callSid: null };
    const { baseUrl } = await serve(({ method }) => ({
      status: 200,
      json:
        method === 'POST'
          ? json
          : [{ phone_number_id: 'n-1', phone_number: '+14155550100', provider: 'twilio' }],
    }));
    const client = connect(baseUrl, { service: describeService('elevenlabs') });
    await client.numbers();
    const order = { agentId: 'a-1', phone: '+14155550123', from: { number: '+14155550100' }, stamp: 's-1' };
    expect(await client.create(order)).toMatchObject({ fault: { kind: 'refused', customer } });
  });
});

test.each([
  ['400: {"code": 21211, "message": "Invalid To +14294010001"}', { kind: 'refused', customer: true }],
  ['422: {"errors": [{"title": "Invalid destination"}]}', { kind: 'refused', customer: true }],
  ['400: {"code": 21212, "message": "Invalid From Number"}', { kind: 'refused', customer: false }],
  ['400: {"code": 21210, "message": "The source phone number"}', { kind: 'refused', customer: false }],
  ['401: {"code": 20003, "message": "Authenticate"}', { kind: 'refused', customer: false }],
  ['403: {"message": "Forbidden"}', { kind: 'refused', customer: false }],
  ['429: {"code": 20429, "message": "Too Many Requests"}', { kind: 'busy' }],
  ['503: {"message": "Unavailable"}', { kind: 'lost' }],
  ['', { kind: 'lost' }],
])('Dograh tells what its carrier answered: “%s”', async (said, fault) => {
  const { baseUrl } = await serve(() => ({
    status: 400,
    json: { detail: `Failed to initiate call: ${said}` },
  }));
  const client = connect(baseUrl, { service: describeService('dograh') });
  const agentId = '6b1f0000-0000-4a00-9b00-000000000001';
  const order = { agentId, phone: '+14155550123', stamp: 's-1' };
  expect(await client.create(order)).toMatchObject({ fault });
});

test('the runs that creates left which Dograh refused are not taken for the call that followed', () => {
  const { list } = describeService('dograh');
  const run = (id: number, gathered_context: object) => ({
    id,
    called_number: '+14155550123',
    initial_context: { attempt_id: 's-1' },
    gathered_context,
  });
  const runs = [
    run(1, { error: 'You have exhausted your trial credits. Please upgrade.' }),
    run(2, { error: 'Could not verify Dograh credits. Please try again.' }),
    run(3, { error: 'Failed to initiate call: 429: {"code": 20429}' }),
    // It may have dialled.
    run(4, { error: 'Failed to initiate call: ' }),
    run(5, { mapped_call_disposition: 'user_hangup' }),
    run(6, {}),
  ];
  expect(findIn(list!, null, { runs })!.items.map(({ id }) => id)).toEqual(['4', '5', '6']);
});

describe('a profile that extends a service', () => {
  it('is laid over it: objects over objects, and anything else in its place', () => {
    const { name, description } = load({
      extends: 'standard',
      title: 'Ours',
      create: { path: '/calls', body: { tag: 'x', customer: { name: '{name}!' } } },
      get: { rules: [{ when: { '/state': 'over' }, is: 'answered' }] },
    });
    expect(name).toBe('standard');
    const under = standard();
    expect(description).toEqual({
      ...under,
      title: 'Ours',
      create: {
        ...under.create,
        path: '/calls',
        body: {
          ...(under.create.body as object),
          tag: 'x',
          customer: { phone_number: '{phone}', name: '{name}!' },
        },
      },
      get: { ...under.get, rules: [{ when: { '/state': 'over' }, is: 'answered' }] },
    });
    expect(() => Object.assign(description.create, { path: '/x' })).toThrow(TypeError);
    expect(standard().title).toBe('The standard interface');
  });

  it('takes away with null what a service may lack', () => {
    const { description } = load({ extends: 'standard', hang_up: null, numbers: null });
    expect(description).toMatchObject({ hang_up: null, numbers: null });
    expect(faultOf(() => load({ extends: 'standard', create: null }))).toContain('create: ');
  });

  it('extends the service of the settings when it names none, and must not name another', () => {
    expect(load({ title: 'Ours' }).name).toBe('standard');
    expect(load({ title: 'Ours' }, 'vapi')).toMatchObject({ name: 'vapi', description: { title: 'Ours' } });
    expect(load({ extends: 'vapi' }).name).toBe('vapi');
    expect(faultOf(() => load({ extends: 'standard' }, 'vapi'))).toContain(
      'it extends standard, and VOICE_SERVICE is vapi',
    );
    expect(faultOf(() => load({ extends: 'nobody' }))).toContain('extends names no service: nobody');
    expect(faultOf(() => load({ extends: 7 }))).toContain('extends must be the name of a service');
  });
});

test.each([
  [{ title: 7 }, 'title: '],
  [{ colour: 'red' }, 'colour is not a field of a description'],
  [{ create: { colour: 'red' } }, 'create.colour is not a field of a description'],
  [{ create: { path: 'call' } }, 'create.path: '],
  [{ create: { method: 'SEND' } }, 'create.method: '],
  [{ get: { fields: { duration: 'seconds' } } }, 'get.fields.duration: '],
  [{ get: { fields: { cost: { at: '/c', currency: 'dollars' } } } }, 'get.fields.cost.currency: '],
  [{ get: { rules: [{ when: {}, is: 'vanished' }] } }, 'get.rules.0.is: '],
  [{ get: { rules: [{ when: { '/s': { older_than: -1 } }, is: 'failed' }] } }, 'get.rules.0.when./s'],
  [{ base_url: 'voice' }, 'base_url: '],
  [{ timeout_ms: 0 }, 'timeout_ms: '],
])('what is wrong in %j is told with its place', (content, words) => {
  const message = faultOf(() => load({ extends: 'standard', ...content }));
  expect(message).toContain(`VOICE_PROFILE ${path}: ${words}`);
});

test('several faults are told, each with its place', () => {
  const content = { extends: 'standard', title: 7, create: { method: 'SEND' }, get: { path: 'x' } };
  const message = faultOf(() => load(content));
  expect(message).toMatch(/title: .*; create\.method: .*; get\.path: /);
});

test('a place that a request cannot name is told with those that it can', () => {
  const message = faultOf(() => load({ extends: 'standard', create: { body: { to: '{fone}' } } }));
  expect(message).toContain(
    'create.body.to: {fone} is not a place; there are agent, agent.ref, agent.listed',
  );
  expect(faultOf(() => load({ extends: 'standard', get: { path: '/call/{phone}' } }))).toContain(
    'get.path: {phone} is not a place; there are call',
  );
  const settings = {
    extends: 'standard',
    settings: { team: 'x' },
    create: { body: { team: '{settings.team}' } },
  };
  expect(load(settings).description.settings).toEqual({ team: 'x' });
});

describe('the first form of a profile', () => {
  it('is still read, and is the same as its description', () => {
    const customer = { field: 'contact', phone: 'number', name: null, variables: 'data' };
    const { name, description } = load({ customer, createdNothing: [503], statuses: { over: 'answered' } });
    expect(name).toBe('standard');
    expect(description).toEqual(
      describeProfile(standard(), {
        customer,
        createdNothing: [503],
        statuses: { over: 'answered' },
      }),
    );
    expect(load({ customer }, 'standard').name).toBe('standard');
    expect(load({}).description).toEqual(standard());
  });

  it('has no words for another service', () => {
    expect(faultOf(() => load({ customer: {} }, 'vapi'))).toContain('write {"extends": "vapi", ...}');
  });

  it('leaves the meaning of answers that say by themselves that nothing was made', () => {
    expect(load({ createdNothing: [429, 402, 404, 409, 503] }).description.create.answers).toEqual([
      { when: { http: [409, 503] }, is: 'nothing-made' },
    ]);
    expect(load({ createdNothing: [429] }).description).toEqual(standard());
  });
});

test('a service says what its settings are when they are left out', () => {
  expect(settingsOf(undefined, undefined)).toEqual({});
  const vapi = describeService('vapi');
  expect(settingsOf('vapi', undefined)).toEqual({
    baseUrl: vapi.base_url,
    timeoutMs: vapi.timeout_ms,
    tellsCost: true,
    queueMs: vapi.queue_seconds! * 1_000,
  });
  expect(settingsOf('synthflow', undefined).tellsCost).toBe(false);
  // It queues what is too much without a word, so its number of calls at once is kept.
  expect(settingsOf('bolna', undefined)).toMatchObject({ maxCalls: describeService('bolna').limits!.calls });
  const own = write({ extends: 'standard', base_url: 'https://voice.example/v1', timeout_ms: 9_000 });
  expect(settingsOf(undefined, own)).toMatchObject({ baseUrl: 'https://voice.example/v1', timeoutMs: 9_000 });
});

test('the schema of a description names its fields', () => {
  expect(Object.keys(descriptionSchema().properties as object)).toEqual(
    expect.arrayContaining(['title', 'create', 'get', 'list', 'hang_up', 'numbers', 'agents']),
  );
});

describe('the guide to a service of your own', () => {
  const guide = readFileSync(new URL('../../docs/guides/services.md', import.meta.url), 'utf8');
  const [small, whole] = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => JSON.parse(text!));

  it('shows a change that is valid', () => {
    const { description } = loadService('vapi', write(small!));
    expect(description.timeout_ms).toBe(90_000);
    expect(description.create.body).toMatchObject({ assistantOverrides: { firstMessage: 'Hello' } });
  });

  it('describes its example so that a call is made and read', async () => {
    const { description } = loadService(undefined, write(whole!));
    const { baseUrl, seen } = await serve(({ method }) =>
      method === 'POST'
        ? { json: { data: { ref: 'c-81' } } }
        : { json: { data: { ref: 'c-81', to: '+14155550123', phase: 'over', result: 'NO_REPLY', secs: 0 } } },
    );
    const client = connect(baseUrl, { service: description });
    const order = {
      agentId: 'bot-1',
      phone: '+14155550123',
      name: 'Ann',
      variables: { city: 'Bonn' },
      stamp: 'a-1',
    };
    expect(await client.create(order)).toMatchObject({ ok: true, value: { id: 'c-81' } });
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/dial', headers: { 'x-dial-key': secret } });
    expect(JSON.parse(seen[0]!.body)).toEqual({
      bot: 'bot-1',
      to: '+14155550123',
      data: { city: 'Bonn', name: 'Ann', attempt: 'a-1' },
    });
    expect(await client.get({ id: 'c-81' })).toMatchObject({
      value: { stage: { kind: 'ended', outcome: 'no-answer' }, endedReason: 'NO_REPLY' },
    });
    expect(await client.hangUp({ id: 'c-81' })).toMatchObject({ fault: { kind: 'refused', status: 0 } });
  });
});

/** Each value of a tree, by its path. */
function leavesOf(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, `${path}/${name}`));
}

test.each(serviceNames())(
  '%s: an override that may be sent decides nothing that the order decides',
  (name) => {
    const { create, settings = {} } = describeService(name);
    const set = Object.entries(settings).map(([key, value]) => [`settings.${key}`, value ?? '1'] as const);
    const deciding = { phone: '+14155550123', 'phone.digits': '14155550123', agent: 'agent-1', stamp: 's-1' };
    const listed = { 'agent.listed': 'agent-1', 'agent.unlisted': 'agent-1', 'agent.ref': 'agent-1' };
    const caller = {
      from: '+14155550100',
      'caller.phone': '+14155550100',
      'caller.id': '77',
      'from.id': '77',
    };
    const always = { ...Object.fromEntries(set), ...deciding, ...listed };
    const ours = new Set([...Object.values(deciding), ...Object.values(caller)]);
    const decided = leavesOf(fill(create.body, { ...always, ...caller })).filter(([, value]) =>
      ours.has(String(value)),
    );
    expect(decided.length).toBeGreaterThan(1);
    const barred = (create.no_override ?? []).map((pointer) => pointer.slice(1).split('/'));
    const keys = [...decided.flatMap(([path]) => path.split('/').slice(1)), ...barred.flat(), 'language'];
    const override = fc.letrec<{ value: unknown; fields: object }>((tie) => ({
      value: fc.oneof({ maxDepth: 2 }, fc.constantFrom('+15550001111', null, ''), tie('fields')),
      fields: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 3 }),
    })).fields;
    assert(
      fc.property(override, fc.boolean(), (override, isCalledFrom) => {
        const fault = overrideFault(describeService(name), override);
        for (const path of barred)
          if (valuesAt(override, `/${path.join('/')}`).length > 0) expect(fault).not.toBeNull();
        if (fault !== null) return;
        const places = isCalledFrom ? { ...always, ...caller } : always;
        const [plain, sent] = [fill(create.body, places), fill(create.body, { ...places, override })];
        for (const [path] of decided) expect(valuesAt(sent, path)).toEqual(valuesAt(plain, path));
      }),
      { numRuns: runs(200) },
    );
  },
);
