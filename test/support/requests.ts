/** Requests made from the description: valid ones, and ones that are broken in the ways in which clients break them. */
import fc from 'fast-check';
import { description, type Json, type Operation } from './description.ts';
import { oddHeader, placeText } from './odd-texts.ts';

export type MadeRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/** Values that mean something, by the name of the field: without them nothing would be found. */
const pools: Record<string, unknown[]> = {
  phone: ['+14155550123', '+14155550199', '(415) 555-0123', '12'],
  campaign: ['spring', 'may', 'nobody'],
  name: ['spring', 'may', 'Ann', 'june'],
  agent: ['agent_1', 'agent_1=70'],
  from: ['+14155550100'],
  number_id: ['n-1'],
  country: ['US', 'GB', 'XX'],
  timezone: ['America/New_York', 'Mars/Base'],
  window: ['09:00-20:00', 'mon-fri=09:00-20:00'],
  days: ['mon-fri'],
  not_on: ['2027-12-25'],
  start_at: ['2027-01-01T09:00:00Z'],
  end_at: ['2027-02-01T09:00:00Z'],
  since: ['2026-01-01T00:00:00Z'],
  until: ['2027-01-01T00:00:00Z', '30d'],
  at: ['2026-12-01T09:00:00Z'],
  retry: ['no-answer=30m/2h'],
  stop_at: ['50%/2m'],
  per: ['24h', '7d'],
  gap: ['4h'],
  with: ['max_calls=40', 'x'],
  url: ['http://127.0.0.1:9/hook'],
  recipient: ['1', '999999999999999'],
  attempt: ['0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55'],
  variable: ['order:1017'],
};

/** Of paths: ids that exist, that do not, and that no ledger could hold. */
const ids = [
  'spring',
  'may',
  'main',
  '1',
  '2',
  '+14155550123',
  '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55',
  '99999999999999999999999',
  'x\u0000y',
  '\ud83d\ude00',
  '../keys',
  'a'.repeat(299),
  'a'.repeat(5_000),
  "'; drop table x --",
  '%',
];

const oddText = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\n',
  'a'.repeat(3_000),
  '__proto__',
  'null',
);
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, Number.MAX_VALUE, 1e21, 2 ** 53, 0.1, '', [], {}, [[]], 'x'),
  fc.jsonValue({ maxDepth: 2 }),
  oddText,
);

function resolve(schema: Json): Json {
  const { $ref } = schema;
  if (!$ref) return schema;
  return resolve(
    $ref
      .split('/')
      .slice(1)
      .reduce((part: Json, step: string) => part[step], description),
  );
}

/** A value that fits a schema, as far as the schema says. */
function fits(given: Json, name = '', depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((each: Json) => fits(each, name, depth)));
  const kind = [schema.type].flat()[0];
  if (kind === 'object') return objectOf(schema, depth);
  if (kind === 'array')
    return fc.array(fits(schema.items ?? {}, name, depth + 1), {
      minLength: schema.minItems ?? 0,
      maxLength: 3,
    });
  if (kind === 'string') return textOf(schema, name);
  if (kind === 'integer' || kind === 'number') {
    const { minimum: min = 0, maximum: max = 1_000 } = schema;
    return fc.integer({ min: Math.ceil(min), max });
  }
  if (kind === 'boolean') return fc.boolean();
  return kind === 'null' ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 });
}

function textOf(schema: Json, name: string): fc.Arbitrary<string> {
  if (name === 'cursor') return placeText;
  const pool = (pools[name] ?? []).filter((each) => typeof each === 'string') as string[];
  const any =
    schema.format === 'uuid'
      ? fc.uuid()
      : fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 40, 40) });
  return pool.length > 0 ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pool) }, any) : any;
}

function objectOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema;
  const parts = Object.fromEntries(
    Object.entries<Json>(properties).map(([field, part]) => [field, fits(part, field, depth + 1)]),
  );
  if (Object.keys(parts).length > 0) {
    const few = fc.subarray(Object.keys(parts), { maxLength: Math.min(5, Object.keys(parts).length) });
    return few.chain((chosen) => {
      const wanted = new Set([...chosen, ...required]);
      return fc.record(Object.fromEntries(Object.entries(parts).filter(([field]) => wanted.has(field))));
    });
  }
  return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
}

const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
const deepObject = `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`;

/** Text of a body that somebody sends: whole, with a field that is wrong, odd or unknown, or no JSON at all. */
function bodyOf(schema: Json): fc.Arbitrary<string> {
  const good = fits(schema);
  const spoiled = fc
    .tuple(good, fc.nat(), oddValue, fc.constantFrom('x', '__proto__', 'constructor', 'state', 'id'))
    .map(([value, at, odd, unknown]) => {
      if (value === null || typeof value !== 'object' || Array.isArray(value)) return odd;
      const names = [...Object.keys(value), unknown];
      return { ...value, [names[at % names.length]!]: odd };
    });
  return fc.oneof(
    { weight: 5, arbitrary: good.map((value) => JSON.stringify(value) ?? 'null') },
    { weight: 5, arbitrary: spoiled.map((value) => JSON.stringify(value) ?? 'null') },
    { weight: 2, arbitrary: oddValue.map((value) => JSON.stringify(value) ?? 'null') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        'nonsense',
        '{"a":1e999}',
        deep,
        deepObject,
        '\u0000',
        '[{"phone":"+14155550123"},]',
        '{"__proto__":{"x":1}}',
      ),
    },
  );
}

function queryOf(parameters: Json[]): fc.Arbitrary<string> {
  const named = parameters.filter((each) => each.in === 'query');
  const one = (name: string, schema: Json) =>
    fc.oneof(
      { weight: 3, arbitrary: fits(schema, name).map(String) },
      { weight: 1, arbitrary: oddText.filter((text) => text !== '\ud800') },
    );
  const parts = named.map(({ name, schema }) =>
    fc
      .option(one(name, schema), { freq: 2, nil: undefined })
      .map((value) => (value === undefined ? '' : `${name}=${encode(value)}`)),
  );
  const extra = fc.constantFrom(
    '',
    '',
    '',
    '',
    'x=1',
    'limit=0',
    'limit=1&limit=2',
    '%',
    'a[b]=1',
    '__proto__=1',
  );
  return fc.tuple(...parts, extra).map((all) => all.filter(Boolean).join('&'));
}

const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString());

/** Every operation is asked for; `known`: ids of what is there, besides those that are always tried. */
export function requestsFor(
  operations: readonly Operation[],
  known: readonly string[],
): fc.Arbitrary<MadeRequest> {
  return fc.oneof(...operations.map((operation) => requestOf(operation, known)));
}

function requestOf({ method, path, facts }: Operation, known: readonly string[]): fc.Arbitrary<MadeRequest> {
  const parameters: Json[] = facts.parameters ?? [];
  const content = Object.entries<Json>(facts.requestBody?.content ?? {});
  const bodies = content.map(([type, { schema, example }]) =>
    (type === 'application/json'
      ? bodyOf(schema)
      : fc.oneof(
          fc.constant(String(example)),
          fc.string(),
          fc.constantFrom('phone\n\u0000', '{"phone":"1"}\n{', 'a,b\n"'),
        )
    ).map((body) => ({ type, body })),
  );
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return fc
    .record({
      values: fc.tuple(
        ...names.map(() =>
          fc.oneof(
            { weight: 3, arbitrary: fc.constantFrom(...known, ...ids.slice(0, 6)) },
            fc.constantFrom(...ids),
          ),
        ),
      ),
      query: queryOf(parameters),
      sent: bodies.length > 0 ? fc.oneof(...bodies) : fc.constant(undefined),
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(method) },
        fc.constantFrom('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS'),
      ),
      headers: fc.record(
        {
          'idempotency-key': oddHeader('one', 'two', 'a b', '\u00e9', 'x'.repeat(300)),
          'if-match': oddHeader('"0"', '*', 'x', '""', '"1.x", W/"2"'),
          'if-none-match': oddHeader('*', '"x"'),
          prefer: oddHeader('respond-async', 'x'),
          cookie: oddHeader('carillon=x', 'carillon=; carillon', 'a=%'.repeat(500), '='.repeat(3_000)),
          'last-event-id': oddHeader('x', 'evt_019aab5c1e2f000000000001', 'evt_019aab5c1e2f00ffffffffff'),
        },
        { requiredKeys: [] },
      ),
      type: fc.oneof(
        { weight: 12, arbitrary: fc.constant(null) },
        fc.constantFrom('text/plain', 'application/xml', 'application/json; charset=latin1'),
      ),
    })
    .map(({ values, query, sent, method: asked, headers, type }) => {
      const address = names.reduce(
        (made, name, at) => made.replace(`{${name}}`, encode(values[at] as string)),
        path,
      );
      const withBody = sent !== undefined && asked !== 'GET' && asked !== 'HEAD';
      return {
        method: asked,
        path: query ? `${address}?${query}` : address,
        headers: { ...headers, ...(withBody ? { 'content-type': type ?? sent.type } : {}) } as Record<
          string,
          string
        >,
        body: withBody ? sent.body : undefined,
      };
    });
}
