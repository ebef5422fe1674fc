/** Writes the answers of struck requests. */
import type { ServerResponse } from 'node:http';
import { type Dialect, type Ready, replaceAt } from './dialect.ts';
import type { Strike } from './faults.ts';
import type { Answer } from './journal.ts';
import { proxyPage, type Reply, withHeaders } from './reply.ts';

export type Outlet = {
  dialect: Dialect;
  response: ServerResponse;
  /** Waits in wall-clock time; resolves early when the server closes. */
  pause(ms: number): Promise<void>;
  /** Sends after the usual latency, and records the answer. */
  send(reply: Reply): Promise<void>;
  /** Records an answer that did not go through `send`. */
  record(answer: Answer): void;
  revoke(): void;
  /** The id of the first call that was ever made. */
  firstCall(): string | undefined;
  retry: { path: string };
};

/** Values that no call can have; the last one overflows as it is read. */
const absurd: readonly unknown[] = [
  1.3e154,
  -1_000,
  1e-200,
  1.7e308,
  2 ** 53,
  'NaN',
  '-5s',
  '99999-12-31T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '\0',
  '\ud800',
  'x'.repeat(5_000),
  [],
  {},
  null,
  '1e400',
];

/** The true answer with such a value in every field but these, by which a call is known and ends. */
function makeAbsurd(reply: Reply, kept: readonly string[]): Reply {
  if (reply.headers['content-type'] !== 'application/json' || reply.body === '') return reply;
  const names = new Set(kept.map((pointer) => pointer.slice(pointer.lastIndexOf('/') + 1)));
  let nth = reply.body.length;
  const body = JSON.stringify(JSON.parse(String(reply.body)), (name, value: unknown) => {
    if (names.has(name) || (typeof value === 'object' && value !== null)) return value;
    nth += 1;
    return absurd[nth % absurd.length];
  });
  return { ...reply, body: body.replaceAll('"1e400"', '1e400') };
}

/** A phone that belongs to nobody, for answers about another call. */
const otherPhone = '+12025550199';

/** `serve` carries out the operation and records its call. The fault decides whether and when. */
export async function strikeRequest(strike: Strike, serve: Ready['serve'], outlet: Outlet): Promise<void> {
  const { kind, after, status, ms } = strike;
  const { refuse, spots, undialled } = outlet.dialect;
  const served = after ? serve().reply : undefined;
  switch (kind) {
    case 'error':
      return outlet.send(
        refuse('fault', status, status === 500 ? 'Internal server error' : `Error ${status}`),
      );
    case 'html':
      return outlet.send(proxyPage(status));
    case 'redirect':
      return outlet.send(withHeaders(refuse('fault', status, 'Moved'), { location: outlet.retry.path }));
    case 'revoke':
      outlet.revoke();
      return outlet.send(refuse('key', 401, 'Invalid or missing API key'));
    case 'reset':
      outlet.record('reset');
      // A reset, not a clean close: it is what a client sees when a machine on the way dies.
      outlet.response.socket?.resetAndDestroy();
      return;
    case 'hang':
      if (ms === undefined) return outlet.record('hang');
      await outlet.pause(ms);
      return outlet.send(served ?? serve().reply);
    case 'broken-json': {
      const whole = served ?? serve().reply;
      return outlet.send({ ...whole, status: 200, body: whole.body.slice(0, whole.body.length >> 1) });
    }
    case 'cut':
      return cut(served ?? serve().reply, outlet);
    case 'odd-status':
      return outlet.send(replaceAt(served ?? serve().reply, spots.status, { state: 'unclear' }));
    case 'absurd':
      return outlet.send(makeAbsurd(served ?? serve().reply, [...spots.id, ...spots.status]));
    case 'other-id':
      return outlet.send(replaceAt(served ?? serve().reply, spots.id, spots.nobody));
    case 'other-phone':
      return outlet.send(replaceAt(served ?? serve().reply, spots.phone, otherPhone));
    case 'same-id':
      return outlet.send(replaceAt(served ?? serve().reply, spots.id, outlet.firstCall()));
    case 'undialled':
      // Settings allow it only for a service that has such an answer.
      return outlet.send(undialled?.() ?? refuse('fault', 500, 'Internal server error'));
    case 'slow':
      return dribble(served ?? serve().reply, ms ?? 0, outlet);
  }
}

/** Sends the true status and half of the body, then ends the connection: the client cannot tell what was done. */
function cut(reply: Reply, { response, record }: Outlet): void {
  record('reset');
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
  response.write(reply.body.slice(0, reply.body.length >> 1), () => response.socket?.destroySoon());
}

/** Sends the headers at once, then the body in small pieces. */
async function dribble(reply: Reply, ms: number, { response, pause, record }: Outlet): Promise<void> {
  const pieces = 20;
  const size = Math.ceil(reply.body.length / pieces);
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  for (let at = 0; at < reply.body.length && !response.destroyed; at += size) {
    await pause(ms / pieces);
    response.write(reply.body.slice(at, at + size));
  }
  if (response.destroyed) return;
  record(reply.status);
  response.end();
}
