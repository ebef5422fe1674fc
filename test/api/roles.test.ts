import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request } from 'node:http';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isEnough, type Role, roles } from '../../src/base/actor.ts';
import { createToken } from '../../src/control/tokens/manage.ts';
import { type Following, follow } from '../support/events.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

/** Each route states the role that it needs, and gives each role what it may have and nothing else. */
type Listed = { state: string; transcript: string | null };
type Registered = { method: string; url: string; config?: FastifyContextConfig | undefined };

const admin = { authorization: 'Bearer a-token-for-the-admin' };
const people = [
  { phone: '+14155550101', name: 'Annabel Lee', variables: { plan: 'goldfish' } },
  { phone: '+14155550102', name: 'Roderick Usher', variables: { plan: 'goldfish' } },
  { phone: '+14155550103', name: 'Madeline Usher', timezone: 'Nowhere/Never' },
];
/** Texts that only those who may see people are told; the last is the caller's own number. */
const secrets = [
  '4155550101',
  '4155550102',
  '4155550103',
  'Annabel',
  'Usher',
  'goldfish',
  'velvet',
  'contact-of-annabel',
  '4155550199',
];

let api: TestApi;
const registered: Registered[] = [];
const tokens = {} as Record<Role, string>;

beforeAll(async () => {
  const watch = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => {
      // A later hook may give it its role.
      for (const method of [route.method].flat())
        registered.push({
          method,
          url: route.url,
          get config() {
            return route.config as Registered['config'];
          },
        });
    });
  subscribe('fastify.initialization', watch);
  api = await openApi({
    token: 'a-token-for-the-admin',
    env: { CARILLON_HOOK_SECRET: 'a-secret-for-the-hook' },
  });
  unsubscribe('fastify.initialization', watch);
  for (const role of roles) {
    tokens[role] = (await createToken(api.app, { name: `the-${role}`, role })).answer.token;
  }
});
afterAll(() => api?.close());

/** Reads no more than the head of a stream that never ends. */
async function answerTo(method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? '{}' : undefined;
    const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    const sent = request(
      { host: '127.0.0.1', port: api.port, method, path, headers: { ...type, ...headers } },
      (response) => {
        const status = response.statusCode!;
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        const done = () => {
          resolve({ status, text });
          response.destroy();
        };
        response.once('end', done).once('error', reject);
        if (/event-stream/.test(response.headers['content-type'] ?? '')) done();
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

const bearer = (role: Role) => ({ authorization: `Bearer ${tokens[role]}` });
const nobodys = (url: string) => url.replace(':queueName', 'none').replace(/:\w+|\*/g, 'nothing');
/** The board answers no HEAD, to anyone. */
const guarded = () =>
  registered.filter(
    ({ method, url, config }) => !config?.open && !(method === 'HEAD' && url.startsWith('/queues')),
  );

describe('every route', () => {
  it('states the role that it needs, unless it is open', () => {
    const unstated = guarded().filter(({ config }) => config?.role === undefined);
    expect(unstated.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    expect(guarded().length).toBeGreaterThan(30);
  });

  it('answers a role that is enough, and refuses one that is not by naming what it needs', async () => {
    const wrong: string[] = [];
    for (const { method, url, config } of guarded()) {
      const needed = config!.role!;
      for (const role of roles) {
        const { status, text } = await answerTo(method, nobodys(url), bearer(role));
        const refused = status === 403 && (method === 'HEAD' || text.includes(`needs the role ${needed}`));
        const passed = status !== 401 && (status !== 403 || url.startsWith('/queues'));
        if (isEnough(role, needed) ? refused || !passed : !refused)
          wrong.push(`${method} ${url} with ${role}: ${status} ${text.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('changes nothing for a role that may only read', () => {
    const changing = guarded().filter(({ method }) => !['GET', 'HEAD'].includes(method));
    const reading = changing.filter(({ config }) => !isEnough(config!.role!, 'operate'));
    // These ask, and answer what would be.
    // An assistant's tools have a role each.
    const asking = ['POST /api/policy/test', 'POST /api/policy/check', 'POST /api/week', 'POST /mcp'];
    expect(
      reading
        .map(({ method, url }) => `${method} ${url}`)
        .filter((each) => !asking.includes(each) && !each.includes('/queues/')),
    ).toEqual([]);
  });

  it('refuses a token that is unknown in the same way as one that was revoked', async () => {
    const { answer: made } = await createToken(api.app, { name: 'short', role: 'admin' });
    const answers: string[] = [];
    await api.ask('DELETE', `/api/tokens/${made.id}`, { headers: admin });
    for (const token of [made.token, `car_${'x'.repeat(43)}`, 'anything']) {
      const { status, text } = await api.ask('GET', '/api/keys', {
        headers: { authorization: `Bearer ${token}` },
      });
      answers.push(`${status} ${text}`);
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^401 /);
  });
});

describe('a token that may not see people', () => {
  let paths: string[];
  let events: Following[];
  beforeAll(async () => {
    events = await Promise.all([bearer('read'), admin].map((who) => follow(api.url, '/api/events', who)));
    await api.ask('POST', '/api/campaigns', {
      headers: admin,
      body: {
        name: 'list',
        agent: 'agent-1',
        from: ['+14155550100'],
        override: { first_message: 'velvet voice' },
        recipients: people,
        start: true,
      },
    });
    const single = await api.ask('POST', '/api/calls', {
      headers: admin,
      body: { agent: 'agent-1', phone: '+14155550199', name: 'Usher' },
    });
    api.work();
    const { json } = await until(
      () => api.ask('GET', '/api/campaigns/list/recipients', { headers: admin }),
      ({ json: { items } }) => items.every(({ state }: Listed) => state === 'done' || state === 'rejected'),
    );
    for (const { transcript } of json.items as Listed[])
      if (transcript) secrets.push(transcript.slice(0, 20));
    await api.sql(`update carillon.ended_attempts set contact_id = 'contact-of-annabel'`);
    const [{ id }] = json.items;
    const attempts = await api.ask('GET', '/api/campaigns/list/attempts', { headers: admin });
    const attempt = attempts.json.items[0].id;
    const idOf = (url: string) =>
      url
        .replace('/campaigns/:id', '/campaigns/list')
        .replace('/recipients/:rid', `/recipients/${id}`)
        .replace('/attempts/:id', `/attempts/${attempt}`)
        .replace('/calls/:id', `/calls/${id}`);
    paths = registered.filter(({ method }) => method === 'GET').map(({ url }) => nobodys(idOf(url)));
    paths.push(`/api/calls/${attempt}`, `/api/calls/${single.json.id}`, '/api/nothing/+14155550101');
  });

  it('finds no phone, name, input or transcript in any answer', async () => {
    const found: string[] = [];
    const seen: string[] = [];
    for (const path of paths) {
      const { status, text } = await answerTo('GET', path, bearer('read'));
      for (const secret of secrets) if (text.includes(secret)) found.push(`${path}: ${secret}`);
      const asAdmin = await answerTo('GET', path, admin);
      if (status === 200 && secrets.some((secret) => asAdmin.text.includes(secret))) seen.push(path);
    }
    expect(found).toEqual([]);
    // Those where there was something to hide.
    expect(seen.length).toBeGreaterThan(4);
  });

  it('gets the same fields as others, empty where a person would be', async () => {
    const path = '/api/campaigns/list/recipients?limit=1';
    const theirs = await api.ask('GET', path, { headers: bearer('read') });
    const all = await api.ask('GET', path, { headers: admin });
    const [hidden, shown] = [theirs.json.items[0], all.json.items[0]];
    expect(Object.keys(hidden)).toEqual(Object.keys(shown));
    expect(shown).toMatchObject({ phone: '+14155550101', name: 'Annabel Lee', input: expect.any(Object) });
    expect(hidden).toMatchObject({ phone: null, name: null, input: null, transcript: null });
    expect(hidden).toMatchObject({ id: shown.id, outcome: shown.outcome, call_id: shown.call_id });
  });

  it('cannot ask about a person either', async () => {
    for (const path of [
      '/api/campaigns/list/results.csv',
      '/api/campaigns/list/results.ndjson',
      '/api/campaigns/list/rejects',
      '/api/suppressions',
      '/api/campaigns/list/recipients/+14155550101',
      '/api/campaigns/list/recipients?phone=%2B14155550101',
      '/api/campaigns/list/recipients?variable=plan:goldfish',
      '/api/jobs?q=%2B14155550101',
      '/api/find?q=%2B14155550101',
      '/queues/api/queues',
    ]) {
      const { status, text } = await answerTo('GET', path, bearer('read'));
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('read_people');
    }
  });

  it('follows the events without people', async () => {
    const filter = { phone: '+14155550101', variable: 'plan:goldfish' };
    const body = { act: 'export', filter };
    const bulk = await api.ask('POST', '/api/bulk', { headers: admin, body });
    expect(bulk.json).toMatchObject({ state: 'done', filter });
    const [theirs, all] = await Promise.all(
      events.map(async (each) =>
        each.until((told) =>
          ['recipient.done', 'bulk.done'].every((t) => told.some(({ type }) => type === t)),
        ),
      ),
    );
    for (const secret of secrets) expect(JSON.stringify(theirs)).not.toContain(secret);
    expect(JSON.stringify(all)).toContain('+14155550101');
    expect(JSON.stringify(all)).toContain('plan:goldfish');
    for (const each of events) each.close();
  });

  it('logs in on the page, and sees no more than with its token', async () => {
    const login = await api.ask('POST', '/login', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `token=${tokens.read}`,
    });
    expect([login.status, login.headers.get('location')]).toEqual([303, '/']);
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    const list = await api.ask('GET', '/api/campaigns/list/recipients', { headers: { cookie } });
    expect(list.json.items[0]).toMatchObject({ phone: null, name: null });
    expect((await api.ask('GET', '/queues', { headers: { cookie } })).status).toBe(403);
    const out = await api.ask('POST', '/logout', { headers: { cookie } });
    expect([out.status, out.headers.get('location')]).toEqual([303, '/login']);
    expect(out.headers.get('set-cookie')).toMatch(/^carillon=; .*Expires=Thu, 01 Jan 1970/);
    expect((await api.ask('GET', '/api/keys', { headers: { cookie } })).status).toBe(401);
  });
});
