import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idempotentOperations } from '../../src/client/ask.ts';
import { until } from '../support/until.ts';
import { type Answered, openApi, type TestApi } from './support.ts';

/** Every request that creates something, sent again with its Idempotency-Key. */
let api: TestApi;
let named: { id: string; token: string };
const admin = { authorization: 'Bearer admin-of-the-keys' };
const phone = (n: number) => `+1415555${String(3_000 + n)}`;

beforeAll(async () => {
  api = await openApi({ token: 'admin-of-the-keys', env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  await send('/api/campaigns', { name: 'spring', agent: 'a', recipients: [{ phone: phone(1) }] });
  named = (await send('/api/tokens', { name: 'dora', role: 'admin' })).json;
});
afterAll(() => api.close(), 120_000);

function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  return api.ask('POST', path, { headers: { ...admin, ...headers }, body });
}

type Case = {
  path: string;
  body: unknown;
  /** Another request with the same key. */
  other: unknown;
  status: number;
  again: number;
  headers?: Record<string, string>;
  /** How many there are of what it makes. */
  count(): Promise<number>;
};

const items = (path: string) => async () =>
  (await api.ask('GET', path, { headers: admin })).json.items.length as number;
const csv = { 'content-type': 'text/csv' };
const retried = '/api/activity?verb=campaign.retry';

const cases: Record<string, Case> = {
  createCall: {
    path: '/api/calls',
    body: { agent: 'a', phone: phone(2) },
    other: { agent: 'a', phone: phone(3) },
    status: 202,
    again: 200,
    count: items(`/api/calls?phone=${encodeURIComponent(phone(2))}`),
  },
  createCampaign: {
    path: '/api/campaigns',
    body: { name: 'summer', agent: 'a', recipients: [{ phone: phone(4) }] },
    other: { name: 'autumn', agent: 'a' },
    status: 201,
    again: 200,
    count: items('/api/campaigns'),
  },
  cloneCampaign: {
    path: '/api/campaigns/spring/clone',
    body: { name: 'spring again', people: true },
    other: { name: 'spring once more' },
    status: 201,
    again: 200,
    count: items('/api/campaigns'),
  },
  addRecipients: {
    path: '/api/campaigns/spring/recipients',
    body: `phone\n${phone(5)}\nx\n`,
    other: `phone\n${phone(6)}\n`,
    status: 200,
    again: 200,
    headers: csv,
    count: items('/api/campaigns/spring/recipients'),
  },
  'addRecipients, later': {
    path: '/api/campaigns/spring/recipients',
    body: `phone\n${phone(7)}\n`,
    other: `phone\n${phone(8)}\n`,
    status: 202,
    again: 202,
    headers: { ...csv, prefer: 'respond-async' },
    count: items('/api/imports'),
  },
  beginBulkAct: {
    path: '/api/bulk',
    body: { act: 'skip', filter: { campaign: 'spring', outcome: 'busy' }, confirm: 9 },
    other: { act: 'retry', filter: { campaign: 'spring', outcome: 'busy' }, confirm: 9 },
    status: 202,
    again: 202,
    count: items('/api/bulk'),
  },
  suppress: {
    path: '/api/suppressions',
    body: { phones: [phone(9), phone(10)] },
    other: { phones: [phone(9)] },
    status: 200,
    again: 200,
    count: items('/api/suppressions'),
  },
  erasePerson: {
    path: '/api/erase',
    body: { phone: phone(11) },
    other: { phone: phone(12) },
    status: 200,
    again: 200,
    count: items('/api/activity?verb=person.erase'),
  },
  addWebhook: {
    path: '/api/webhooks',
    body: { url: 'http://127.0.0.1:9/hook' },
    other: { url: 'http://127.0.0.1:9/other' },
    status: 201,
    again: 200,
    count: items('/api/webhooks'),
  },
  addAlertAddress: {
    path: '/api/alerts/addresses',
    body: { kind: 'url', address: 'http://127.0.0.1:9/alerts' },
    other: { kind: 'url', address: 'http://127.0.0.1:9/other' },
    status: 201,
    again: 200,
    count: items('/api/alerts/addresses'),
  },
  createToken: {
    path: '/api/tokens',
    body: { name: 'reporting', role: 'read' },
    other: { name: 'reporting', role: 'admin' },
    status: 201,
    again: 200,
    count: items('/api/tokens'),
  },
  retryCampaign: {
    path: '/api/campaigns/spring/retry',
    body: { outcomes: ['busy'] },
    other: { outcomes: ['failed'] },
    status: 200,
    again: 200,
    count: items(retried),
  },
};

it('the table has every operation that takes an Idempotency-Key, and every POST that makes something takes one', async () => {
  const { paths } = (await api.ask('GET', '/api/openapi.json')).json;
  const posts = Object.entries(paths as Record<string, { post?: object }>).flatMap(([path, { post }]) =>
    post ? { ...post, path } : [],
  ) as {
    path: string;
    operationId: string;
    parameters?: { name: string }[];
    responses: object;
  }[];
  const keyed = posts.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  );
  const known = Object.keys(cases).map((name) => name.replace(/, later$/, ''));
  expect(keyed.map(({ operationId }) => operationId).sort()).toEqual([...new Set(known)].sort());
  // The client repeats these, and no others.
  expect([...idempotentOperations].sort()).toEqual(keyed.map(({ path }) => `POST ${path}`).sort());
  const making = posts.filter(({ responses }) => '201' in responses || '202' in responses);
  expect(making.filter((post) => !keyed.includes(post)).map(({ operationId }) => operationId)).toEqual([]);
});

describe.each(Object.entries(cases))(
  '%s',
  (name, { path, body, other, status, again, headers = {}, count }) => {
    const key = { ...headers, 'idempotency-key': `of ${name}`.replaceAll(/[^\x21-\x7e]/g, '-') };

    it('acts once for a key, whatever happened since, and says when it answers a repeat', async () => {
      const before = await count();
      const first = await send(path, body, key);
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([status, null]);
      const made = await count();
      const repeated = await send(path, body, key);
      expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([again, 'true']);
      expect(repeated.json).toEqual(first.json);
      expect(repeated.headers.get('location')).toBe(first.headers.get('location'));
      expect(await count()).toBe(made);
      expect(made).toBeGreaterThan(before);
    });

    it('refuses another request with the same key, and nothing is done', async () => {
      const before = await count();
      expect(await send(path, other, key)).toMatchObject({ status: 409, json: { code: 'request-conflict' } });
      expect(await count()).toBe(before);
    });

    it('lets everyone who asks have keys of their own', async () => {
      const theirs = { ...key, authorization: `Bearer ${named.token}` };
      const answer = await send(path, other, theirs);
      expect(answer.json?.code).not.toBe('request-conflict');
      expect(answer.headers.get('idempotency-replayed')).toBe(null);
    });
  },
);

it.each(['createCampaign', 'addRecipients, later'])(
  'while the request %s is being worked at, the same one is asked to come again',
  async (name) => {
    const { path, body, status, headers = {} } = cases[name]!;
    const key = { ...headers, 'idempotency-key': `held-${name.length}` };
    const { db } = api.app.ledger;
    let free = () => {};
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    // Anyone who keeps a request waits for this, at the end of its transaction.
    const holding = db.transaction(async ({ client }) => {
      await client.query('lock table carillon.idempotent_requests in exclusive mode');
      await held;
    });
    const first = send(path, later(body), key);
    await until(waitingToKeep, (waiting) => waiting > 0);
    const second = await send(path, later(body), key);
    free();
    await holding;
    expect((await first).status).toBe(status);
    expect(second).toMatchObject({ status: 409, json: { code: 'request-in-progress' } });
    expect(second.headers.get('retry-after')).toBe('1');
  },
);

async function waitingToKeep(): Promise<number> {
  const sql = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into carillon.idempotent_requests%'`;
  return (await api.sql(sql)).length;
}

/** The same request as another thing: its name is free. */
function later(body: unknown): unknown {
  if (typeof body === 'string') return body.replaceAll('4155553', '4155554');
  const text = JSON.stringify(body).replaceAll('4155553', '4155554');
  const { name, ...rest } = JSON.parse(text);
  return name === undefined ? rest : { ...rest, name: `${name} later` };
}

it('no key, token or secret is kept in the clear', async () => {
  const headers = { 'idempotency-key': 'key-in-the-clear' };
  const token = (await send('/api/tokens', { name: 'clear', role: 'read' }, headers)).json.token as string;
  const rows = await api.sql('select r::text as text from carillon.idempotent_requests r');
  const text = rows.map((row) => row.text).join('\n');
  expect(rows.length).toBeGreaterThan(9);
  for (const word of ['key-in-the-clear', token, 'whsec_', '+1415']) expect(text).not.toContain(word);
});

it('a result that is gone is made again', async () => {
  const headers = { 'idempotency-key': 'twice' };
  const make = () => send('/api/tokens', { name: 'gone', role: 'read' }, headers);
  const first = await make();
  await api.ask('DELETE', '/api/tokens/gone', { headers: admin });
  const second = await make();
  expect(second.status).toBe(201);
  expect(second.json.token).not.toBe(first.json.token);
});
