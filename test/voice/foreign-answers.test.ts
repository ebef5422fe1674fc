import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Answer, VoiceClient } from '../../src/voice/client.ts';
import { runs } from '../support/property.ts';
import { connect, order, type Reply, secret, serve } from './servers.ts';

/** Each request ends with a value, whatever a service answers: a call, or a fault that says in one line why not. */
const asks: Record<string, (client: VoiceClient) => Promise<Answer<unknown>>> = {
  create: (client) => client.create(order),
  read: (client) => client.get({ id: 'c-1' }),
  update: (client) => client.update('c-1', { status: 'canceled' }),
  numbers: (client) => client.numbers(),
};

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const field = fc.constantFrom(
  ...[
    'id',
    'status',
    'phone_number',
    'metadata',
    'structured_data',
    'transcript',
    'cost',
    'duration',
    'detail',
  ],
  ...['message', 'error', 'loc', 'msg', 'type', 'created_at', '__proto__', 'constructor', 'toString'],
);
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom<unknown>('', '\0', 'a\0b', '\ud800', '1e999', secret, 'x'.repeat(100_000), null, true),
  fc.constantFrom<unknown>(0, -1, 1.5, 1e300, 2 ** 53, {}, [], [[]], { toString: null }),
  fc.jsonValue({ maxDepth: 3 }),
);
const object = fc.dictionary(field, value, { maxKeys: 8 });
const text = fc.oneof(
  { weight: 5, arbitrary: object.map((each) => JSON.stringify(each)) },
  { weight: 2, arbitrary: fc.array(object, { maxLength: 4 }).map((each) => JSON.stringify(each)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(object, fc.array(fc.oneof(value, object), { maxLength: 3 }))
      .map(([detail, loc]) => JSON.stringify({ detail: [{ ...detail, loc }, detail] })),
  },
  fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '1e999',
    deep,
    `{"id":"c-1","metadata":${deep}}`,
    '\0'.repeat(9_999),
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
const status = fc.constantFrom(
  200,
  200,
  200,
  200,
  201,
  202,
  204,
  299,
  301,
  400,
  401,
  402,
  403,
  404,
  409,
  422,
  429,
  500,
  503,
);
const header = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { 'content-type': 'text/html' },
  { 'retry-after': '-1' },
  { 'retry-after': '9'.repeat(400) },
  { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
  { 'retry-after': 'soon' },
  { 'ratelimit-reset': '1e999', 'x-ratelimit-reset': '\u00ff' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, gzip, deflate, x' },
  { 'content-encoding': 'identity' },
  { location: 'http://169.254.169.254/' },
);

it('a refusal whose places are no names is told without them', async () => {
  const detail = [{ loc: ['body', { toString: null }, 'customer', 1], msg: 'is not valid' }];
  const { baseUrl } = await serve(() => ({ status: 422, json: { detail } }));
  expect(await connect(baseUrl).create(order)).toMatchObject({
    fault: { kind: 'refused', customer: true, message: expect.stringContaining('customer.1: is not valid') },
  });
});

it('an answer of any shape is a value: a call, or a fault in one line that holds no key', async () => {
  let reply: Reply = {};
  const { baseUrl } = await serve(() => reply);
  const client = connect(baseUrl);
  const statuses = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(asks)),
      status,
      header,
      text,
      fc.boolean(),
      async (ask, code, headers, body, packed) => {
        const bytes = packed && headers['content-encoding'] === 'gzip' ? gzipSync(body) : Buffer.from(body);
        reply = { status: code, headers, text: bytes };
        const answer = await asks[ask]!(client);
        statuses.set(`${ask} ${answer.ok}`, (statuses.get(`${ask} ${answer.ok}`) ?? 0) + 1);
        // Ids and a status are used as they came: a service that gives the key as one gives it away itself.
        const asGiven = (name: string, part: unknown) => (name === 'id' || name === 'status' ? '' : part);
        expect(JSON.stringify(answer, asGiven)).not.toContain(secret);
        if (answer.ok) return;
        const { kind, message } = answer.fault as { kind: string; message?: string };
        expect(kind).toMatch(/^[a-z-]+$/);
        // A person reads it in a line.
        expect(message ?? '').not.toMatch(/[\n\r\0]/);
        expect((message ?? '').length).toBeLessThan(1_000);
      },
    ),
    { numRuns: runs(400), interruptAfterTimeLimit: 240_000 },
  );
  for (const ask of Object.keys(asks)) expect(statuses.get(`${ask} true`), ask).toBeGreaterThan(0);
});
