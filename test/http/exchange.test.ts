import { getEventListeners, once, setMaxListeners } from 'node:events';
import { setTimeout as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/ports.ts';
import { connect, http, order, serve, serveRaw, serveTls } from '../voice/servers.ts';

const lost = { ok: false, fault: { kind: 'lost', status: null } };
const unreachable = { ok: false, fault: { kind: 'unreachable', sent: false } };

test('a refused connection is unreachable', async () => {
  const port = await freePort();
  expect(await connect(`http://127.0.0.1:${port}/v1`).create(order)).toMatchObject({
    ok: false,
    fault: { kind: 'unreachable', message: `nothing was sent: 127.0.0.1:${port} refused the connection` },
  });
});

test('a host name that does not exist is unreachable', async () => {
  expect(await connect('http://nowhere.invalid/v1').create(order)).toMatchObject(unreachable);
});

test('a service with an untrusted certificate is unreachable, and nothing was sent', async () => {
  const { baseUrl, requests } = await serveTls();
  const answer = await connect(baseUrl).create(order);
  expect(answer).toMatchObject(unreachable);
  expect(answer).toMatchObject({
    fault: { message: expect.stringMatching(/no trusted TLS connection.*SELF_SIGNED/) },
  });
  expect(requests()).toBe(0);
});

test('https to a service that speaks http is unreachable', async () => {
  const { port } = await serveRaw((socket) => socket.end());
  expect(await connect(`https://127.0.0.1:${port}/v1`, { timeoutMs: 500 }).create(order)).toMatchObject(
    unreachable,
  );
});

test.each<[string, (socket: import('node:net').Socket) => void]>([
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['closes the connection without a word', (socket) => socket.end()],
  ['speaks no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
  ['breaks off in the middle of the head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
])('a service that %s has lost the create, and is not asked again', async (_, act) => {
  const { baseUrl, requests } = await serveRaw(act);
  expect(await connect(baseUrl).create(order)).toMatchObject(lost);
  expect(requests).toHaveLength(1);
});

test.each<[string, string]>([
  ['half a body', http('201 Created', '{"id":"c-1","status":"queued"}').slice(0, -8)],
  ['half a chunk', 'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"id":"c-'],
])('%s is lost', async (_, text) => {
  const { baseUrl, requests } = await serveRaw((socket) => socket.end(text));
  expect(await connect(baseUrl).create(order)).toMatchObject({
    ok: false,
    fault: { kind: 'lost', status: 201, accepted: true },
  });
  expect(requests).toHaveLength(1);
});

test('a call id that was read is kept, even when the connection breaks before the end', async () => {
  const { baseUrl } = await serveRaw((socket) =>
    socket.end('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nc\r\n{"id":"c-1"}\r\n'),
  );
  expect(await connect(baseUrl).create(order)).toMatchObject({ ok: true, value: { id: 'c-1' } });
});

test('a refusal whose body breaks off is still a refusal', async () => {
  const { baseUrl } = await serveRaw((socket) =>
    socket.end('HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: 500\r\n\r\n{"det'),
  );
  expect(await connect(baseUrl).create(order)).toMatchObject({
    fault: { kind: 'busy', retryAfterMs: 3_000 },
  });
});

test('a service that stays silent has lost the create after the timeout', async () => {
  const { baseUrl, requests } = await serveRaw(() => {});
  const answer = await connect(baseUrl, { timeoutMs: 1_000 }).create(order);
  expect(answer).toMatchObject(lost);
  expect(answer).toMatchObject({ fault: { message: expect.stringContaining('no answer within 1000 ms') } });
  expect(answer.ms).toBeGreaterThanOrEqual(995);
  expect(requests).toHaveLength(1);
});

test('a body that trickles does not extend the timeout', async () => {
  const { baseUrl } = await serveRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
    // At this rate it would take half an hour.
    const timer = setInterval(() => socket.write(' '), 20);
    socket.on('close', () => clearInterval(timer));
  });
  const answer = await connect(baseUrl, { timeoutMs: 1_000 }).create(order);
  expect(answer).toMatchObject({ ok: false, fault: { kind: 'lost', status: 200 } });
});

test('a hint before the answer is not the answer', async () => {
  const { baseUrl } = await serveRaw((socket) =>
    socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${http('201 Created', '{"id":"c-1"}')}`),
  );
  expect(await connect(baseUrl).create(order)).toMatchObject({ ok: true, status: 201 });
});

test('a create that is canceled before it is sent is never sent', async () => {
  const { baseUrl, seen } = await serve(() => ({ json: { id: 'c-1' } }));
  const client = connect(baseUrl);
  expect(await client.create(order, { signal: AbortSignal.abort() })).toMatchObject(unreachable);
  const giveUp = new AbortController();
  const answer = client.create(order, { signal: giveUp.signal });
  // The connection is not opened within the same turn.
  giveUp.abort();
  expect(await answer).toMatchObject(unreachable);
  expect(await client.get({ id: 'c-1' })).toMatchObject({ ok: true });
  expect(seen.map(({ method }) => method)).toEqual(['GET']);
});

test('a create that is canceled after it was sent is lost', async () => {
  const giveUp = new AbortController();
  const { baseUrl, requests } = await serveRaw(() => giveUp.abort());
  expect(await connect(baseUrl).create(order, { signal: giveUp.signal })).toMatchObject(lost);
  expect(requests).toHaveLength(1);
});

test('a request that is over does not listen to its signal any more', async () => {
  const { baseUrl } = await serveRaw((socket) => socket.end(http('201 Created', '{"id":"c-1"}')));
  const { signal } = new AbortController();
  expect(await connect(baseUrl).create(order, { signal })).toMatchObject({ ok: true });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a request that is canceled while it waits for a connection is never sent', async () => {
  let full = () => {};
  const everyOne = new Promise<void>((resolve) => {
    full = resolve;
  });
  const { baseUrl, requests } = await serveRaw(() => requests.length === 128 && full());
  const client = connect(baseUrl);
  const stop = new AbortController();
  // Its 128 requests listen at once.
  setMaxListeners(0, stop.signal);
  const under = Array.from({ length: 128 }, () => client.create(order, { signal: stop.signal }));
  await everyOne;
  const giveUp = new AbortController();
  const waiting = [1, 2, 3].map(() => client.create(order, { signal: giveUp.signal }));
  giveUp.abort();
  for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject(unreachable);
  stop.abort();
  for (const answer of await Promise.all(under)) expect(answer).toMatchObject(lost);
  await client.close();
  expect(requests).toHaveLength(128);
});

test('a request that waited for a connection is checked again before it is sent', async () => {
  let full = () => {};
  const everyOne = new Promise<void>((resolve) => {
    full = resolve;
  });
  const { baseUrl, requests, sockets } = await serveRaw(() => requests.length === 128 && full());
  const client = connect(baseUrl);
  const under = Array.from({ length: 128 }, () => client.create(order));
  await everyOne;
  const events: string[] = [];
  const waiting = client.create(order, {
    mayLeave: () => {
      events.push('asked');
      return false;
    },
    onSent: () => events.push('sent'),
  });
  expect(events).toEqual([]);
  // Like a process that was stopped and finds all its answers at once.
  for (const socket of sockets) socket.write(http('201 Created', '{"id":"c-1"}'));
  expect(await waiting).toMatchObject({
    fault: { kind: 'unreachable', message: 'nothing was sent: it was too late to send it' },
  });
  for (const answer of await Promise.all(under)) expect(answer).toMatchObject({ ok: true });
  expect(events).toEqual(['asked']);
  expect(requests).toHaveLength(128);
});

test('a closed client sends nothing', async () => {
  const { baseUrl, seen } = await serve(() => ({ json: { id: 'c-1' } }));
  const client = connect(baseUrl);
  const under = client.create(order);
  await client.close();
  expect(await under).toMatchObject({ ok: true });
  expect(await client.create(order)).toMatchObject({
    fault: { kind: 'unreachable', message: 'nothing was sent: the client is closed' },
  });
  await client.close();
  expect(seen).toHaveLength(1);
});

test('a given dispatcher is used and left open', async () => {
  const { baseUrl } = await serve(() => ({ json: { id: 'c-1' } }));
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.close());
  const client = connect(baseUrl, { dispatcher });
  expect(await client.create(order)).toMatchObject({ ok: true });
  await client.close();
  expect(dispatcher.closed).toBe(false);
});

test('a dispatcher that would send a create again is stopped before it does', async () => {
  const { baseUrl, requests } = await serveRaw((socket) => socket.resetAndDestroy());
  const agent = new Agent();
  onTestFinished(() => agent.close());
  const again = agent.compose((dispatch) => (options, handler) => {
    const onResponseError: typeof handler.onResponseError = () => dispatch(options, handler);
    return dispatch(options, {
      onRequestStart: (...given) => handler.onRequestStart?.(...given),
      onResponseError,
    });
  });
  expect(await connect(baseUrl, { dispatcher: again }).create(order)).toMatchObject(lost);
  expect(requests).toHaveLength(1);
});

test('an idle connection is reused, and closed before a service closes it', async () => {
  const { baseUrl, connections, sockets } = await serveRaw((socket) =>
    socket.write(http('200 OK', '{"id":"c-1"}')),
  );
  const client = connect(baseUrl);
  const over = new AbortController();
  await client.create(order);
  // The connection is free again one turn after its answer.
  await nextTurn(20);
  await client.create(order);
  expect(connections()).toBe(1);
  // Many services close connections idle for five seconds; a create sent at that moment would be unknown.
  const closes = nextTurn(5_000, 'the service', { signal: over.signal }).catch(() => 'nobody');
  const leaves = once(sockets[0]!, 'end').then(() => 'the client');
  expect(await Promise.race([leaves, closes])).toBe('the client');
  over.abort();
});

test('a service that keeps connections for two seconds or less gets each request on a new one', async () => {
  const answer = http('200 OK', '{"id":"c-1"}', ['connection: keep-alive', 'keep-alive: timeout=2']);
  const { baseUrl, connections } = await serveRaw((socket) => socket.write(answer));
  const client = connect(baseUrl);
  await client.create(order);
  await nextTurn(20);
  await client.create(order);
  expect(connections()).toBe(2);
});

/** Flags between the two threads, while one of them is blocked. */
const never = 0;
const finished = 1;

/** A service in its own thread, so that it keeps working while the test blocks the event loop. */
async function serveApart(
  code: string,
): Promise<{ baseUrl: string; flags: Int32Array; heard: Promise<void> }> {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const source = `
    const { parentPort, workerData: flags } = require('node:worker_threads');
    const tell = (flag) => { Atomics.add(flags, flag, 1); Atomics.notify(flags, flag); };
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => { parentPort.postMessage('heard'); ${code} });
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
  const worker = new Worker(source, { eval: true, workerData: flags });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = await once(worker, 'message');
  const first = once(worker, 'message').then(() => undefined);
  return { baseUrl: `http://127.0.0.1:${port}/v1`, flags, heard: first };
}

/** Blocks until the other thread has signalled this often, and then for `ms`. */
function block(flags: Int32Array, times: number, ms: number): void {
  for (;;) {
    const signals = Atomics.load(flags, finished);
    if (signals >= times) break;
    Atomics.wait(flags, finished, signals, 60_000);
  }
  Atomics.wait(flags, never, 0, ms);
}

const placed = JSON.stringify(http('200 OK', '{"id":"c-1"}'));

test('an answer waiting in the socket is read even if the timeout passed while the event loop was busy', async () => {
  const service = await serveApart(`setTimeout(() => socket.write(${placed}, () => tell(${finished})), 100)`);
  const client = connect(service.baseUrl, { timeoutMs: 1_000 });
  const answer = client.create(order);
  await service.heard;
  // After a check phase the loop runs timers first and sockets after them.
  setImmediate(() => block(service.flags, 1, 1_100));
  expect(await answer).toMatchObject({ ok: true });
});

test('a connection that the service closed while the event loop was busy costs no create', async () => {
  const service = await serveApart(
    `socket.write(${placed}); setTimeout(() => socket.end(() => tell(${finished})), 200)`,
  );
  const client = connect(service.baseUrl);
  for (let round = 1; round <= 3; round++) {
    expect(await client.create(order)).toMatchObject({ ok: true });
    block(service.flags, round, 50);
  }
});
