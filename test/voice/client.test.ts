import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { CarillonError } from '../../src/base/errors.ts';
import { version } from '../../src/base/version.ts';
import { createVoiceClient } from '../../src/voice/client.ts';
import { pagesOf } from '../../src/voice/lists.ts';
import { standard } from '../../src/voice/load-service.ts';
import { describeProfile, type Profile } from '../../src/voice/profile.ts';
import { runs } from '../support/property.ts';
import { connect, order, type Reply, secret, serve } from './servers.ts';

const reply = (answer: Reply) => serve(() => answer);
const described = (changes: Profile) => describeProfile(standard(), changes);

test('a create posts the order once and returns the call', async () => {
  const { baseUrl, seen } = await reply({
    status: 201,
    json: { id: 'c-1', status: 'queued', provider_call_sid: null, extra: 1 },
  });
  const answer = await connect(baseUrl).create({ ...order, name: 'Ann', from: { number: '+4930123' } });
  expect(answer).toEqual({
    ok: true,
    size: expect.any(Number),
    status: 201,
    value: { id: 'c-1', status: 'queued', phone: null, sid: null, handle: null, isFull: false },
    ms: expect.any(Number),
  });
  expect(answer.ms).toBeGreaterThan(0);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: 'POST', url: '/v1/call' });
  expect(seen[0]!.headers).toMatchObject({
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'user-agent': `carillon/${version}`,
  });
  expect(seen[0]!.headers).not.toHaveProperty('x-api-key');
  expect(JSON.parse(seen[0]!.body)).toEqual({
    agent_id: 'agent-1',
    customer: { phone_number: '+14155550123', name: 'Ann' },
    from_number: '+4930123',
  });
});

test('the key can be sent as X-API-Key', async () => {
  const { baseUrl, seen } = await reply({ json: [] });
  await connect(baseUrl, { auth: 'x-api-key' }).numbers();
  expect(seen[0]!.headers['x-api-key']).toBe(secret);
  expect(seen[0]!.headers).not.toHaveProperty('authorization');
});

test('the profile shapes the order', async () => {
  const { baseUrl, seen } = await reply({ json: { id: 'c-1' } });
  const customer = { field: 'contact', phone: 'number', name: 'called', variables: 'data' };
  const client = connect(baseUrl, { service: described({ customer }) });
  await client.create({ ...order, name: 'Ann', variables: { city: 'Bonn' } });
  expect(JSON.parse(seen[0]!.body)).toEqual({
    agent_id: 'agent-1',
    contact: { number: '+14155550123', called: 'Ann', data: { city: 'Bonn' } },
  });
});

test('a call is read and updated by its id, whatever the id contains', async () => {
  const { baseUrl, seen } = await reply({ json: { id: 'c-1', status: null, transcript: 'Hi', cost: 0.5 } });
  const client = connect(baseUrl);
  expect(await client.get({ id: 'c-1' })).toMatchObject({
    ok: true,
    value: { kept: { transcript: 'Hi', cost: 0.5 } },
  });
  expect(await client.update('c-1', { status: 'canceled' })).toMatchObject({ ok: true });
  for (const id of ['a/b?c#d', '..', '.', 'ü \ud800']) await client.get({ id });
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/call/c-1',
    'PATCH /v1/call/c-1',
    'GET /v1/call/a%2Fb%3Fc%23d',
    'GET /v1/call/%2E%2E',
    'GET /v1/call/%2E',
    'GET /v1/call/%C3%BC%20%EF%BF%BD',
  ]);
  expect(seen[1]!.body).toBe('{"status":"canceled"}');
  expect(seen[0]!.body).toBe('');
});

test('null, absent, odd and unknown fields do no harm', async () => {
  const json = {
    id: 'c-1',
    status: 'ringing',
    duration: 'a minute',
    transcript: null,
    metadata: [1],
    mood: {},
  };
  const { baseUrl } = await reply({ json });
  expect(await connect(baseUrl).get({ id: 'c-1' })).toMatchObject({
    ok: true,
    value: {
      id: 'c-1',
      status: 'ringing',
      stage: { kind: 'live' },
      kept: { duration: null, transcript: null, metadata: null },
      rest: { mood: {} },
      record: json,
    },
  });
});

test.each([
  [7, null],
  [{ state: 'ringing' }, null],
  [['ringing'], null],
  [true, null],
  [null, null],
])(
  'a status that is not text (%j) ends nothing, and the rest of the answer is read',
  async (given, status) => {
    const { baseUrl } = await reply({ json: { id: 'c-1', status: given, duration: 3 } });
    const client = connect(baseUrl);
    const value = { id: 'c-1', status };
    const live = { ...value, stage: { kind: 'live' }, kept: { duration: 3 } };
    expect(await client.get({ id: 'c-1' })).toMatchObject({ ok: true, value: live });
    expect(await client.create(order)).toMatchObject({ ok: true, value });
    expect(await client.update('c-1', {})).toMatchObject({ ok: true, value: live });
  },
);

test('ids and phones that are whole numbers, and amounts that are text, are read as what they are', async () => {
  const json = { id: 17, phone_number: 14155550123, contact_id: 3, cost: '0.25', duration: '61' };
  const { baseUrl } = await reply({ json });
  expect(await connect(baseUrl).get({ id: '17' })).toMatchObject({
    ok: true,
    value: { id: '17', phone: '14155550123', kept: { contact_id: '3', cost: 0.25, duration: 61 } },
  });
  expect(await connect(baseUrl).create(order)).toMatchObject({
    ok: true,
    value: { id: '17', phone: '14155550123' },
  });
});

test.each([1.5, 2 ** 53, '', true, null, {}])(
  'an id that names no call (%j) leaves a create in doubt',
  async (id) => {
    const { baseUrl } = await reply({ json: { id } });
    expect(await connect(baseUrl).create(order)).toMatchObject({ ok: false, fault: { kind: 'lost' } });
  },
);

test.each([
  [400, 'refused'],
  [401, 'denied'],
  [402, 'no-credit'],
  [404, 'refused'],
  [422, 'refused'],
  [429, 'busy'],
  [500, 'lost'],
  [301, 'lost'],
  [408, 'lost'],
] as const)('an answer %i is %s, for a create and a read', async (status, kind) => {
  const { baseUrl, seen } = await reply({ status, headers: { location: '/v1/other' }, json: {} });
  const client = connect(baseUrl);
  expect(await client.create(order)).toMatchObject({ ok: false, fault: { kind, status } });
  expect(await client.get({ id: 'c-1' })).toMatchObject({ ok: false, fault: { kind, status } });
  expect(seen.map(({ url }) => url)).toEqual(['/v1/call', '/v1/call/c-1']);
});

test('Retry-After is counted by the given clock', async () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  const headers = { 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' };
  const { baseUrl } = await reply({ status: 429, headers });
  const client = connect(baseUrl, { clock: { ...systemClock, now: () => now } });
  expect(await client.create(order)).toMatchObject({ fault: { kind: 'busy', retryAfterMs: 7_000 } });
});

test('createdNothing applies only to creates', async () => {
  const { baseUrl } = await reply({ status: 503 });
  const client = connect(baseUrl, { service: described({ createdNothing: [503] }) });
  expect(await client.create(order)).toMatchObject({ fault: { kind: 'unreachable', status: 503 } });
  expect(await client.update('c-1', {})).toMatchObject({ fault: { kind: 'lost', status: 503 } });
});

test.each<[string, Reply]>([
  ['no body', { status: 204 }],
  ['an empty body', {}],
  ['no id', { json: { status: 'queued' } }],
  ['an empty id', { json: { id: '' } }],
  ['an id that is not text', { json: { id: {} } }],
  ['a list', { json: [{ id: 'c-1' }] }],
  ['null', { json: null }],
  ['broken JSON', { text: '{"id": "c-1"' }],
  ['a web page', { text: '<html><body>Welcome</body></html>', headers: { 'content-type': 'text/html' } }],
])('a 2xx with %s is lost', async (_, answer) => {
  const { baseUrl, seen } = await reply(answer);
  const client = connect(baseUrl);
  const status = answer.status ?? 200;
  expect(await client.create(order)).toMatchObject({ ok: false, fault: { kind: 'lost', status } });
  expect(await client.get({ id: 'c-1' })).toMatchObject({ ok: false, fault: { kind: 'lost', status } });
  expect(seen).toHaveLength(2);
});

test.each<[string, Reply]>([
  ['gzip', { text: gzipSync('{"id":"c-1"}'), headers: { 'content-encoding': 'gzip' } }],
  ['brotli', { text: brotliCompressSync('{"id":"c-1"}'), headers: { 'content-encoding': 'br' } }],
  ['a byte order mark', { text: '\uFEFF{"id":"c-1"}' }],
])('an answer with %s is read', async (_, answer) => {
  const { baseUrl } = await reply(answer);
  expect(await connect(baseUrl).create(order)).toMatchObject({ ok: true, value: { id: 'c-1' } });
});

test('an answer longer than the cap is not read to its end or decompressed beyond it', async () => {
  const long = JSON.stringify({ id: 'c-1', transcript: 'x'.repeat(6 * 1024 * 1024) });
  const plain = await reply({ text: long });
  expect(await connect(plain.baseUrl).get({ id: 'c-1' })).toMatchObject({
    fault: { kind: 'lost', message: expect.stringContaining('longer than') },
  });
  const packed = await reply({ text: gzipSync(long), headers: { 'content-encoding': 'gzip' } });
  expect(await connect(packed.baseUrl).create(order)).toMatchObject({ fault: { kind: 'lost' } });
});

test('a long transcript below the cap is read completely', async () => {
  const transcript = 'ü'.repeat(256 * 1024);
  const { baseUrl } = await reply({ json: { id: 'c-1', transcript } });
  const answer = await connect(baseUrl).get({ id: 'c-1' });
  expect(answer.ok && answer.value.kept.transcript === transcript).toBe(true);
});

test('the secret is removed from faults and records', async () => {
  const { baseUrl } = await serve(({ method, headers }) =>
    method === 'POST'
      ? { status: 401, json: { detail: `${headers.authorization} is not known` } }
      : { json: { id: 'c-1', status: 'ended', metadata: { echo: [headers.authorization] } } },
  );
  const client = connect(baseUrl);
  const denied = await client.create(order);
  expect(denied).toMatchObject({
    fault: { kind: 'denied', message: 'the service answered 401: Bearer [secret] is not known' },
  });
  const record = await client.get({ id: 'c-1' });
  expect(record).toMatchObject({ ok: true, value: { kept: { metadata: { echo: ['Bearer [secret]'] } } } });
  expect(JSON.stringify([denied, record, client])).not.toContain(secret);
});

test('a secret as short as a word leaves records unchanged', async () => {
  const { baseUrl } = await reply({ json: { id: 'test-1', status: 'ended', transcript: 'a test' } });
  expect(await connect(baseUrl, { key: 'test' }).get({ id: 'test-1' })).toMatchObject({
    value: { id: 'test-1', kept: { transcript: 'a test' } },
  });
});

test('a page of numbers is requested with limit and offset', async () => {
  const { baseUrl, seen } = await reply({ json: [{ id: 'n1', phone_number: '+4930123', label: null }] });
  const client = connect(baseUrl);
  expect(await client.numbers()).toMatchObject({
    ok: true,
    value: { items: [{ id: 'n1', phone: '+4930123', provider: null }], next: null },
  });
  await client.numbers({ limit: 5, turn: { offset: 10 } });
  expect(await client.check()).toMatchObject({ ok: true, value: 1 });
  expect(seen.map(({ url }) => url)).toEqual([
    '/v1/phone-number?limit=1000&offset=0',
    '/v1/phone-number?limit=5&offset=10',
    '/v1/phone-number?limit=1',
  ]);
});

const numbers = Array.from({ length: 2_500 }, (_, i) => ({ id: `n${i}`, phone_number: `+49301${i}` }));

async function collect(baseUrl: string) {
  const ids: string[] = [];
  const faults: unknown[] = [];
  const client = connect(baseUrl);
  for await (const page of pagesOf((turn) => client.numbers({ turn }))) {
    if (page.ok) ids.push(...page.value.items.map(({ id }) => id));
    else faults.push(page.fault);
  }
  return { ids, faults };
}

test('all numbers are listed page by page, until a short page', async () => {
  const { baseUrl, seen } = await serve(({ url }) => {
    const query = new URL(url, 'http://x').searchParams;
    const offset = Number(query.get('offset'));
    return { json: numbers.slice(offset, offset + Number(query.get('limit'))) };
  });
  expect(await collect(baseUrl)).toEqual({ ids: numbers.map(({ id }) => id), faults: [] });
  expect(seen).toHaveLength(3);
});

test('a service that ignores the offset is not asked for ever', async () => {
  const { baseUrl, seen } = await reply({ json: numbers.slice(0, 1_000) });
  expect((await collect(baseUrl)).ids).toHaveLength(1_000);
  expect(seen).toHaveLength(2);
});

test('an account without numbers yields one empty page', async () => {
  const { baseUrl, seen } = await reply({ json: [] });
  expect(await collect(baseUrl)).toEqual({ ids: [], faults: [] });
  expect(seen).toHaveLength(1);
});

test('paging ends with the first fault', async () => {
  const { baseUrl, seen } = await serve(({ url }) =>
    url.includes('offset=0') ? { json: numbers.slice(0, 1_000) } : { status: 429 },
  );
  const { ids, faults } = await collect(baseUrl);
  expect(ids).toHaveLength(1_000);
  expect(faults).toMatchObject([{ kind: 'busy' }]);
  expect(seen).toHaveLength(2);
});

test('many requests at once share the connections', async () => {
  const { baseUrl, seen } = await reply({ json: { id: 'c-1' } });
  const client = connect(baseUrl, { timeoutMs: 120_000 });
  const answers = await Promise.all(Array.from({ length: 500 }, () => client.create(order)));
  expect(answers.every(({ ok }) => ok)).toBe(true);
  expect(seen).toHaveLength(500);
});

test.each([
  '',
  'voice.example/v1',
  'ftp://voice.example/v1',
  'https://ann:word@voice.example/v1',
  'https://voice.example/v1?a=b',
])('%j is not accepted as a base URL', (baseUrl) => {
  expect(() => createVoiceClient({ baseUrl, key: secret })).toThrow(CarillonError);
});

test('whatever a row holds is sent once or refuses that row; it is never the key’s fault', async () => {
  const { baseUrl, seen } = await serve(() => ({ json: { id: 'c-1' } }));
  const { create, ...rest } = standard();
  const headers = { 'x-name': '{name}', 'x-all': 'for {name}', 'x-plan': '{variables}' };
  const named = { ...rest, create: { ...create, path: '/call/{name}', query: { n: '{name}' }, headers } };
  const client = connect(baseUrl, { service: named });
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('a\nb', 'a\r\nx-b: c', '\0', '.', '..', '\ud800', 'José', ' '),
  );
  await fc.assert(
    fc.asyncProperty(text, fc.jsonValue({ maxDepth: 2 }), async (name, plan) => {
      seen.length = 0;
      const answer = await client.create({ ...order, name, variables: { plan } });
      if (name === '') expect(answer).toMatchObject({ fault: { kind: 'refused', customer: true } });
      else expect(answer).toMatchObject({ ok: true });
      expect(seen).toHaveLength(name === '' ? 0 : 1);
      if (/^[\x21-\x7e]+$/.test(name)) expect(seen[0]!.headers['x-name']).toBe(name);
      expect(seen[0]?.headers['x-b']).toBeUndefined();
    }),
    { numRuns: runs(100) },
  );
  // Whatever else cannot be written refuses the row too, and the key goes on.
  const odd = connect(baseUrl, { service: { ...rest, create: { ...create, headers: { 'x y': '{name}' } } } });
  expect(await odd.create({ ...order, name: 'Ann' })).toMatchObject({
    fault: { kind: 'refused', customer: true, message: expect.stringContaining('cannot be written') },
  });
});

test('a key that is not valid in a header is refused without being shown', () => {
  const make = () => createVoiceClient({ baseUrl: 'http://127.0.0.1/v1', key: 'abc\r\nX: y' });
  expect(make).toThrow(CarillonError);
  expect(make).not.toThrow(/abc/);
});
