import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/api/access/identity.ts';
import { createSessions } from '../../../src/api/access/identity.ts';
import { checkBinding } from '../../../src/api/access/origin.ts';
import { pageAddresses } from '../../../src/api/routes/pages.ts';
import type { CarillonError } from '../../../src/base/errors.ts';
import { until } from '../../support/until.ts';
import { openApi, serveApi, type TestApi } from '../support.ts';

const json = { 'content-type': 'application/json' };

/** Asks the server itself for its routes, so that a later route is tested without a change here. */
async function withRoutes(options: Parameters<typeof openApi>[0]) {
  const routes: { method: string; url: string }[] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) routes.push({ method: each, url });
    });
    // Whether the router finds a route, without what the route does.
    fastify.addHook('onRequest', async ({ headers, is404 }, reply) =>
      headers['x-find-only'] ? reply.send(is404 ? 'unknown' : 'found') : undefined,
    );
  };
  subscribe('fastify.initialization', watch);
  try {
    return { api: await openApi({ ...options, env: { CARILLON_HOOK_SECRET: hookSecret } }), routes };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}

/** Without the secret, the address of hints is not there. */
const hookSecret = 'a-secret-for-the-hook';
/** A path that matches the route. */
const pathOf = (url: string) => url.replace(':secret', hookSecret).replace(/:\w+|\*/g, 'x');
const hex = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

/** Spellings that the router reads as the same path. */
const sameSpellings = (path: string, port: number) => [
  path,
  path.replace(/[a-z]/, hex),
  path.replace(/[a-z](?=[a-z]*$)/, hex),
  path.replace(/[a-z]/g, hex),
  path.replace(/[a-z]/g, (letter) => hex(letter).toUpperCase()),
  `http://127.0.0.1:${port}${path}`,
  `HTTPS://evil.example${path}`,
  `${path}?`,
  `${path}?/login`,
  `${path}#/login`,
];

/** Spellings that another router, or a proxy, might read as the same path. */
const likeSpellings = (path: string) => [
  path.toUpperCase(),
  `${path}/`,
  `/${path}`,
  path.slice(0, -1).replaceAll('/', '//') + path.slice(-1),
  `/%2f${path.slice(1)}`,
  path.replace(/(?<=.)\//g, '%2F'),
  `/.${path}`,
  `/login/..${path}`,
  `/login/%2e%2e${path}`,
  `/dashboard.css;${path}`,
  `${path};x=1`,
  `${path}%00`,
  `${path}%20`,
  `${path}%zz`,
  `/%25${path.slice(1)}`,
  path.replace(/[a-z]/, (letter) => `%25${hex(letter).slice(1)}`),
  path.replaceAll('/', '\\'),
  path.slice(1),
];

describe('the binding', () => {
  const long = 'a-token-of-some-length';
  const none = { host: '127.0.0.1', token: undefined, readToken: undefined, publicUrl: undefined };
  const refused = (binding: Partial<Parameters<typeof checkBinding>[0]>) => {
    try {
      checkBinding({ ...none, ...binding });
    } catch (error) {
      return error as CarillonError;
    }
    return null;
  };

  it.each(['0.0.0.0', '::', '192.168.1.5', 'example.com', '127.evil.com', '127.0.0.1.evil.com'])(
    'without a token %s is refused, and the remedy is API_TOKEN',
    (host) => {
      expect(refused({ host })).toMatchObject({
        code: 'config-invalid',
        remedy: expect.stringContaining('API_TOKEN'),
      });
    },
  );

  it.each(['127.0.0.1', 'localhost', '::1', '[::1]', '127.0.0.2'])(
    'without a token %s is allowed',
    (host) => {
      expect(refused({ host })).toBeNull();
    },
  );

  it('with a token any host is allowed', () => {
    expect(refused({ host: '0.0.0.0', token: long, readToken: `${long}-to-read` })).toBeNull();
  });

  it('a token that is easily guessed is refused where other machines reach it', () => {
    const short = 'fifteen-letters';
    expect(refused({ host: '0.0.0.0', token: short })?.message).toContain('API_TOKEN has fewer than 16');
    expect(refused({ host: '0.0.0.0', token: long, readToken: short })?.message).toContain('API_READ_TOKEN');
    expect(refused({ publicUrl: new URL('https://calls.example'), token: short })).not.toBeNull();
    expect(refused({ behindProxy: true, token: short })).not.toBeNull();
    expect(refused({ token: short })).toBeNull();
  });

  it('a public address of another machine needs a token', () => {
    expect(refused({ publicUrl: new URL('https://calls.example') })?.message).toContain('API_TOKEN');
    expect(refused({ publicUrl: new URL('http://localhost:8080') })).toBeNull();
  });

  it('only a read token, or the same token twice, is refused', () => {
    expect(refused({ readToken: 'b' })?.message).toMatch(/API_READ_TOKEN/);
    expect(refused({ token: 'a', readToken: 'a' })?.message).toMatch(/API_READ_TOKEN/);
  });
});

describe('without a token', () => {
  const api = serveApi();

  it('a Host header that does not name this machine is refused, against DNS rebinding', async () => {
    for (const host of ['evil.example', `evil.example:${api.port}`, '127.0.0.1', 'localhost:1', `[::1]:1`]) {
      const answer = await api.raw('GET', '/api/campaigns', { host });
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'forbidden', status: 403 });
    }
    for (const name of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST']) {
      expect((await api.raw('GET', '/api/campaigns', { host: `${name}:${api.port}` })).status).toBe(200);
    }
  });

  it('the page, the queues and the health checks refuse a foreign Host header too', async () => {
    for (const path of ['/', '/dashboard.js', '/queues', '/queues/api/queues', '/healthz', '/nothing']) {
      expect((await api.raw('GET', path, { host: 'evil.example' })).status).toBe(403);
    }
  });

  it('a page of another origin can neither read nor dial', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:1',
      `http://evil.example:${api.port}`,
    ]) {
      const answer = await api.ask('POST', '/api/calls', {
        headers: { origin },
        body: { agent: 'a', phone: '+14155550100' },
      });
      expect(answer).toMatchObject({ status: 403, json: { code: 'forbidden' } });
      expect((await api.ask('GET', '/api/campaigns', { headers: { origin } })).status).toBe(403);
    }
    expect((await api.ask('GET', '/api/campaigns', { headers: { origin: api.url } })).status).toBe(200);
  });

  it('a request that a browser marks as cross-site is refused, even without an Origin', async () => {
    for (const site of ['cross-site', 'same-site', 'Same-Origin', 'same-origin, cross-site', 'x', '']) {
      const answer = await api.raw('GET', '/api/keys', { 'sec-fetch-site': site });
      expect([site, answer.status]).toEqual([site, 403]);
    }
    for (const site of ['same-origin', 'none']) {
      expect((await api.raw('GET', '/api/keys', { 'sec-fetch-site': site })).status).toBe(200);
    }
  });

  it('no request that a form of another site can send is accepted', async () => {
    const body = JSON.stringify({ agent: 'a', phone: '+14155550100' });
    const forms = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    for (const type of [...forms, '']) {
      const answer = await api.ask('POST', '/api/calls', { headers: { 'content-type': type }, body });
      expect(answer).toMatchObject({ status: 415, json: { code: 'body-type' } });
    }
    const people = await api.ask('POST', '/api/campaigns', { body: { name: 'form', agent: 'a' } });
    expect(people.status).toBe(201);
    for (const type of [...forms, 'text/plain; charset=text/csv']) {
      const answer = await api.ask('POST', '/api/campaigns/form/recipients', {
        headers: { 'content-type': type },
        body: 'phone\n+14155550100\n',
      });
      expect(answer).toMatchObject({ status: 415, json: { code: 'body-type' } });
    }
    const campaign = await api.ask('GET', '/api/campaigns/form');
    expect(campaign.json.balance.rows).toBe(0);
  });

  it('there is nothing to log in to', async () => {
    expect((await api.ask('GET', '/login')).status).toBe(404);
  });

  it('every answer forbids framing, sniffing and caching', async () => {
    for (const path of ['/', '/api/campaigns', '/queues', '/nothing']) {
      const { headers } = await api.ask('GET', path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe.each([
  ['without a token', {}, {}],
  ['with a token', { token: 'the-token' }, { authorization: 'Bearer the-token' }],
])('%s, a request from another site', (_, options, own) => {
  let api: TestApi;
  let routes: { method: string; url: string }[];
  beforeAll(async () => {
    ({ api, routes } = await withRoutes(options));
  });
  afterAll(() => api?.close());

  const known = ['GET /api/keys', 'POST /api/calls', 'GET /metrics', 'GET /queues/api/queues'];
  const refusal = 'The request comes from a page of another origin';
  const crossed = { ...own, 'sec-fetch-site': 'cross-site' };
  const direct = { ...own, 'sec-fetch-site': 'none' };

  it('reaches the pages and the health checks, and no other route', async () => {
    const reached: string[] = [];
    for (const { method, url } of routes) {
      const { status, text } = await api.raw(method, pathOf(url), crossed);
      if (status !== 403 || (method !== 'HEAD' && !text.includes(refusal))) reached.push(`${method} ${url}`);
    }
    expect(reached.sort()).toEqual(
      [
        'GET /',
        'GET /api/openapi.json',
        'GET /api/docs',
        'GET /api/docs/docs.css',
        'GET /api/docs/docs.js',
        'GET /login.css',
        // The docs are the same for everybody.
        ...['/docs', '/docs/*', '/llms.txt'].flatMap((url) => [`GET ${url}`, `HEAD ${url}`]),
        ...['', ...pageAddresses]
          .flatMap((name) => (name ? [`/${name}`, `/${name}/*`] : ['/']))
          .flatMap((url) => (url === '/' ? ['HEAD /'] : [`GET ${url}`, `HEAD ${url}`])),
        'GET /healthz',
        'GET /queues',
        'GET /queues/job-schedulers',
        'GET /queues/metrics-history',
        'GET /queues/queue/:queueName',
        'GET /queues/queue/:queueName/:jobId',
        'GET /queues/static/*',
        'GET /readyz',
        'HEAD /api/openapi.json',
        'HEAD /healthz',
        'HEAD /readyz',
        ...('token' in options ? ['GET /login'] : []),
      ].sort(),
    );
    expect(routes.map(({ method, url }) => `${method} ${url}`)).toEqual(expect.arrayContaining(known));
  });

  it('reaches no data, however the path is spelled', async () => {
    const pages = new Set<string>();
    for (const { method, url } of routes) {
      const answer = await api.raw(method, pathOf(url), crossed);
      if (answer.status !== 403) pages.add(`${method} ${url}`);
    }
    for (const { method, url } of routes) {
      // A HEAD is its GET, which is asked. Whose token is sent is looked at after the path: some routes show that.
      if (method === 'HEAD' || pages.has(`${method} ${url}`)) continue;
      if ('token' in options && !known.includes(`${method} ${url}`)) continue;
      const path = pathOf(url);
      for (const spelling of sameSpellings(path, api.port)) {
        const line = `${method} ${spelling}`;
        const { text } = await api.raw(method, spelling, { 'x-find-only': 'yes' });
        expect([line, text]).toEqual([line, 'found']);
        const answer = await api.raw(method, spelling, crossed);
        expect([line, answer.status]).toEqual([line, 403]);
        expect(answer.text).toContain(refusal);
      }
      for (const spelling of likeSpellings(path)) {
        const line = `${method} ${spelling}`;
        const { status, text } = await api.raw(method, spelling, crossed);
        // The last two come before any route: from Node, and from the router.
        const refusals = [refusal, 'Client Error', 'The address is not valid'];
        const isRefused = refusals.some((each) => text.includes(each));
        expect([line, status, isRefused]).toEqual([line, status, true]);
      }
    }
  });

  it('gets no data through the folder of the queues’ files', async () => {
    for (const way of ['../api/queues', '%2e%2e/api/queues', '..%2fapi%2fqueues', '/../../api/queues']) {
      const answer = await api.raw('GET', `/queues/static/${way}`, crossed);
      expect([way, answer.status >= 400]).toEqual([way, true]);
      expect(answer.text).not.toContain('counts');
    }
  });

  it('learns nothing about what exists: an unknown route is refused in the same way', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'TRACE']) {
      for (const path of ['/nothing', '/api/nothing', '/queues/nothing', '/mcp']) {
        expect((await api.raw(method, path, crossed)).status).toBe(403);
      }
    }
    expect((await api.raw('OPTIONS', '/api/keys', crossed)).status).toBe(403);
    expect((await api.raw('GET', '/api/nothing', direct)).status).toBe(404);
  });
});

describe('with tokens', () => {
  const api = serveApi({ token: 'token-to-write', readToken: 'token-to-read' });
  const write = { authorization: 'Bearer token-to-write' };

  it('only the health checks and the page answer without one', async () => {
    const paths = [
      '/api/campaigns',
      '/api/keys',
      '/queues',
      '/queues/api/queues',
      '/queues/static/x',
      '/nothing',
    ];
    for (const path of paths) {
      const answer = await api.ask('GET', path);
      expect(answer).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    for (const path of ['/login.css', '/healthz', '/readyz', '/login']) {
      expect((await api.ask('GET', path)).status).toBe(200);
    }
    // The page itself, whether it is built here or not.
    for (const path of ['/', '/campaigns/spring']) {
      expect([200, 503]).toContain((await api.ask('GET', path)).status);
    }
  });

  it.each([
    'Bearer wrong',
    'Bearer ',
    'Bearer token-to-writ',
    'Basic token-to-write',
    'token-to-write',
    'Bearer token-to-write x',
  ])('"%s" is refused', async (authorization) => {
    expect((await api.ask('GET', '/api/campaigns', { headers: { authorization } })).status).toBe(401);
  });

  it('the token may read and write, under any Host header', async () => {
    const made = await api.ask('POST', '/api/campaigns', {
      headers: write,
      body: { name: 'one', agent: 'a' },
    });
    expect(made.status).toBe(201);
    const answer = await api.raw('GET', '/api/campaigns', { ...write, host: 'calls.example' });
    expect(answer.status).toBe(200);
  });

  it('a token is checked before a body is read', async () => {
    const answer = await api.ask('POST', '/api/calls', { headers: json, body: '{not json' });
    expect(answer.status).toBe(401);
  });

  it('a browser that opens the queues without a login is sent to the login, however the path is spelled', async () => {
    const headers = { accept: 'text/html,*/*', 'sec-fetch-site': 'cross-site' };
    for (const path of ['/queues', '/queues/', '/queues/queue/x', ...sameSpellings('/queues', api.port)]) {
      const page = await api.raw('GET', path, headers);
      expect([path, page.status]).toEqual([path, 303]);
    }
    const own = { accept: 'text/html' };
    for (const path of [
      '/queues/api/queues',
      '/queues/%61pi/queues',
      '/queues/nothing',
      '/api/keys',
      '/metrics',
    ]) {
      expect([path, (await api.raw('GET', path, own)).status]).toEqual([path, 401]);
    }
    expect((await api.raw('POST', '/queues', own)).status).toBe(401);
  });

  it('anyone who logs in on the page may do what the token may, and only from the page', async () => {
    const page = await api.ask('GET', '/queues', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('location')]).toEqual([303, '/login']);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const wrong = await api.ask('POST', '/login', { headers: form, body: 'token=wrong' });
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    const crossed = await api.ask('POST', '/login', {
      headers: { ...form, origin: 'https://evil.example' },
      body: 'token=token-to-write',
    });
    expect(crossed.status).toBe(403);
    for (const site of ['cross-site', 'same-site']) {
      const headers = { ...form, 'sec-fetch-site': site };
      const answer = await api.ask('POST', '/login', { headers, body: 'token=token-to-write' });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }

    const ours = { ...form, origin: api.url, 'sec-fetch-site': 'same-origin' };
    const login = await api.ask('POST', '/login', { headers: ours, body: 'token=token-to-write' });
    expect([login.status, login.headers.get('location')]).toEqual([303, '/queues']);
    const given = login.headers.get('set-cookie')!;
    expect(given).toMatch(/^carillon=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(given).not.toContain('token-to-write');
    // A proxy that ends TLS in front of us shows only in the page's own origin.
    const overTls = { ...ours, origin: api.url.replace('http:', 'https:') };
    const safe = await api.ask('POST', '/login', { headers: overTls, body: 'token=token-to-write' });
    expect(safe.headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    const cookie = `first=1; ${given.split(';')[0]}; last="2"`;
    expect((await api.ask('GET', '/queues', { headers: { cookie } })).status).toBe(200);
    expect((await api.ask('GET', '/api/campaigns', { headers: { cookie } })).status).toBe(200);
    const change = (headers: Record<string, string>) =>
      api.ask('POST', '/api/campaigns', {
        headers: { cookie, ...headers },
        body: '{"name":"two","agent":"a"}',
      });
    const type = { 'content-type': 'application/json' };
    const isRefused = { status: 403, json: { code: 'forbidden' } };
    // Without an origin, from another, or as a form of another page could send it.
    expect(await change(type)).toMatchObject(isRefused);
    expect(await change({ ...type, origin: 'null' })).toMatchObject(isRefused);
    expect(await change({ ...type, origin: 'https://evil.example' })).toMatchObject(isRefused);
    for (const formType of ['text/plain', 'multipart/form-data; boundary=x', form['content-type']]) {
      expect(await change({ origin: api.url, 'content-type': formType })).toMatchObject(isRefused);
    }
    const me = await api.ask('GET', '/api/me', { headers: { cookie } });
    expect(me.json).toEqual({ name: 'API_TOKEN', person: null, role: 'admin', login: true });
    expect((await change({ ...type, origin: api.url })).status).toBe(201);
    const reader = await api.ask('POST', '/login', { headers: ours, body: 'token=token-to-read' });
    const readers = reader.headers.get('set-cookie')!.split(';')[0]!;
    expect(await change({ ...type, origin: api.url, cookie: readers })).toMatchObject(isRefused);
    const made = await api.ask('GET', '/queues', { headers: { cookie: `carillon=${'x'.repeat(43)}` } });
    expect(made.status).toBe(401);
  });
});

describe('at a public address', () => {
  const api = serveApi({
    token: 'a-token-of-some-length',
    readToken: 'another-token-to-read',
    env: { PUBLIC_URL: 'https://calls.example', API_RATE: '20', TRUSTED_PROXIES: '192.0.2.0/24' },
  });
  const write = { authorization: 'Bearer a-token-of-some-length' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('a login is sent only over https, and accepted only under that address', async () => {
    const login = await api.ask('POST', '/login', { headers: form, body: 'token=another-token-to-read' });
    expect(login.headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    const under = async (host: string) => (await api.raw('GET', '/api/keys', { cookie, host })).status;
    expect([await under('calls.example'), await under('evil.example')]).toEqual([200, 403]);
  });

  it('a program with a token may use any name, and a probe needs none', async () => {
    expect((await api.raw('GET', '/api/keys', { ...write, host: 'carillon-api:3000' })).status).toBe(200);
    expect((await api.raw('GET', '/healthz', { host: '10.1.2.3:3000' })).status).toBe(200);
  });

  it('a page of that origin is our own, though the proxy names us differently', async () => {
    const headers = { ...write, origin: 'https://calls.example', host: 'inside:3000' };
    expect((await api.raw('GET', '/api/keys', headers)).status).toBe(200);
    expect((await api.raw('GET', '/api/keys', { ...headers, origin: 'https://evil.example' })).status).toBe(
      403,
    );
  });

  it('the activity has the address that the proxy names', async () => {
    const headers = { ...write, 'x-forwarded-for': '203.0.113.9' };
    await api.ask('POST', '/api/tokens', { headers, body: { name: 'far', role: 'read' } });
    const { json } = await api.ask('GET', '/api/activity?verb=token', { headers: write });
    expect(json.items[0]).toMatchObject({ who: 'API_TOKEN', role: 'admin', address: '203.0.113.9' });
  });

  it('a machine that no setting names is not believed', async () => {
    const chain = { ...write, 'x-forwarded-for': '203.0.113.9, 10.0.0.7' };
    await api.ask('POST', '/api/tokens', { headers: chain, body: { name: 'farther', role: 'read' } });
    await api.ask('POST', '/api/tokens', {
      headers: { ...write, 'x-forwarded-for': '203.0.113.9, 192.0.2.5' },
      body: { name: 'farthest', role: 'read' },
    });
    const { json } = await api.ask('GET', '/api/activity?verb=token', { headers: write });
    expect(json.items.slice(0, 2)).toMatchObject([{ address: '203.0.113.9' }, { address: '10.0.0.7' }]);
  });

  it('a token learns its rate, and what is left of it, before it asks too often', async () => {
    const other = { authorization: 'Bearer another-token-to-read' };
    const { headers } = await api.ask('GET', '/api/keys', { headers: other });
    expect(headers.get('ratelimit-policy')).toBe('"token";q=20;w=1');
    const left = /^"token";r=(\d+);t=1$/.exec(headers.get('ratelimit')!)?.[1];
    expect(Number(left)).toBeGreaterThan(0);
    expect(Number(left)).toBeLessThan(20);
  });
});

describe('with a rate for each token', () => {
  let api: TestApi;
  beforeAll(async () => {
    // So low that no machine is too slow to exceed it.
    api = await openApi({ token: 'one-token', readToken: 'other-token', env: { API_RATE: '1' } });
  });
  afterAll(() => api?.close());

  it('one that asks too often is told when it may ask again, and others are not held up', async () => {
    const headers = { authorization: 'Bearer one-token' };
    const asks = Array.from({ length: 60 }, () => api.ask('GET', '/api/tokens', { headers }));
    const answers = await Promise.all(asks);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    expect(refused[0]!.headers.get('ratelimit')).toMatch(/^"token";r=0;/);
    expect(refused[0]!.json).toMatchObject({ code: 'too-many-requests', status: 429 });
    const other = { authorization: 'Bearer other-token' };
    expect((await api.ask('GET', '/api/keys', { headers: other })).status).toBe(200);
  });
});

describe('without API_TOKEN, a named token', () => {
  const api = serveApi();

  it('may do what its role says, a wrong one nothing, and without one everything is open', async () => {
    const made = await api.ask('POST', '/api/tokens', { body: { name: 'narrow', role: 'read' } });
    expect(made.status).toBe(201);
    const headers = { authorization: `Bearer ${made.json.token}` };
    expect((await api.ask('GET', '/api/keys', { headers })).status).toBe(200);
    expect((await api.ask('GET', '/api/tokens', { headers })).json.detail).toBe(
      'This needs the role admin; the token has read',
    );
    const wrong = { authorization: `Bearer ${made.json.token}x` };
    expect((await api.ask('GET', '/api/keys', { headers: wrong })).status).toBe(401);
    const listed = await api.ask('GET', '/api/tokens');
    expect(listed.json.items[0]).toMatchObject({ made_by: 'loopback', used_at: expect.any(String) });
    await api.ask('DELETE', '/api/tokens/narrow');
    await until(
      () => api.ask('GET', '/api/keys', { headers }),
      ({ status }) => status === 401,
    );
  });
});

describe('sessions', () => {
  const identity: Identity = { name: 'ann', person: null, role: 'read', token: null, digest: null };

  it('end after twelve hours', () => {
    let now = 0;
    const sessions = createSessions({ now: () => now });
    const id = sessions.open(identity);
    expect(sessions.find(id)).toBe(identity);
    now = 12 * 3_600_000;
    expect(sessions.find(id)).toBeNull();
    expect(sessions.find(undefined)).toBeNull();
  });

  it('of a token that logs in all the time end only its own', () => {
    const sessions = createSessions({ now: () => 0 });
    const first = sessions.open(identity);
    const theirs = sessions.open({ ...identity, name: 'bo', token: '7' });
    for (let n = 0; n < 60; n++) sessions.open(identity);
    expect(sessions.find(first)).toBeNull();
    expect(sessions.find(theirs)).toMatchObject({ name: 'bo' });
  });

  it('end when someone logs out', () => {
    const sessions = createSessions({ now: () => 0 });
    const id = sessions.open(identity);
    sessions.close(id);
    expect(sessions.find(id)).toBeNull();
  });
});
