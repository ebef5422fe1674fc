import { describe, expect, it, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { ServiceAgent, ServiceNumber } from '../../src/voice/call.ts';
import type { ServiceDescription } from '../../src/voice/description.ts';
import { standard } from '../../src/voice/load-service.ts';
import { createDirectory, type Directory } from '../../src/voice/numbers-and-agents.ts';
import { connect, serve } from './servers.ts';

const list = { method: 'GET' as const, items: '' };
const numbersForm = {
  ...list,
  path: '/numbers',
  fields: { id: '/id', phone: '/phone', provider: '/provider' },
};
const agentsForm = { ...list, path: '/agents', fields: { id: '/id', name: '/name', ref: '/ref' } };

function directoryOf(body: unknown, more: Partial<ServiceDescription> = {}): Directory {
  return createDirectory(
    {
      ...standard(),
      create: { ...standard().create, body },
      numbers: numbersForm,
      agents: agentsForm,
      ...more,
    },
    systemClock,
    {},
    null,
  );
}

const number = (id: string, phone: string, provider: string | null = null): ServiceNumber => ({
  id,
  phone,
  provider,
  record: {},
});
const agent = (id: string, name: string | null, ref: string | null = null): ServiceAgent => ({
  id,
  name,
  ref,
});
const numbers = {
  items: [number('n1', '+1 (415) 555-0100', 'twilio'), number('n2', '+4930123')],
  next: null,
};

describe('a caller number', () => {
  const from = { number: '+14155550100' };

  it('is looked up where the service wants its id, and sent by it', () => {
    const directory = directoryOf({ from: '{caller.id}' });
    expect(directory.lacks({ agentId: 'a', from })).toBe('numbers');
    expect(directory.lacks({ agentId: 'a' })).toBeNull();
    expect(directory.lacks({ agentId: 'a', from: { numberId: 'n1' } })).toBeNull();
    directory.learnNumbers(numbers, {});
    expect(directory.lacks({ agentId: 'a', from })).toBeNull();
    expect(directory.missing({ agentId: 'a', from })).toBeNull();
    expect(directory.callerPlaces(from)).toEqual({
      from: '+14155550100',
      'caller.phone': '+14155550100',
      'caller.id': 'n1',
      'caller.provider': 'twilio',
    });
  });

  it('is looked up by its id where the service wants its phone or its provider', () => {
    for (const place of ['{caller.phone}', '{caller.provider}']) {
      const directory = directoryOf({ [place.slice(1, -1)]: place });
      const given = { agentId: 'a', from: { numberId: 'n1' } };
      expect(directory.lacks(given)).toBe('numbers');
      directory.learnNumbers(numbers, {});
      expect(directory.missing(given)).toBeNull();
      expect(directory.callerPlaces(given.from)).toEqual({
        'from.id': 'n1',
        'caller.phone': '+1 (415) 555-0100',
        'caller.id': 'n1',
        'caller.provider': 'twilio',
      });
    }
  });

  it('that the account does not have is told once the whole list is known', () => {
    const directory = directoryOf({ from: '{caller.id}' });
    const given = { agentId: 'a', from: { number: '+12125550199' } };
    directory.learnNumbers({ ...numbers, next: { offset: 2 } }, {});
    expect(directory.lacks(given)).toBe('numbers');
    // A page of a chosen length is not the list.
    directory.learnNumbers(numbers, { limit: 1 });
    expect(directory.lacks(given)).toBe('numbers');
    directory.learnNumbers(numbers, {});
    expect(directory.lacks(given)).toBeNull();
    expect(directory.missing(given)).toMatch(/\+12125550199 is not among the account’s phone numbers/);
  });

  it('must be given where the service cannot call without one', () => {
    expect(directoryOf({ p: '{caller.provider}' }).missing({ agentId: 'a' })).toMatch(/give --from/);
    expect(directoryOf({ p: '{caller.id}' }).missing({ agentId: 'a' })).toBeNull();
  });

  it('is sent as it was given by a service that does not ask for another form, or has no list', () => {
    expect(directoryOf({ from: '{from}' }).lacks({ agentId: 'a', from })).toBeNull();
    const unlisted = directoryOf({ from: '{caller.id}' }, { numbers: null });
    expect(unlisted.lacks({ agentId: 'a', from })).toBeNull();
    expect(unlisted.missing({ agentId: 'a', from })).toBeNull();
    expect(unlisted.callerPlaces(from)).toMatchObject({ from: '+14155550100' });
  });

  it('is not waited for once the service refused its list', () => {
    const directory = directoryOf({ from: '{caller.id}' });
    directory.giveUp('numbers');
    expect(directory.lacks({ agentId: 'a', from })).toBeNull();
  });
});

describe('an agent', () => {
  it('is sent by its id where the order has its exact name', () => {
    const directory = directoryOf('{agent}', { agents: { ...agentsForm, ids: 'agent_*' } });
    expect(directory.lacks({ agentId: 'agent_1' })).toBeNull();
    expect(directory.lacks({ agentId: 'Spring' })).toBe('agents');
    directory.learnAgents({ items: [agent('agent_1', 'Spring'), agent('agent_2', null)], next: null }, {});
    expect(directory.lacks({ agentId: 'Spring' })).toBeNull();
    expect(directory.agentPlaces('Spring')).toMatchObject({ agent: 'agent_1', 'agent.ref': null });
    expect(directory.agentPlaces('spring')).toMatchObject({ agent: 'spring' });
    expect(directory.agentPlaces('')).toEqual({});
  });

  it('is looked up where the service wants another id of it', () => {
    const directory = directoryOf({ a: '{agent.ref}' });
    expect(directory.lacks({ agentId: 'a1' })).toBe('agents');
    directory.learnAgents({ items: [agent('a1', 'Spring', 'r1')], next: null }, {});
    expect(directory.lacks({ agentId: 'a1' })).toBeNull();
    expect(directory.agentPlaces('a1')).toMatchObject({ agent: 'a1', 'agent.ref': 'r1' });
    const { get } = standard();
    const asked = directoryOf('{agent}', { get: { ...get, path: '/agents/{agent.ref}/{call}' } });
    expect(asked.lacks({ agentId: 'a1' })).toBe('agents');
  });

  it('of the list is told apart from any other, where the service takes two kinds', () => {
    const directory = directoryOf({ persona: '{agent.listed}', pathway: '{agent.unlisted}' });
    expect(directory.lacks({ agentId: 'Spring' })).toBe('agents');
    directory.learnAgents({ items: [agent('p1', 'Spring')], next: null }, {});
    for (const given of ['Spring', 'p1'])
      expect(directory.agentPlaces(given)).toMatchObject({
        'agent.listed': 'p1',
        'agent.unlisted': undefined,
      });
    expect(directory.agentPlaces('path-1')).toMatchObject({
      'agent.listed': undefined,
      'agent.unlisted': 'path-1',
    });
  });

  it('is none of them when several have its name, and is asked for by its id', () => {
    const directory = directoryOf('{agent}', { agents: { ...agentsForm, ids: 'uuid' } });
    const twins = [agent('a1', 'Spring'), agent('a2', 'Spring'), agent('a3', 'Autumn')];
    directory.learnAgents({ items: twins, next: null }, {});
    expect(directory.missing({ agentId: 'Spring' })).toMatch(/several agents have the name Spring/);
    expect(directory.agentPlaces('Spring')).toMatchObject({ agent: 'Spring', 'agent.ref': undefined });
    expect(directory.missing({ agentId: 'Autumn' })).toBeNull();
    // Read again, it is still one agent.
    directory.learnAgents({ items: twins, next: null }, {});
    expect(directory.missing({ agentId: 'Autumn' })).toBeNull();
    expect(directory.agentPlaces('Autumn')).toMatchObject({ agent: 'a3' });
    expect(directory.missing({ agentId: 'a2' })).toBeNull();
  });

  it('that has the id’s form is not looked up', () => {
    const directory = directoryOf('{agent}', { agents: { ...agentsForm, ids: 'uuid' } });
    expect(directory.lacks({ agentId: '5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f' })).toBeNull();
    expect(directory.lacks({ agentId: '5a1f0f6e' })).toBe('agents');
    expect(directoryOf('{agent}').lacks({ agentId: 'anything' })).toBeNull();
  });

  it('that is not in the list is sent as it was given', () => {
    const directory = directoryOf('{agent}', { agents: { ...agentsForm, ids: 'uuid' } });
    directory.learnAgents({ items: [], next: null }, {});
    expect(directory.lacks({ agentId: 'Spring' })).toBeNull();
    expect(directory.missing({ agentId: 'Spring' })).toBeNull();
    expect(directory.agentPlaces('Spring')).toMatchObject({ agent: 'Spring', 'agent.ref': undefined });
  });
});

test('a client learns from its lists what its creates need, and sends nothing that it cannot know', async () => {
  const service: ServiceDescription = {
    ...standard(),
    create: { ...standard().create, body: { agent: '{agent}', from: '{caller.id}', to: '{phone}' } },
    numbers: numbersForm,
    agents: { ...agentsForm, ids: 'uuid' },
  };
  const { baseUrl, seen } = await serve(({ url }) => ({
    json: url.endsWith('/numbers')
      ? [{ id: 'n1', phone: '+14155550100', auth_token: 't0ken' }]
      : url.endsWith('/agents')
        ? [{ id: 'a1', name: 'Spring' }]
        : { id: 'c-1' },
  }));
  const client = connect(baseUrl, { service });
  const order = { agentId: 'Spring', phone: '+14155550123', from: { number: '+14155550100' } };
  expect(client.lacks(order)).toBe('agents');
  expect(await client.agents()).toMatchObject({ ok: true, value: { items: [{ id: 'a1' }], next: null } });
  expect(client.lacks(order)).toBe('numbers');
  const listed = await client.numbers();
  expect(listed).toMatchObject({ ok: true, value: { items: [{ record: { id: 'n1' } }] } });
  expect(JSON.stringify(listed)).not.toContain('t0ken');
  expect(client.lacks(order)).toBeNull();
  expect(client.describe(order).body).toEqual({ agent: 'a1', from: 'n1', to: '+14155550123' });
  expect(await client.create(order)).toMatchObject({ ok: true, value: { id: 'c-1' } });
  expect(JSON.parse(seen.at(-1)!.body)).toEqual({ agent: 'a1', from: 'n1', to: '+14155550123' });
  const asked = seen.length;
  expect(await client.create({ ...order, from: { number: '+12125550199' } })).toMatchObject({
    ok: false,
    fault: { kind: 'refused', status: 0, customer: false, missing: false, invalid: false },
  });
  expect(seen).toHaveLength(asked);
});

test('a list that is refused is given up, and one that could not be read is not', async () => {
  const service: ServiceDescription = {
    ...standard(),
    create: { ...standard().create, body: { from: '{caller.id}' } },
    numbers: numbersForm,
  };
  let status = 503;
  const { baseUrl } = await serve(() => ({ status, json: {} }));
  const client = connect(baseUrl, { service });
  const given = { agentId: 'a', from: { number: '+14155550100' } };
  await client.numbers();
  expect(client.lacks(given)).toBe('numbers');
  status = 404;
  await client.numbers();
  expect(client.lacks(given)).toBeNull();
});
