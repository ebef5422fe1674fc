import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemOf } from '../../src/api/describe/problem.ts';
import { startApi } from '../../src/api/server.ts';
import { createReporter } from '../../src/background/process-report.ts';
import { version } from '../../src/base/version.ts';
import { queueUnreachable } from '../../src/engine/engine.ts';
import { startDatabaseProxy, type Proxy as TcpProxy } from '../support/proxy.ts';
import { canUseRedis, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

let api: TestApi;
let proxy: TcpProxy;
beforeAll(async () => {
  api = await openApi({
    async reach(text) {
      const started = await startDatabaseProxy(text);
      proxy = started;
      return started.url;
    },
  });
});
afterAll(async () => {
  await proxy.restore().catch(() => undefined);
  await api?.close();
  await proxy.close();
});

describe('a server whose ledger is away', () => {
  it('is live, is not ready, and reveals no internals', async () => {
    expect((await api.ask('GET', '/readyz')).json).toEqual({
      status: 'ready',
      ledger: 'ok',
      queue: 'ok',
      clock: { ahead_ms: expect.any(Number) },
      loops: {},
    });
    await proxy.cut();
    expect((await api.ask('GET', '/healthz')).json).toEqual({ status: 'ok' });
    expect(await api.ask('GET', '/readyz')).toMatchObject({
      status: 503,
      json: { code: 'ledger-unreachable' },
    });
    for (const [method, path, body] of [
      ['GET', '/api/campaigns', undefined],
      ['GET', '/api/calls/1', undefined],
      ['GET', '/metrics', undefined],
      ['POST', '/api/calls', { agent: 'a', phone: '+14155550100' }],
      ['POST', '/api/campaigns', { name: 'x', agent: 'a' }],
    ] as const) {
      const answer = await api.ask(method, path, { body });
      expect(answer.status).toBe(503);
      expect(answer.json).toEqual({
        type: 'urn:carillon:problem:ledger-unreachable',
        title: 'The ledger (Postgres) cannot be reached',
        status: 503,
        detail: 'The ledger (Postgres) cannot be reached',
        code: 'ledger-unreachable',
        remedy: expect.any(String),
        instance: expect.stringMatching(/^urn:uuid:[\w-]{36}$/),
      });
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|select|stack/i);
    }
    await proxy.restore();
    const ready = await until(
      () => api.ask('GET', '/readyz'),
      ({ status }) => status === 200,
    );
    expect(ready.json.status).toBe('ready');
    expect((await api.ask('GET', '/api/campaigns')).status).toBe(200);
  });
});

describe('a server whose queue is away', () => {
  it.runIf(canUseRedis('the API whose Redis is away'))(
    'points to Redis when the queue is in Redis',
    async () => {
      const redis = await startRedis();
      const queued = await openApi({ env: { REDIS_URL: redis.url } });
      try {
        await redis.stop();
        const { status, json } = await queued.ask('GET', '/readyz');
        expect(status).toBe(503);
        expect(json).toMatchObject({
          code: 'queue-unreachable',
          title: 'The queue cannot be reached',
          remedy: expect.stringContaining('REDIS_URL'),
        });
        expect(json.remedy).not.toContain('DATABASE_URL');
      } finally {
        await queued.close();
      }
    },
  );

  it('points to the ledger’s Postgres when the queue is there', () => {
    const { title, remedy } = problemOf(queueUnreachable('postgres'), 'r');
    expect(remedy).toContain('DATABASE_URL');
    expect(`${title} ${remedy}`).not.toMatch(/redis/i);
  });
});

describe('a server with workers', () => {
  it('reports how long ago each loop ended a round, and is not ready while one is stuck', async () => {
    const worked = await openApi();
    const names = ['brake', 'canceler', 'planner', 'reconciler', 'refresher', 'lane-updater', 'sweeper'];
    try {
      worked.work();
      const ready = await until(
        () => worked.ask('GET', '/readyz'),
        ({ json }) => names.every((name) => name in json.loops),
      );
      expect(ready.status).toBe(200);
      for (const name of names) {
        expect(ready.json.loops[name]).toEqual({ age_ms: expect.any(Number), stuck: false });
      }
      // A round that does not end, seen at a time when it should be long over.
      const { ages } = worked.app.rounds;
      worked.app.rounds.ages = () =>
        ages().map((age) => (age.name === 'planner' ? { ...age, ageMs: 60_000, stuck: true } : age));
      const stuck = await worked.ask('GET', '/readyz');
      expect(stuck).toMatchObject({
        status: 503,
        json: { code: 'loop-stuck', loops: { planner: { age_ms: 60_000, stuck: true } } },
      });
      worked.app.rounds.ages = ages;
      const reporter = createReporter(worked.app, ['api', 'planner']);
      await reporter.report();
      const { processes, ...settings } = (await worked.ask('GET', '/api/settings')).json;
      expect(processes).toMatchObject([
        {
          id: worked.app.dialer,
          pid: process.pid,
          parts: ['api', 'planner'],
          queue: 'postgres',
          alive: true,
          trouble: null,
        },
      ]);
      expect(processes[0].loops.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining(names),
      );
      expect(settings).toMatchObject({
        process: worked.app.dialer,
        versions: { carillon: version, node: process.versions.node, postgres: expect.any(String) },
        ledger: { kind: 'postgres' },
        queue: { kind: 'postgres' },
      });
      const [rate] = settings.settings.filter((each: { name: string }) => each.name === 'VOICE_RATE');
      expect(rate).toEqual({
        name: 'VOICE_RATE',
        set: true,
        from: 'environment',
        secret: false,
        value: '200',
      });
      const { ok, checks } = (await worked.ask('GET', '/api/doctor')).json;
      expect(ok).toBe(true);
      expect(checks.map(({ what }: { what: string }) => what)).toEqual(
        expect.arrayContaining(['node', 'home', 'ledger', 'queue', 'workers', 'key main']),
      );
      expect(JSON.stringify(checks)).not.toContain('secret-of-main');
      const audits = await Promise.all([1, 2].map(() => worked.ask('GET', '/api/audit')));
      for (const { json } of audits) expect(json).toMatchObject({ ok: true, campaigns: [] });
      expect(audits[0]!.json.rules.length).toBeGreaterThan(5);
      await reporter.leave();
      expect((await worked.ask('GET', '/api/processes')).json).toEqual({ items: [], next: null });
    } finally {
      await worked.close();
    }
  });
});

describe('an error', () => {
  it('for an unknown address is a problem like any other', async () => {
    for (const [method, path] of [
      ['GET', '/api/nothing'],
      ['GET', '/../etc/passwd'],
      ['HEAD', '/api/nothing'],
    ]) {
      const answer = await api.ask(method!, path!);
      expect(answer.status).toBe(404);
      if (method !== 'HEAD') expect(answer.json).toMatchObject({ code: 'route-unknown', status: 404 });
    }
    const broken = await api.raw('GET', '/api/campaigns/%zz', {});
    expect([broken.status, JSON.parse(broken.text).code]).toEqual([422, 'request-invalid']);
  });

  it('for a method that the address does not take names those that it takes', async () => {
    const other = await api.ask('PATCH', '/api/campaigns');
    expect(other).toMatchObject({ status: 405, json: { code: 'method-unknown' } });
    expect(other.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    const options = await api.ask('OPTIONS', '/api/campaigns/spring/recipients');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
    const head = await api.ask('HEAD', '/api/campaigns');
    expect([head.status, head.text, Number(head.headers.get('content-length')) > 0]).toEqual([200, '', true]);
  });

  it('of our own reveals only its number', async () => {
    const { find } = api.app.ledger.calls;
    api.app.ledger.calls.find = async () => {
      throw new Error('relation "secret" does not exist at /work/ledger.ts:3');
    };
    try {
      const answer = await api.ask('GET', '/api/calls/1');
      expect(answer).toMatchObject({
        status: 500,
        json: { code: 'unexpected', detail: 'Unexpected error' },
      });
      expect(answer.text).not.toMatch(/secret|ledger\.ts/);
    } finally {
      api.app.ledger.calls.find = find;
    }
  });
});

describe('the port', () => {
  it('is named, with what to do, when it is taken', async () => {
    const start = startApi(api.app, { host: '127.0.0.1', port: api.port, stations: api.stations });
    await expect(start).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(`PORT ${api.port}`),
    });
  });

  it('has a clear error when its host is not of this machine', async () => {
    const start = startApi(api.app, {
      host: '192.0.2.1',
      port: 0,
      token: 'a-token-of-some-length',
      stations: api.stations,
    });
    await expect(start).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('192.0.2.1'),
    });
  });

  it('serves IPv6 loopback under its own name', async () => {
    const server = await startApi(api.app, { host: '::1', port: 0, stations: api.stations }).catch(
      (error) => error,
    );
    // A machine without IPv6 says so in the same words.
    if (server instanceof Error) return expect(server.message).toContain('::1');
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.close();
  });

  it('closes in time even when a browser has opened connections ahead', async () => {
    const server = await startApi(api.app, { host: '127.0.0.1', port: 0, stations: api.stations });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    await fetch(`${server.url}/healthz`);
    await server.close();
    if (!socket.closed) await once(socket, 'close');
  });
});
