import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { VoiceOptions } from '../../src/voice/client.ts';
import { type HttpProxyServer, type ProxyAct, startHttpProxy } from '../support/http-proxy.ts';
import { freePort } from '../support/ports.ts';
import { connect, order, type Seen, secret, serve } from './servers.ts';

/** Requests through an HTTP proxy: where they go, what the proxy may see, and what its own answers mean. */
const unreachable = { ok: false, fault: { kind: 'unreachable', status: null } };
const authorization = `Basic ${Buffer.from('ann:pass-word').toString('base64')}`;

beforeEach(() => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  return () => vi.unstubAllEnvs();
});

/** A client whose service exists only behind the proxy: no name server knows it. */
async function behindProxy(
  scheme: 'http' | 'https',
  act: ProxyAct = 'pass',
  options: Partial<VoiceOptions> = {},
) {
  const service = await serve(({ method }) => ({
    status: method === 'POST' ? 201 : 200,
    json: { id: 'c-1' },
  }));
  const proxy = await startHttpProxy(Number(new URL(service.baseUrl).port));
  onTestFinished(() => proxy.close());
  proxy.act = act;
  const through = { url: proxy.url, authorization };
  const client = connect(`${scheme}://voice.invalid/v1`, { proxy: through, ...options });
  return { client, proxy, service };
}

const posts = ({ seen }: { seen: Seen[] }) => seen.filter(({ method }) => method === 'POST').length;
const askedFor = ({ seen }: HttpProxyServer) => seen.map(({ method, url }) => `${method} ${url}`);

test('a service with TLS is reached by a tunnel, in which the proxy sees neither key nor person', async () => {
  const { client, proxy, service } = await behindProxy('https');
  expect(await client.create(order)).toMatchObject({ ok: true, status: 201 });
  expect(await client.get({ id: 'c-1' })).toMatchObject({ ok: true });
  expect([...new Set(askedFor(proxy))]).toEqual(['CONNECT voice.invalid:443']);
  expect(proxy.seen[0]!.headers).toMatchObject({
    host: 'voice.invalid:443',
    'proxy-authorization': authorization,
  });
  expect(JSON.stringify(proxy.seen)).not.toContain(secret);
  expect(service.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/call',
    'GET /v1/call/c-1',
  ]);
  expect(service.seen[0]!.headers).toMatchObject({
    host: 'voice.invalid',
    authorization: `Bearer ${secret}`,
  });
  expect(service.seen[0]!.headers).not.toHaveProperty('proxy-authorization');
});

test('a service without TLS is asked for by its whole address', async () => {
  const { client, proxy, service } = await behindProxy('http');
  expect(await client.create(order)).toMatchObject({ ok: true, status: 201 });
  expect(askedFor(proxy)).toEqual(['POST http://voice.invalid/v1/call']);
  expect(proxy.seen[0]!.headers).toMatchObject({
    host: 'voice.invalid',
    'proxy-authorization': authorization,
  });
  expect(service.seen[0]!.headers).not.toHaveProperty('proxy-authorization');
  expect(JSON.parse(service.seen[0]!.body)).toMatchObject({ agent_id: 'agent-1' });
});

test('many requests at once go through the proxy, each once', async () => {
  // So many handshakes take a busy machine its time.
  const { client, service } = await behindProxy('https', undefined, { timeoutMs: 60_000 });
  const answers = await Promise.all(Array.from({ length: 60 }, () => client.create(order)));
  expect(answers.filter(({ ok }) => !ok)).toEqual([]);
  expect(posts(service)).toBe(60);
});

describe.each(['http', 'https'] as const)('through a proxy to a service with %s, a create', (scheme) => {
  test('is lost when the proxy breaks the connection after it passed it on, and is not sent again', async () => {
    const { client, service } = await behindProxy(scheme, 'reset');
    expect(await client.create(order)).toMatchObject({
      ok: false,
      fault: { kind: 'lost', status: null },
    });
    expect(posts(service)).toBe(1);
  });

  test('surely did not leave when the proxy cannot be reached', async () => {
    const { client, proxy, service } = await behindProxy(scheme);
    await proxy.close();
    const why = `nothing was sent: the proxy 127.0.0.1:${proxy.port} refused the connection`;
    expect(await client.create(order)).toMatchObject({
      ok: false,
      fault: { kind: 'unreachable', message: why },
    });
    expect(posts(service)).toBe(0);
  });
});

test.each<[string, ProxyAct, string]>([
  ['answers 502', { refuse: 502 }, 'answered 502 when asked for a tunnel to voice.invalid:443'],
  ['answers 407', { refuse: 407 }, 'does not accept the user name and password in its URL (407)'],
  ['answers 429', { refuse: 429 }, 'answered 429 when asked for a tunnel to voice.invalid:443'],
  // The request and its connection have the same time; either may be the first to say that it is over.
  ['says nothing', 'hang', 'within 400 ms'],
])('a proxy that %s when asked for a tunnel has kept the create from leaving', async (_, act, words) => {
  const { client, proxy, service } = await behindProxy('https', act, { timeoutMs: 400 });
  expect(await client.create(order)).toMatchObject({
    ...unreachable,
    fault: { ...unreachable.fault, message: expect.stringContaining(words) },
  });
  expect(posts(service)).toBe(0);
  proxy.act = 'pass';
  expect(await client.create(order)).toMatchObject({ ok: true });
  expect(posts(service)).toBe(1);
});

test('a proxy that wants a user name says so when none is set', async () => {
  const proxy = await startHttpProxy(await freePort());
  onTestFinished(() => proxy.close());
  proxy.act = { refuse: 407 };
  const client = connect('https://voice.invalid/v1', { proxy: { url: proxy.url, authorization: null } });
  expect(await client.create(order)).toMatchObject({
    fault: { message: expect.stringContaining('asks for a user name and a password (407)') },
  });
  expect(proxy.seen[0]!.headers).not.toHaveProperty('proxy-authorization');
});

test.each<[string, ProxyAct, object, number]>([
  ['answers 504 after it passed the create on', { instead: 504 }, { kind: 'lost', status: 504 }, 1],
  ['answers 502 by itself', { refuse: 502 }, { kind: 'lost', status: 502 }, 0],
  ['answers 407 by itself', { refuse: 407 }, { kind: 'lost', status: 407 }, 0],
  ['answers 429 by itself', { refuse: 429 }, { kind: 'busy', status: 429 }, 0],
  ['passes it on and never answers', 'hang', { kind: 'lost', status: null }, 1],
])('without TLS a proxy that %s is judged as the service would be', async (_, act, fault, reached) => {
  const { client, service } = await behindProxy('http', act, { timeoutMs: 1_000 });
  expect(await client.create(order)).toMatchObject({ ok: false, fault });
  expect(posts(service)).toBe(reached);
});

test('the parts of a request that a proxy repeats show no password', async () => {
  const text = `Bad Gateway: Proxy-Authorization: ${authorization}, Authorization: Bearer ${secret}`;
  const { client } = await behindProxy('http', { refuse: 502, text });
  const answer = await client.create(order);
  expect(answer).toMatchObject({ fault: { message: expect.stringContaining('Bad Gateway') } });
  expect(JSON.stringify(answer)).not.toContain(authorization.slice(6));
  expect(JSON.stringify(answer)).not.toContain(secret);
});
