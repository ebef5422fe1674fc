import type { Notification, PoolClient } from 'pg';
import { systemClock } from '../../base/clock.ts';
import { openPool } from '../../base/pool.ts';

/**
 * One connection that listens for every worker of the process. With many keys, one each would use up the server's
 * connections. Nothing fails while it is away, because a worker still looks every few seconds.
 */
export type Listener = {
  subscribe(queue: string, handler: OnNotice): void;
  unsubscribe(queue: string, handler: OnNotice): void;
  /** Calls `tell` when it listens again after it was away: notices were missed. Returns how to stop. */
  onBack(tell: () => void): () => void;
  close(): Promise<void>;
};

export type OnNotice = (message: Pick<Notification, 'channel' | 'payload'>) => void;

const channel = 'bullmq_jobs';
const pauseMs = { first: 200, most: 5_000 };

export function startListener(options: { url: string; complain(error: Error): void }): Listener {
  const { complain } = options;
  const pool = openPool({ url: options.url, max: 1, limitMs: 10_000, onLost: complain });
  const handlers = new Map<string, Set<OnNotice>>();
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  let client: PoolClient | null = null;

  const hear = (message: Notification) => {
    for (const tell of [...(handlers.get(message.payload ?? '') ?? [])]) tell(message);
  };

  /** Resolves when the connection has ended, or when it is to be closed. */
  const listen = async (): Promise<void> => {
    client = await pool.connect();
    const ended = new Promise<void>((resolve) => {
      client!.once('end', resolve);
      client!.once('error', () => resolve());
      stop.signal.addEventListener('abort', () => resolve(), { once: true });
      // Closed while it connected: that signal does not come again.
      if (stop.signal.aborted) resolve();
    });
    try {
      client.on('notification', hear);
      await client.query(`listen ${channel}`);
      for (const tell of [...waiting]) tell();
      await ended;
    } finally {
      client.release(true);
      client = null;
    }
  };

  const run = async () => {
    let pause = pauseMs.first;
    while (!stop.signal.aborted) {
      const began = performance.now();
      await listen().catch(complain);
      // A connection that lasted a while was good: it is replaced soon.
      pause = performance.now() - began > pauseMs.most ? pauseMs.first : Math.min(pause * 2, pauseMs.most);
      await systemClock.sleep(pause, stop.signal);
    }
  };
  const ended = run();

  return {
    subscribe(queue, tell) {
      const known = handlers.get(queue) ?? new Set();
      handlers.set(queue, known.add(tell));
    },
    unsubscribe(queue, tell) {
      const known = handlers.get(queue);
      known?.delete(tell);
      if (known?.size === 0) handlers.delete(queue);
    },
    onBack(tell) {
      waiting.add(tell);
      return () => void waiting.delete(tell);
    },
    async close() {
      stop.abort();
      await ended;
      await pool.end();
    },
  };
}
