import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from './ports.ts';

/** A TCP proxy between a client and a server, so that a test can fail the connection in every way. */
export type Proxy = {
  port: number;
  /** How many connections it has taken. */
  taken(): number;
  /** Breaks every connection and accepts no new one. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Keeps the connections but passes nothing in either direction, on new connections either. */
  freeze(): void;
  /** Ends `freeze` and `slow`: held data comes through, late. */
  thaw(): void;
  /** Resets every connection; new ones are accepted. */
  reset(): void;
  /** Delays every piece by this long. */
  slow(ms: number): void;
  /** Drops what the server sends, on new connections too, while it still receives everything, until `reset` or `cut`. */
  deafen(): void;
  /**
   * Existing connections go silent for good: bytes that either side sends are accepted and dropped, and neither
   * learns that the other is gone. New ones work.
   */
  hush(): void;
  close(): Promise<void>;
};

/** Before the Postgres of a URL: `url` is the same database through the proxy. */
export async function startDatabaseProxy(given: string): Promise<Proxy & { url: string }> {
  const url = new URL(given);
  const folder = url.searchParams.get('host');
  const proxy = await startProxy(folder ? join(folder, `.s.PGSQL.${url.port}`) : Number(url.port));
  url.searchParams.delete('host');
  url.port = String(proxy.port);
  return { ...proxy, url: url.href };
}

/** Before a port, or a socket's path. */
export async function startProxy(target: number | string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let deaf = false;
  const silent = new WeakSet<Socket>();
  let held: { wait: Promise<void>; free: () => void } | null = null;
  let delayMs = 0;
  let taken = 0;

  /** One direction of one connection: pieces are passed in order, after any delay or freeze. */
  const carry = (from: Socket, to: Socket, muted: () => boolean) => {
    let line = Promise.resolve();
    const pass = (move: () => void) => {
      line = line.then(async () => {
        if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
        if (held) await held.wait;
        if (!to.destroyed) move();
      });
    };
    from.on('data', (chunk) => {
      if (!held && delayMs === 0 && from.readableFlowing && !queued.has(from)) {
        if (!muted() && !to.write(chunk)) from.pause();
        return;
      }
      queued.add(from);
      pass(() => void (muted() || to.write(chunk)));
    });
    to.on('drain', () => from.resume());
    from.on('end', () => pass(() => silent.has(from) || to.end()));
    from.on('close', () => pass(() => silent.has(from) || to.destroy()));
  };
  /** Connections with waiting pieces: later pieces must not overtake them. */
  const queued = new WeakSet<Socket>();

  const listen = async (port: number) => {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      taken += 1;
      const to = typeof target === 'string' ? { path: target } : { port: target, host: '127.0.0.1' };
      const far = connect({ ...to, allowHalfOpen: true });
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.setNoDelay(true);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
      }
      carry(near, far, () => silent.has(near));
      carry(far, near, () => deaf || silent.has(far));
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const port = await freePort();
  let server = await listen(port);
  const thaw = () => {
    held?.free();
    held = null;
    delayMs = 0;
  };
  const breakAll = () => {
    for (const socket of sockets) socket.resetAndDestroy();
    deaf = false;
  };
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    deaf = false;
    thaw();
    await closed;
  };
  return {
    port,
    taken: () => taken,
    cut,
    async restore() {
      if (!server.listening) server = await listen(port);
    },
    freeze() {
      if (held) return;
      let free = () => {};
      const wait = new Promise<void>((resolve) => {
        free = resolve;
      });
      held = { wait, free };
    },
    thaw,
    reset: breakAll,
    slow(ms) {
      delayMs = ms;
    },
    deafen() {
      deaf = true;
    },
    hush() {
      for (const socket of sockets) silent.add(socket);
    },
    close: cut,
  };
}
