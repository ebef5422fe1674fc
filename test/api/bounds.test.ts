import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mostDeep, mostEntries } from '../../src/api/json-body.ts';
import { mostReadEverywhere } from '../../src/rules/phone/readings.ts';
import { mostCaps, mostDates } from '../../src/rules/policy/policy.ts';
import { type Json, operations } from '../support/description.ts';
import { partsOf, withPart } from '../support/parts.ts';
import { type Counter, countWork } from '../support/work.ts';
import { openApi, type TestApi } from './support.ts';

/** Requests have bounds on their lists, texts and depths, and the work that they cause grows with their bytes only. */
let api: TestApi;
let work: Counter;
beforeAll(async () => {
  api = await openApi();
  await api.ask('POST', '/api/campaigns', { body: { name: 'list', agent: 'a' } });
  work = await countWork();
});
afterAll(async () => {
  await work?.close();
  await api?.close();
});

const post = (path: string, body: unknown) => api.ask('POST', path, { body });
const fill = (path: string, id = '1') => path.replace(/\{\w+\}/g, id);
/** Read as it comes, of any length. */
const isList = (path: string) => /^\/api\/imports|\/recipients$/.test(path);
const cap = { calls: 1, per: '1h' };

describe('contact rules', () => {
  it.each([
    ['caps', mostCaps, (n: number) => ({ calls: n + 1, per: `${n + 1}d` })],
    ['not_on', mostDates, () => '2026-12-24'],
  ])(
    'with more %s than a policy has are refused with the field, by each route that takes them',
    async (field, most, entry) => {
      const policy = { [field]: Array.from({ length: most + 1 }, (_, n) => entry(n)) };
      for (const [method, path, body] of [
        ['POST', '/api/policy/check', policy],
        ['PUT', '/api/policy', policy],
        ['POST', '/api/week', { timezone: 'UTC', policy }],
      ] as const) {
        const answer = await api.ask(method, path, { body });
        expect([answer.status, answer.json.detail], path).toEqual([
          422,
          expect.stringMatching(new RegExp(`${field} must have at most ${most} `)),
        ]);
        expect(answer.json.issues).toHaveLength(1);
      }
    },
  );

  it('that are far too many cost no more than some that are too many', async () => {
    const check = (caps: number) => () =>
      post('/api/policy/check', { caps: Array.from({ length: caps }, () => cap) });
    await check(mostCaps + 1)();
    const [few, many] = await work.ofEach(check(mostCaps + 1), check(9_000));
    expect(many).toBeLessThan(2 * few!);
  });
});

describe('a search', () => {
  const national = (n: number) => Array.from({ length: n }, (_, i) => `4155550${100 + i}`);
  const query = (phones: string[], more = '') =>
    `/api/calls?${phones.map((phone) => `phone=${encodeURIComponent(phone)}`).join('&')}${more}`;

  it('reads few numbers in every country, and any number where the country is named', async () => {
    const most = mostReadEverywhere;
    expect((await api.ask('GET', query(national(most)))).status).toBe(200);
    const refused = await api.ask('GET', query(national(most + 1)));
    expect(refused).toMatchObject({ status: 422, json: { issues: [{ path: 'phone' }] } });
    expect(refused.json.remedy).toContain('country');
    expect((await api.ask('GET', query(national(most + 1), '&country=US'))).status).toBe(200);
    const international = national(600).map((each) => `+1${each}`);
    expect((await api.ask('GET', query(international))).status).toBe(200);
    const filter = { phone: national(most + 1) };
    expect((await post('/api/bulk', { act: 'export', filter, dry_run: true })).status).toBe(422);
  });
});

describe('a body of JSON', () => {
  const bodies = operations.filter(
    ({ path, facts }) =>
      facts.requestBody?.content['application/json'] && !isList(path) && !path.startsWith('/api/hooks'),
  );
  const json = { 'content-type': 'application/json' };

  it('that is nested too deep is refused by every route that takes one', async () => {
    for (const { method, path } of bodies) {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const body = `{"metadata":${open.repeat(200_000)}1${close.repeat(200_000)}}`.slice(0, 1_000_000);
        const answer = await api.ask(method, fill(path), { body, headers: json });
        expect([answer.status, answer.json.detail], `${method} ${path}`).toEqual([
          422,
          `The body is nested more than ${mostDeep} deep`,
        ]);
      }
    }
  });

  it('with half a million entries is refused by every route before one is read', async () => {
    const body = JSON.stringify({ phones: Array.from({ length: 400_000 }, () => 1) });
    for (const { method, path } of bodies) {
      const answer = await api.ask(method, fill(path), { body, headers: json });
      expect([answer.status, answer.json.detail], `${method} ${path}`).toEqual([
        422,
        `The body has a list or an object of more than ${mostEntries} entries`,
      ]);
    }
  });

  it('may have brackets and commas in its texts, as many as it likes', async () => {
    const name = `x\\"${'[,{'.repeat(40)}`;
    expect((await post('/api/campaigns', { name: name.slice(0, 190), agent: 'a' })).status).toBe(201);
  });
});

describe('the work of a request', () => {
  const growths = operations.flatMap(({ method, path, facts }) => {
    const content = facts.requestBody?.content['application/json'];
    if (!content || isList(path)) return [];
    const parts = partsOf(content.schema).filter(({ kind, entry }) => kind !== 'text' || isLong(entry));
    return parts.map((part) => ({ method, path, part, at: part.steps.join('.'), example: content.example }));
  });

  it.each(growths)('$method $path: it grows as $at does, and no faster', async (growth) => {
    const { method, path, part, example } = growth;
    const ask = (n: number) => () =>
      api.ask(method, fill(path, 'list'), { body: withPart(example, part, n) });
    await ask(2)();
    const [few, many] = await work.ofEach(ask(100), ask(1_600));
    // A list that is longer than its route allows costs less.
    expect(many, `${few} blocks for 100 entries`).toBeLessThan(few! * 16 * 1.5);
  });
});

/** The reader of a short text has little to do. */
const isLong = ({ maxLength = Number.POSITIVE_INFINITY }: Json) => maxLength > 300;
