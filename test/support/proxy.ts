import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './ports.ts';

/** Stands between a client and a server, so that a test can take the server away, in each way in which wires fail. */
export type Proxy = {
  port: number;
  /** Breaks every connection and takes no new one. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Keeps the connections, but nothing comes through any more, in either direction, nor on a new one. */
  freeze(): void;
  /** Ends `freeze` and `slow`: what was held comes through, late. */
  thaw(): void;
  /** Ends every connection with a reset; new ones are taken. */
  reset(): void;
  /** Every piece takes so long on its way. */
  slow(ms: number): void;
  /** What the server says is swallowed from now on, while it hears everything; until `reset` or `cut`. */
  deafen(): void;
  /**
   * The connections of this moment fall silent for good: what either side sends is taken and goes nowhere, and neither
   * learns that the other is gone. New ones work.
   */
  hush(): void;
  close(): Promise<void>;
};

export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let deaf = new WeakSet<Socket>();
  const silent = new WeakSet<Socket>();
  let held: { wait: Promise<void>; free: () => void } | null = null;
  let delayMs = 0;

  /** One direction of one connection: pieces go in order, each when the wire lets it. */
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
  /** Connections whose pieces stand in line: what follows must not overtake them. */
  const queued = new WeakSet<Socket>();

  const listen = async (port: number) => {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.setNoDelay(true);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
      }
      carry(near, far, () => silent.has(near));
      carry(far, near, () => deaf.has(near) || silent.has(far));
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
    deaf = new WeakSet();
  };
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    thaw();
    await closed;
  };
  return {
    port,
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
      for (const socket of sockets) deaf.add(socket);
    },
    hush() {
      for (const socket of sockets) silent.add(socket);
    },
    close: cut,
  };
}
