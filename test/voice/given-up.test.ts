import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { Agent } from 'undici';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connect, order, selfSigned } from './servers.ts';

/** The part of a request that a service sees when it was given up. */
type Seen = { bytes: number; end: string };

/** A service that takes one connection and never answers; told by it from the start, or when `read` is called. */
async function serve(scheme: 'http' | 'https', isLazy: boolean) {
  const server = scheme === 'http' ? createServer() : createTlsServer(selfSigned());
  let begin = () => {};
  let tell = () => {};
  const arrived = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const seen = new Promise<Seen>((resolve) => {
    server.once(scheme === 'http' ? 'connection' : 'secureConnection', (socket: Socket) => {
      onTestFinished(() => void socket.destroy());
      let bytes = 0;
      socket.on('error', (error: NodeJS.ErrnoException) => resolve({ bytes, end: error.code ?? '' }));
      socket.on('end', () => resolve({ bytes, end: 'closed' }));
      begin = () => {
        socket.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (chunk.at(-1) === 0x7d) tell();
        });
        socket.resume();
      };
      if (isLazy) socket.pause();
      else begin();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    baseUrl: `${scheme}://localhost:${(server.address() as AddressInfo).port}/v1`,
    seen,
    arrived,
    read(): Promise<Seen> {
      begin();
      return seen;
    },
  };
}

/** Longer than what the buffers of a connection hold. */
const long = { ...order, override: { prompt: 'x'.repeat(12 * 1024 * 1024) } };
const lost = { ok: false, fault: { kind: 'lost' } };

beforeEach(() => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  return () => vi.unstubAllEnvs();
});

describe.each(['http', 'https'] as const)('a create that is given up (%s)', (scheme) => {
  it('resets its connection', async () => {
    const server = await serve(scheme, false);
    expect(await connect(server.baseUrl, { timeoutMs: 500 }).create(order)).toMatchObject(lost);
    expect((await server.seen).end).toBe('ECONNRESET');
  });

  it('is reset too when its process no longer wants it', async () => {
    const server = await serve(scheme, false);
    const giveUp = new AbortController();
    const answer = connect(server.baseUrl).create(order, { signal: giveUp.signal });
    await server.arrived;
    // Node tells a reset as a plain end to a reader that has not come back from its last read.
    await nextTurn();
    giveUp.abort();
    expect(await answer).toMatchObject(lost);
    expect((await server.seen).end).toBe('ECONNRESET');
  });

  it('is not sent further by the kernel, as it is after a plain close', async () => {
    const arrived = async (dispatcher?: Agent) => {
      const server = await serve(scheme, true);
      expect(await connect(server.baseUrl, { timeoutMs: 2_500, dispatcher }).create(long)).toMatchObject(
        lost,
      );
      return (await server.read()).bytes;
    };
    // Connections from outside are only closed.
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const [reset, closed] = (await Promise.all([arrived(), arrived(agent)])) as [number, number];
    expect(reset).toBeLessThan(closed / 2);
  });
});
