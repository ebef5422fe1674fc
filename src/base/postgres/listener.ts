import type { Notification, Pool, PoolClient } from 'pg';
import { systemClock } from '../clock.ts';
import { openPool } from './pool.ts';

/**
 * One connection that hears Postgres's notices for the whole process; one for each key would use up the server's
 * connections. It connects for its first subscriber. Nothing fails while it is away, because every listener also looks
 * by itself.
 */
export type Listener = {
  name: string;
  /** `payload` selects the notices that are wanted; for work it is empty. */
  subscribe(channel: Channel, payload: string, handler: OnNotice): void;
  unsubscribe(channel: Channel, payload: string, handler: OnNotice): void;
  /** Whether every notice is heard now. */
  isListening(): boolean;
  /** Calls `tell` when it listens again after it was away: notices were missed. Returns how to stop. */
  onBack(tell: () => void): () => void;
  close(): Promise<void>;
};

export type OnNotice = (message: Pick<Notification, 'channel' | 'payload'>) => void;

/** BullMQ's notice that a queue has a job, and the ledger's that there may be work: see `wake` in ledger/processes. */
type Channel = 'bullmq_jobs' | 'carillon_work';
const pauseMs = { first: 200, most: 5_000 };

export function createListener(options: { url: string; complain(error: Error): void }): Listener {
  const { complain } = options;
  let pool: Pool | undefined;
  const handlers = new Map<string, Set<OnNotice>>();
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  let client: PoolClient | null = null;
  let listens = false;

  const hear = (message: Notification) => {
    for (const tell of [...(handlers.get(topicOf(message.channel, message.payload)) ?? [])]) tell(message);
  };

  /** Resolves when the connection has ended, or when it is to be closed. */
  const listen = async (): Promise<void> => {
    pool ??= openPool({ url: options.url, max: 1, limitMs: 10_000, onLost: complain });
    client = await pool.connect();
    const ended = new Promise<void>((resolve) => {
      client!.once('end', resolve);
      client!.once('error', () => resolve());
      stop.signal.addEventListener('abort', () => resolve(), { once: true });
      // It was closed while it connected, and that signal does not come again.
      if (stop.signal.aborted) resolve();
    });
    try {
      client.on('notification', hear);
      await client.query('listen bullmq_jobs; listen carillon_work');
      listens = true;
      for (const tell of [...waiting]) tell();
      await ended;
    } finally {
      listens = false;
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
  let ended: Promise<void> | undefined;

  return {
    name: 'listener',
    subscribe(channel, payload, tell) {
      const topic = topicOf(channel, payload);
      handlers.set(topic, (handlers.get(topic) ?? new Set()).add(tell));
      ended ??= run();
    },
    unsubscribe(channel, payload, tell) {
      const topic = topicOf(channel, payload);
      const known = handlers.get(topic);
      known?.delete(tell);
      if (known?.size === 0) handlers.delete(topic);
    },
    isListening: () => listens,
    onBack(tell) {
      waiting.add(tell);
      return () => void waiting.delete(tell);
    },
    async close() {
      stop.abort();
      await ended;
      await pool?.end();
    },
  };
}

const topicOf = (channel: string, payload = '') => `${channel} ${payload}`;
