/** Writes answers, the sound ones and those that a fault spoils. */
import type { ServerResponse } from 'node:http';
import type { Strike } from './faults.ts';
import type { Answer } from './journal.ts';
import { proxyPage, type Reply, refusal } from './reply.ts';
import type { Ready } from './routes.ts';

export type Outlet = {
  response: ServerResponse;
  /** Waits in the wall's time; resolves early when the server closes. */
  pause(ms: number): Promise<void>;
  /** Sends after the usual latency, and writes it down. */
  send(reply: Reply): Promise<void>;
  /** Writes down an answer that `send` did not give. */
  record(answer: Answer): void;
  revoke(): void;
  retry: { path: string };
};

/** `serve` makes the operation happen and notes its call; whether and when it is called is the fault's doing. */
export async function strikeRequest(strike: Strike, serve: Ready['serve'], outlet: Outlet): Promise<void> {
  const { kind, after, status, ms } = strike;
  const served = after ? serve().reply : undefined;
  switch (kind) {
    case 'error':
      return outlet.send(refusal(status, status === 500 ? 'Internal server error' : `Error ${status}`));
    case 'html':
      return outlet.send(proxyPage(status));
    case 'redirect':
      return outlet.send(refusal(status, 'Moved', { location: outlet.retry.path }));
    case 'revoke':
      outlet.revoke();
      return outlet.send(refusal(401, 'Invalid or missing API key', { 'www-authenticate': 'Bearer' }));
    case 'reset':
      outlet.record('reset');
      // A reset, not a polite end: that is what a client sees when a machine on the way dies.
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
    case 'slow':
      return dribble(served ?? serve().reply, ms ?? 0, outlet);
  }
}

/** The headers at once, then the body in small pieces. */
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
