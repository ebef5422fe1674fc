import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, openSimulator } from './support.ts';

const good = { agent_id: 'agent-1', customer: { phone_number: '+14155550123', name: 'Ada' } };
let sim: Client;

beforeEach(async () => {
  sim = await openSimulator({ keys: ['secret', 'other'] });
});

describe('a key', () => {
  test.each<Record<string, string>>([
    {},
    { authorization: 'secret' },
    { authorization: 'Basic secret' },
    { authorization: 'Bearer wrong' },
    { 'x-api-key': 'wrong' },
    { 'x-api-key': '' },
  ])('that is missing or wrong is answered 401 before anything else: %j', async (headers) => {
    for (const [method, path] of [
      ['POST', '/call'],
      ['GET', '/call/nothing'],
      ['GET', '/phone-number'],
    ] as const) {
      const answer = await sim.ask(method, path, method === 'POST' ? good : undefined, headers);
      expect(answer.status).toBe(401);
    }
    expect(sim.state().created).toBe(0);
  });

  test('that is revoked is refused from then on, until it is restored', async () => {
    sim.control({ revokeKeys: ['secret'] });
    expect((await sim.call('+14155550123')).status).toBe(401);
    expect((await sim.ask('GET', '/phone-number', undefined, { 'x-api-key': 'other' })).status).toBe(200);
    sim.control({ restoreKeys: [0] });
    expect((await sim.call('+14155550123')).status).toBe(201);
  });
});

describe('creating a call', () => {
  test('returns the fields of the interface, and the call can be read', async () => {
    const { status, json } = await sim.ask('POST', '/call', good);
    expect(status).toBe(201);
    expect(Object.keys(json).sort()).toEqual(
      ['agent_id', 'id', 'message', 'org_id', 'phone_number', 'provider_call_sid', 'status'].sort(),
    );
    const read = await sim.look(json.id);
    expect(read.json).toMatchObject({ id: json.id, phone_number: '+14155550123', direction: 'outbound' });
  });

  test('answers 200 if the service is set to', async () => {
    const other = await openSimulator({ createStatus: 200 });
    expect((await other.call('+14155550123')).status).toBe(200);
  });

  test.each([
    ['no body', undefined, ['body'], 'missing'],
    ['no agent', { customer: good.customer }, ['body', 'agent_id'], 'missing'],
    ['an agent of another type', { ...good, agent_id: 7 }, ['body', 'agent_id'], 'string_type'],
    ['an empty agent', { ...good, agent_id: '' }, ['body', 'agent_id'], 'string_too_short'],
    ['no customer', { agent_id: 'a' }, ['body', 'customer'], 'missing'],
    ['a bare phone', { ...good, customer: '+14155550123' }, ['body', 'customer'], 'model_attributes_type'],
    ['no phone', { ...good, customer: {} }, ['body', 'customer', 'phone_number'], 'missing'],
    [
      'a phone that is a number',
      { ...good, customer: { phone_number: 14155550123 } },
      ['body', 'customer', 'phone_number'],
      'string_type',
    ],
    [
      'a national phone',
      { ...good, customer: { phone_number: '(415) 555-0123' } },
      ['body', 'customer', 'phone_number'],
      'value_error',
    ],
    [
      'a null name',
      { ...good, customer: { phone_number: '+14155550123', name: null } },
      ['body', 'customer', 'name'],
      'string_type',
    ],
    [
      'an extra field of the customer',
      { ...good, customer: { phone_number: '+14155550123', age: 3 } },
      ['body', 'customer', 'age'],
      'extra_forbidden',
    ],
    ['an extra field', { ...good, metadata: {} }, ['body', 'metadata'], 'extra_forbidden'],
    [
      'an override that is not an object',
      { ...good, agent_overrides: 'x' },
      ['body', 'agent_overrides'],
      'model_attributes_type',
    ],
    ['a bad from_number', { ...good, from_number: '415' }, ['body', 'from_number'], 'value_error'],
    [
      'a foreign from_number',
      { ...good, from_number: '+14155559999' },
      ['body', 'from_number'],
      'value_error',
    ],
    [
      'two callers',
      { ...good, from_number: '+14155550100', phone_number_id: 'number-1' },
      ['body', 'from_number'],
      'value_error',
    ],
    ['a list', [good], ['body'], 'model_attributes_type'],
    ['broken JSON', '{"agent_id": ', ['body', 0], 'json_invalid'],
  ])('refuses %s with 422 and names the place', async (_, body, loc, type) => {
    const answer = await sim.ask('POST', '/call', body);
    expect(answer.status).toBe(422);
    const [first] = answer.json.detail;
    expect(first).toMatchObject({ type, msg: expect.any(String) });
    if (type === 'json_invalid') expect(first.loc[0]).toBe('body');
    else expect(first.loc).toEqual(loc);
    expect(sim.state().created).toBe(0);
  });

  test('names every problem at once', async () => {
    const answer = await sim.ask('POST', '/call', { customer: { phone_number: 'x' }, foo: 1 });
    expect(answer.json.detail).toHaveLength(3);
  });

  test('refuses a body that is not sent as JSON', async () => {
    const headers = { 'x-api-key': 'secret', 'content-type': 'text/plain' };
    expect((await sim.ask('POST', '/call', JSON.stringify(good), headers)).status).toBe(422);
  });

  test('refuses a body that is far too long and keeps running', async () => {
    const long = { ...good, agent_id: 'x'.repeat(2_000_000) };
    expect((await sim.ask('POST', '/call', long)).status).toBe(413);
    expect((await sim.call('+14155550123')).status).toBe(201);
  });

  test('accepts the override and either way to name the caller', async () => {
    for (const more of [
      { agent_overrides: { voice: 'x', nested: { a: 1 } } },
      { phone_number_id: 'number-2' },
      { from_number: '+14155550100' },
    ]) {
      expect((await sim.call('+14155550123', more)).status).toBe(201);
    }
  });

  test('answers 404 for an agent or a caller that does not exist', async () => {
    expect((await sim.call('+14155550123', { agent_id: 'agent-unknown' })).status).toBe(404);
    expect((await sim.call('+14155550123', { phone_number_id: 'number-9' })).status).toBe(404);
    sim.control({ agents: ['agent-2'] });
    expect((await sim.call('+14155550123')).status).toBe(404);
    expect((await sim.call('+14155550123', { agent_id: 'agent-2' })).status).toBe(201);
  });

  test('accepts extra fields and nulls when it is not strict', async () => {
    const lenient = await openSimulator({ strict: false });
    const customer = { phone_number: '+14155550123', name: null, age: 3 };
    expect((await lenient.ask('POST', '/call', { agent_id: 'a', customer, note: 1 })).status).toBe(201);
  });

  test('uses other field names if it is set to', async () => {
    const other = await openSimulator({
      customer: { field: 'person', phone: 'number', name: 'label', variables: 'vars' },
      override: 'assistant',
    });
    const person = { number: '+14155550123', label: 'Ada', vars: { a: 1 } };
    const body = { agent_id: 'a', person, assistant: {} };
    expect((await other.ask('POST', '/call', body)).status).toBe(201);
    const wrong = await other.ask('POST', '/call', { agent_id: 'a', person: { number: '1' } });
    expect(wrong.json.detail[0].loc).toEqual(['body', 'person', 'number']);
    expect((await other.ask('POST', '/call', good)).status).toBe(422);
  });
});

describe('the phone numbers', () => {
  test('are listed page by page, in whole records', async () => {
    const numbers = Array.from({ length: 250 }, (_, i) => `+1415555${1000 + i}`);
    const large = await openSimulator({ numbers: [...numbers, { id: 'x', phone_number: '+442079460000' }] });
    const first = await large.ask('GET', '/phone-number');
    expect(first.json).toHaveLength(100);
    const rest = await large.ask('GET', '/phone-number?limit=1000&offset=200');
    expect(rest.json).toHaveLength(51);
    expect(rest.json.at(-1)).toMatchObject({ id: 'x', phone_number: '+442079460000' });
    expect((await large.ask('GET', '/phone-number?offset=900')).json).toEqual([]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=1.5', 'limit'],
    ['offset=-1', 'offset'],
  ])('are refused for a page out of bounds: %s', async (query, name) => {
    const answer = await sim.ask('GET', `/phone-number?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].loc).toEqual(['query', name]);
  });
});

describe('other paths and methods', () => {
  test.each([
    ['GET', '/call', 405],
    ['DELETE', '/call/x', 405],
    ['POST', '/phone-number', 405],
    ['GET', '/call/', 404],
    ['GET', '/call/x/y', 404],
    ['GET', '/call/no-such-call', 404],
    ['PATCH', '/call/no-such-call', 404],
    ['GET', '/calls', 404],
  ])('%s %s is answered %i', async (method, path, status) => {
    expect((await sim.ask(method, path, method === 'PATCH' ? {} : undefined)).status).toBe(status);
  });

  test('the service answers only under /v1', async () => {
    const response = await fetch(`${sim.origin}/phone-number`, { headers: { 'x-api-key': 'secret' } });
    expect(response.status).toBe(404);
    await response.arrayBuffer();
  });
});
