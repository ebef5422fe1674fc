import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

/** A row's words reach the service as they were meant: told by what the simulated service received. */
let api: TestApi;
let made = 0;
const folder = mkdtempSync(join(tmpdir(), 'carillon-variables-'));
beforeAll(async () => {
  const profile = join(folder, 'profile.json');
  const names = { customer: { variables: 'data' }, override: { field: 'settings', variables: 'variables' } };
  writeFileSync(profile, JSON.stringify(names));
  api = await openApi({
    env: { VOICE_PROFILE: profile },
    simulator: { customer: { variables: 'data' }, override: 'settings' },
  });
  api.work();
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true });
});

const phone = (n: number) => `+1415555${String(n).padStart(4, '0')}`;
async function campaign(more: Record<string, unknown> = {}): Promise<string> {
  const body = { name: `list ${made++}`, agent: 'a', ...more };
  return (await api.ask('POST', '/api/campaigns', { body })).json.id;
}
const add = (id: string, type: string, body: string, query = '') =>
  api.ask('POST', `/api/campaigns/${id}/recipients${query}`, { headers: { 'content-type': type }, body });
const people = async (id: string) => (await api.ask('GET', `/api/campaigns/${id}/recipients`)).json.items;
const lines = async (id: string) =>
  (await api.ask('GET', `/api/campaigns/${id}/results.ndjson`)).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The customer as the service got it. */
type Sent = { name?: string; data?: Record<string, unknown> };
function sentTo(number: string): Sent[] {
  const creates = [...api.simulator.journal({ method: 'POST', path: '/v1/call' })];
  return creates.flatMap(({ phone: to, body }) => {
    if (to !== number || !body) return [];
    const customer = body.customer as Sent;
    expect(body.settings).toEqual({ variables: customer.data });
    return [customer];
  });
}
async function dialled(id: string): Promise<void> {
  await api.ask('POST', `/api/campaigns/${id}/start`);
  await until(
    async () => (await api.ask('GET', `/api/campaigns/${id}`)).json.balance,
    ({ rows, rejected, done }) => done === rows - rejected,
  );
}

describe.concurrent('a cell of a CSV', () => {
  it('goes to the service without the spaces around it, and comes back as it stood in the file', async () => {
    const id = await campaign();
    const csv = `phone,name,plan,note\n ${phone(1)} ,  Ann  , gold ,"  two\n words "\n`;
    await add(id, 'text/csv', csv);
    await dialled(id);
    expect(sentTo(phone(1))).toMatchObject([{ name: 'Ann', data: { plan: 'gold', note: 'two\n words' } }]);
    const [person] = await people(id);
    expect(person).toMatchObject({
      name: 'Ann',
      input: { phone: ` ${phone(1)} `, name: '  Ann  ', plan: ' gold ', note: '  two\n words ' },
    });
    const results = (await api.ask('GET', `/api/campaigns/${id}/results.csv`)).text;
    expect(results).toContain(`," ${phone(1)} ","  Ann  "," gold ","  two\n words "\n`);
  });

  it('of a column that another file uses for phones or names stays a variable', async () => {
    const id = await campaign();
    await add(id, 'text/csv', `phone,name,number\n${phone(11)},Ann,7\n`);
    await add(id, 'text/csv', `number,phone\n${phone(12)},extension 4\n`, '?phone=number');
    await add(id, 'application/json', JSON.stringify([{ phone: phone(13), number: 9 }]));
    await dialled(id);
    expect(sentTo(phone(11))[0]!.data).toEqual({ number: '7' });
    expect(sentTo(phone(12))[0]!.data).toEqual({ phone: 'extension 4' });
    expect(sentTo(phone(13))[0]!.data).toEqual({ number: 9 });
  });
});

describe.concurrent('a variable of JSON', () => {
  const variables = {
    name: 'Widget',
    phone: 'none',
    phone_number: 5,
    timezone: 'late',
    variables: ['a'],
    qty: 3,
    price: 0.1,
    vip: true,
    trial: false,
    empty: '',
    spaced: ' as given ',
    order: { id: 12, lines: [{ sku: 'x', note: null }] },
    gone: null,
  };
  const { gone: _gone, ...sent } = variables;

  it.each([
    ['application/json', (items: unknown[]) => JSON.stringify(items)],
    ['application/x-ndjson', (items: unknown[]) => items.map((item) => JSON.stringify(item)).join('\n')],
  ])('is kept under its name and with its type, whatever its name is (%s)', async (type, write) => {
    const [one, two] = type.endsWith('ndjson') ? [phone(21), phone(22)] : [phone(23), phone(24)];
    const id = await campaign();
    const answer = await add(
      id,
      type,
      write([
        { phone: one, name: 'Ann', timezone: 'UTC', city: 'Reno', level: 4, variables },
        { phone: two, variables: { name: 'only here' } },
      ]),
    );
    expect(answer.json).toMatchObject({ accepted: 2, rejected: 0 });
    await dialled(id);
    expect(sentTo(one)).toMatchObject([{ name: 'Ann' }]);
    expect(sentTo(one)[0]!.data).toEqual({ city: 'Reno', level: 4, ...sent });
    expect(sentTo(two)[0]!.data).toEqual({ name: 'only here' });
    expect(sentTo(two)[0]!.name).toBeUndefined();

    const input = {
      phone: one,
      name: 'Ann',
      timezone: 'UTC',
      city: 'Reno',
      level: 4,
      'variables.name': 'Widget',
      'variables.phone': 'none',
      'variables.phone_number': 5,
      'variables.timezone': 'late',
      'variables.variables': ['a'],
      qty: 3,
      price: 0.1,
      vip: true,
      trial: false,
      empty: '',
      spaced: ' as given ',
      order: variables.order,
    };
    expect((await people(id))[0].input).toEqual(input);
    const [line] = await lines(id);
    expect(line.input).toEqual(input);
    expect(line).toMatchObject({ in_qty: 3, in_vip: true, in_order: variables.order, in_name: 'Ann' });
    const csv = (await api.ask('GET', `/api/campaigns/${id}/results.csv`)).text;
    expect(csv).toContain(',in_level,in_variables.name,in_variables.phone,');
    expect(csv).toContain(',4,Widget,none,5,late,"[""a""]",3,0.1,true,false,," as given ","{""id"":12,');
  });

  it('that comes in two places with two values is a rejected row, and with one value is one variable', async () => {
    const id = await campaign();
    const answer = await add(
      id,
      'application/json',
      JSON.stringify([
        { phone: phone(31), city: 'Reno', variables: { city: 'Rome' } },
        { phone: phone(32), city: 'Reno', variables: { city: 'Reno' } },
        { phone: phone(33), 'variables.name': 1, variables: { name: 2 } },
        { phone: phone(34), phone_number: 1, variables: { phone_number: 2 } },
        { phone: phone(35), id: 12345678901234567000 },
        { phone: phone(36), variables: { name: 1, 'variables.name': 2 } },
      ]),
    );
    expect(answer.json.rejects).toEqual([
      { row: 1, reason: 'gives two values to "city"' },
      { row: 3, reason: 'gives two values to "variables.name"' },
      { row: 4, reason: 'gives two values to "phone_number"' },
      { row: 5, reason: 'contains a number that is too long: write it as text' },
    ]);
    await dialled(id);
    expect(sentTo(phone(32))[0]!.data).toEqual({ city: 'Reno' });
    expect(sentTo(phone(36))[0]!.data).toEqual({ name: 1, 'variables.name': 2 });
    expect((await people(id))[1].input).toMatchObject({ 'variables.name': 1, 'variables.variables.name': 2 });
  });

  it('takes its new value and type when the person is sent again before the call', async () => {
    const id = await campaign();
    const send = (level: unknown) =>
      add(
        id,
        'application/json',
        JSON.stringify([{ phone: phone(41), level }, { phone: phone(42) }]),
        '?on_known=replace',
      );
    await send('3');
    await send(3);
    await send(true);
    expect((await people(id)).map((each: { row: number }) => each.row)).toEqual([1, 2]);
    expect((await api.ask('GET', `/api/campaigns/${id}`)).json.balance).toMatchObject({
      rows: 2,
      waiting: 2,
    });
    await dialled(id);
    expect(sentTo(phone(41))).toMatchObject([{ data: { level: true } }]);
  });
});

it('a single call takes variables of any name and type, and its Idempotency-Key knows them again', async () => {
  const variables = { name: 'Widget', phone: 1, vip: true, order: { a: 1, b: [2] } };
  const order = (given: Record<string, unknown>) =>
    api.ask('POST', '/api/calls', {
      headers: { 'idempotency-key': 'variables-1' },
      body: { agent: 'a', phone: phone(51), name: 'Ann', variables: given },
    });
  const first = await order(variables);
  expect(first).toMatchObject({ status: 202, json: { name: 'Ann', input: variables } });
  const again = await order({ order: { b: [2], a: 1 }, vip: true, phone: 1, name: 'Widget' });
  expect(again).toMatchObject({ status: 200, json: { id: first.json.id } });
  expect(await order({ ...variables, vip: 'true' })).toMatchObject({ status: 409 });
  await until(
    async () => sentTo(phone(51)),
    (sent) => sent.length > 0,
  );
  expect(sentTo(phone(51))).toEqual([{ phone_number: phone(51), name: 'Ann', data: variables }]);
  expect(
    await api.ask('POST', '/api/calls', { body: { agent: 'a', phone: phone(52), variables: { n: 1e300 } } }),
  ).toMatchObject({
    status: 422,
    json: { detail: 'variables: contains a number that is too long: write it as text' },
  });
});

it('an override, a row’s own agent and declared types reach the service, for a list and for a single call', async () => {
  const override = { voice: { speed: 1.1 }, variables: { lang: 'de' } };
  const id = await campaign({ agent: ['a=1', 'b=1'], override });
  const csv = `phone,bot,Betrag\n${phone(801)},own,12.50\n${phone(802)},,x\n${phone(803)},,7\n`;
  const answer = await add(id, 'text/csv', csv, '?agent=bot&map=amount:number%3DBetrag');
  expect(answer.json).toMatchObject({ accepted: 2, rejected: 1, rejects: [{ row: 3 }] });
  await dialled(id);
  const single = { agent: 'c', phone: phone(804), override, variables: { lang: 'en', n: 1 } };
  const call = (await api.ask('POST', '/api/calls', { body: single })).json;
  await until(
    async () => (await api.ask('GET', `/api/calls/${call.id}`)).json.state,
    (state) => state === 'done',
  );
  const bodies = [...api.simulator.journal({ method: 'POST', path: '/v1/call' })];
  const sent = (n: number) => bodies.find((each) => each.phone === phone(n))!.body!;
  const voice = { speed: 1.1 };
  expect(sent(801)).toMatchObject({
    agent_id: 'own',
    settings: { voice, variables: { lang: 'de', amount: 12.5 } },
  });
  expect(sent(803)).toMatchObject({ settings: { voice, variables: { lang: 'de', amount: 7 } } });
  expect(['a', 'b']).toContain(sent(803).agent_id);
  expect(sent(804)).toMatchObject({ agent_id: 'c', settings: { voice, variables: { lang: 'en', n: 1 } } });
  const results = await lines(id);
  expect(results.map(({ agent }) => agent)).toEqual(['own', sent(803).agent_id]);
  expect((await api.ask('GET', `/api/campaigns/${id}`)).json).toMatchObject({
    agent: ['a=1', 'b=1'],
    override,
  });
});
