import type { IQueueBackend, Job, Queue, Worker } from 'bullmq';
import { withDeadline } from '../base/deadline.ts';
import type { Log } from '../base/log.ts';
import type { Bucket } from './bucket.ts';

/** What stands behind the seam: BullMQ on one connection, and the bucket. Nothing above knows which engine it is. */
export type Engine = {
  kind: 'redis' | 'postgres';
  name: string;
  bucket: Bucket;
  /** A name holds no colon. Close it before the engine. */
  newQueue<D extends object>(name: string): EngineQueue<D>;
  newWorker<D extends object>(
    name: string,
    processor: Processor<D>,
    options: WorkerSettings,
  ): EngineWorker<D>;
  /** Resolves when the engine answers; throws `queue-unreachable` within seconds when it does not. */
  ping(): Promise<void>;
  /** What is wrong with the server behind it, each one line with the remedy; empty when all is well. */
  findings(): Promise<string[]>;
  /** Ends in a few seconds even when the server is gone. Workers that still run are cut off. */
  close(): Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: the connection's type is the one thing in which the engines differ.
type Connection = any;

export type EngineQueue<D extends object> = Queue<
  D,
  void,
  string,
  D,
  void,
  string,
  IQueueBackend,
  Connection
>;
// biome-ignore lint/suspicious/noExplicitAny: BullMQ's own default for a job's progress, which is not used.
export type EngineWorker<D extends object> = Worker<D, void, string, IQueueBackend, any, Connection>;
/** Returns nothing: a result that could not be stored would send a finished job to the retry path. */
export type Processor<D extends object> = (
  job: Job<D, void, string>,
  token?: string,
  signal?: AbortSignal,
) => Promise<void>;

export type WorkerSettings = {
  concurrency: number;
  /** False: the worker takes jobs only once `run()` is called. */
  autorun?: boolean;
  /** How long the job of a worker that died is held before it counts as stalled; 10 s. */
  lockMs?: number;
};

/** A job's id comes back later, and a kept finished job would block it: nothing is kept. */
export const jobDefaults = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** A full stream of events would cost more than the jobs, and nobody reads it. */
export const streams = { events: { maxLen: 100 } } as const;

export function workerDefaults({ concurrency, autorun = true, lockMs = 10_000 }: WorkerSettings) {
  return {
    concurrency,
    autorun,
    lockDuration: lockMs,
    // What a dead worker held waits for nobody else: found late, a campaign stands still to its last hundred rows.
    stalledInterval: Math.ceil(lockMs / 2),
    // A stalled job may have placed its call: it fails and the ledger decides, it never runs again by itself.
    maxStalledCount: 0,
    // RateLimitError is ignored without a limiter; this one never limits by itself.
    limiter: { max: 1_000_000_000, duration: 1_000 },
    // How soon a rest that was ended early is noticed.
    maximumRateLimitDelay: 1_000,
    // How soon a worker looks again at a server that refused its connection.
    runRetryDelay: 1_000,
  } as const;
}

/** A server that is away makes every queue and worker say so many times a second: one line in five seconds. */
export function createComplaint(log: Log, name: string): (error: Error) => void {
  let last = Number.NEGATIVE_INFINITY;
  let silent = 0;
  return (error) => {
    const now = performance.now();
    if (now - last < 5_000) {
      silent++;
      return;
    }
    log.warn({ why: error.message || error.name, more: silent }, `${name} is in trouble`);
    last = now;
    silent = 0;
  };
}

/** True when the work ended in time. What it may still throw later is nobody's business. */
export function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return withDeadline(ended, ms, () => false);
}
