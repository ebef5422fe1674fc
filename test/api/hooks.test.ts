import { createHmac } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canUseRedis, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

const secret = 'a-secret-for-the-hook';
const engines = canUseRedis('hints, with the queue in Redis') ? ['postgres', 'redis'] : ['postgres'];

const openHooks = (options: Parameters<typeof openApi>[0] = {}) =>
  openApi({ ...options, env: { CARILLON_HOOK_SECRET: secret, VOICE_POLL: '3600', ...options.env } });

const hint = (api: TestApi, body: unknown, given = secret) =>
  api.ask('POST', `/api/hooks/call/${given}`, { body });
const polls = (api: TestApi, callId: string) =>
  [...api.simulator.journal()].filter(
    ({ method, path }) => method === 'GET' && path === `/v1/call/${callId}`,
  );

/** A call in progress whose next poll is an hour away, and the service's id of it. */
async function call(
  api: TestApi,
  phone: string,
  headers: Record<string, string> = {},
): Promise<{ id: string; callId: string }> {
  const order = await api.ask('POST', '/api/calls', { headers, body: { agent: 'a', phone } });
  const placed = await until(
    () => api.ask('GET', `/api/calls/${order.json.id}`, { headers }),
    ({ json }) => json.attempt_state === 'placed',
  );
  const attempt = await api.app.ledger.attempts.load(placed.json.attempt);
  return { id: order.json.id, callId: attempt!.callId! };
}

describe.each(engines)('a hint that a call may have ended, with the queue in %s', (engine) => {
  let api: TestApi;
  let redis: Awaited<ReturnType<typeof startRedis>> | undefined;
  beforeAll(async () => {
    redis = engine === 'redis' ? await startRedis() : undefined;
    api = await openHooks({
      env: redis ? { REDIS_URL: redis.url } : {},
      simulator: { speed: 1_000_000, endings: { '1': 'busy' } },
    });
    api.work();
  });
  afterAll(async () => {
    await api?.close();
    await redis?.stop();
  });

  it('costs one request while the call continues; the next at once waits some seconds', async () => {
    api.simulator.control({ speed: 0.01 });
    const { callId } = await call(api, '+14155550172');
    const hintedAt = Date.now();
    await hint(api, { call_id: callId });
    await until(
      async () => polls(api, callId),
      ({ length }) => length === 1,
    );
    const again = await Promise.all(Array.from({ length: 20 }, () => hint(api, { id: callId })));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([204]));
    const [, second] = await until(
      async () => polls(api, callId),
      ({ length }) => length > 1,
    );
    // By the first hint, as its poll may come late on a busy machine.
    expect(second!.at - hintedAt).toBeGreaterThan(4_900);
    expect(polls(api, callId)).toHaveLength(2);
    // Its job stands in the list, and alone in the key's queues: this test comes first.
    const delayed = await until(
      () => api.ask('GET', `/api/jobs?q=${callId}&state=delayed`),
      ({ json }) => json.items[0]?.polls === 2,
    );
    expect(delayed.json.items).toMatchObject([
      { kind: 'track', reason: 'poll', until: expect.any(String), polls: 2 },
    ]);
    const { queues } = (await api.ask('GET', '/api/keys/main')).json;
    expect(queues.track).toEqual({
      waiting: 0,
      delayed: 1,
      active: 0,
      oldest_at: null,
      next_at: expect.any(String),
    });
  });

  it('has it asked for at once, though the next poll was an hour away', async () => {
    api.simulator.control({ speed: 1_000_000 });
    const { id, callId } = await call(api, '+14155550171');
    expect(polls(api, callId)).toHaveLength(0);
    expect((await hint(api, { call: { id: callId } })).status).toBe(204);
    const done = await until(
      () => api.ask('GET', `/api/calls/${id}`),
      ({ json }) => json.state === 'done',
    );
    expect(done.json).toMatchObject({ outcome: 'busy', attempts: 1 });
    expect(polls(api, callId)).toHaveLength(1);
  });
});

describe('the address of hints', () => {
  const authorization = 'Bearer a-token-for-the-api';
  let lines = '';
  const logTo = new Writable({
    write(chunk, _encoding, done) {
      lines += chunk;
      done();
    },
  });
  let api: TestApi;
  beforeAll(async () => {
    api = await openHooks({ token: 'a-token-for-the-api', logTo });
    api.work();
  });
  afterAll(() => api?.close());

  it('needs no token, and tells nothing about calls', async () => {
    const unknown = await hint(api, { id: 'nobody-has-this-id' });
    expect([unknown.status, unknown.text]).toEqual([204, '']);
    const { callId } = await call(api, '+14155550173', { authorization });
    const known = await hint(api, { id: callId });
    expect([known.status, known.text]).toEqual([204, '']);
  });

  it('is 404 with a wrong secret, whatever the body, and without one', async () => {
    const nowhere = await api.ask('POST', '/api/nowhere', { headers: { authorization } });
    for (const body of [{ id: 'x' }, {}, '{"broken', undefined]) {
      const wrong = await hint(api, body, 'a-secret-for-the-hooc');
      expect([wrong.status, wrong.json]).toEqual([404, nowhere.json]);
    }
    const off = await openHooks({ env: { CARILLON_HOOK_SECRET: '' } });
    try {
      for (const given of [secret, 'undefined'])
        expect((await hint(off, { id: 'x' }, given)).status).toBe(404);
    } finally {
      await off.close();
    }
  });

  it('refuses what holds no call id in one line', async () => {
    for (const body of [{}, { id: '' }, { call: 'x' }, { call_id: {} }, [], null]) {
      const refused = await hint(api, body);
      expect(refused.status, JSON.stringify(body)).toBe(422);
      expect(refused.json).toMatchObject({ code: 'request-invalid', detail: 'The body holds no call id' });
    }
  });

  it('stays out of the log, even when the ledger is away', async () => {
    const { attempts } = api.app.ledger;
    const own = attempts.hint;
    attempts.hint = () => Promise.reject(new Error('the ledger is away'));
    expect((await hint(api, { id: 'x' })).status).toBe(500);
    attempts.hint = own;
    expect(lines).toContain('a request failed');
    expect(lines).not.toContain(secret);
  });

  it('refuses a webhook that the service has not signed, where it signs them', async () => {
    const signing = await openHooks({
      env: { VOICE_SERVICE: 'bland', CARILLON_HOOK_KEY: 'signed-with-this' },
    });
    try {
      const body = { call_id: 'nobody-has-this-id' };
      const forged = await hint(signing, body);
      expect([forged.status, forged.json.detail]).toEqual([422, 'The webhook’s signature is not valid']);
      const digest = createHmac('sha256', 'signed-with-this').update(JSON.stringify(body)).digest('hex');
      const headers = { 'x-webhook-signature': digest };
      expect((await signing.ask('POST', `/api/hooks/call/${secret}`, { body, headers })).status).toBe(204);
    } finally {
      await signing.close();
    }
  });
});
