import type { IQueueBackend, Job, Queue, Worker } from 'bullmq';
import { withDeadline } from '../base/deadline.ts';
import { CarillonError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Bucket } from './bucket.ts';

/** The engine: BullMQ on one connection, and the bucket. Nothing above knows which engine it is. */
export type Engine = {
  kind: 'redis' | 'postgres';
  name: string;
  bucket: Bucket;
  /** How many statements lost a deadlock since the start and were run again. */
  deadlocks(): number;
  /** The queue's time, which is the ledger's; jobs are dated by it. */
  now(): number;
  /**
   * If the engine has several servers, gives these lanes their places on them; call it before their queues are used. A
   * queue belongs to the lane whose name, followed by a dot, it begins with.
   */
  join(lanes: readonly string[]): Promise<void>;
  /** A name must not contain a colon. Close the queue before the engine. */
  newQueue<D extends object>(name: string): EngineQueue<D>;
  newWorker<D extends object>(
    name: string,
    processor: Processor<D>,
    options: WorkerSettings,
  ): EngineWorker<D>;
  /** The states of many jobs, in their order, in one round trip; throws `queue-unreachable`. */
  jobStates(jobs: readonly QueuedJob[]): Promise<JobState[]>;
  /** When a queue's first delayed job is due, by the queue's time; null when none is delayed. */
  nextDue(queue: string): Promise<Date | null>;
  /** Resolves when the engine answers; throws `queue-unreachable` within seconds when it does not. */
  ping(): Promise<void>;
  /** Faults of the server, one line each with the remedy; empty when all is well. */
  findings(): Promise<string[]>;
  /** Ends in a few seconds, even when the server is gone. Workers that still run are closed by force. */
  close(): Promise<void>;
};

/** A job by the name of its queue and its id; `none`: the job is gone. */
export type QueuedJob = { queue: string; id: string };
export type JobState = 'waiting' | 'delayed' | 'active' | 'none';

// biome-ignore lint/suspicious/noExplicitAny: the engines differ only in the connection's type.
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
/** Returns nothing: a result that cannot be stored would send a finished job to the retry path. */
export type Processor<D extends object> = (
  job: Job<D, void, string>,
  token?: string,
  signal?: AbortSignal,
) => Promise<void>;

export type WorkerSettings = {
  concurrency: number;
  /** False: the worker takes jobs only once `run()` is called. */
  autorun?: boolean;
  /** How long a dead worker's job is held before it counts as stalled; 10 s. */
  lockMs?: number;
};

/** A job's id is used again later, and a kept finished job would block it, so none is kept. */
export const jobDefaults = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

export function workerDefaults({ concurrency, autorun = true, lockMs = 10_000 }: WorkerSettings) {
  return {
    concurrency,
    autorun,
    lockDuration: lockMs,
    // A dead worker's jobs wait for this check, and so would a campaign's last hundred rows.
    stalledInterval: Math.ceil(lockMs / 2),
    // A stalled job may have placed its call: it fails and the ledger decides; it never runs again by itself.
    maxStalledCount: 0,
    // RateLimitError is ignored without a limiter; this one never limits by itself.
    limiter: { max: 1_000_000_000, duration: 1_000 },
    // How soon a rest that was ended early is noticed.
    maximumRateLimitDelay: 1_000,
    // How soon a worker retries a server that refused its connection.
    runRetryDelay: 1_000,
  } as const;
}

/** The queue is away. What is wrong and what to look at depends on where it lives. */
export function queueUnreachable(kind: keyof typeof places, cause?: unknown, why?: string): CarillonError {
  const [place, remedy] = places[kind];
  const said = why ?? (cause instanceof Error ? cause.message || cause.name : undefined);
  return new CarillonError(
    'queue-unreachable',
    `${place} cannot be reached${said === undefined ? '' : `: ${said}`}`,
    { remedy: `${remedy}; \`carillon doctor\` shows more.`, cause },
  );
}

const places = {
  redis: ['Redis', 'Check REDIS_URL'],
  // Clients of a Cluster or a Sentinel do not tell that a certificate was refused.
  rediss: ['Redis', 'Check REDIS_URL, and NODE_EXTRA_CA_CERTS if your own authority signed its certificate'],
  postgres: [
    'The queue in the ledger’s Postgres',
    'Check DATABASE_URL, or that the embedded Postgres can start',
  ],
} as const;

/** When the server is away, every queue and worker reports it many times a second: log one line in five seconds. */
export function createComplaint(log: Log, name: string): (error: Error) => void {
  let last = Number.NEGATIVE_INFINITY;
  let skipped = 0;
  return (error) => {
    const now = performance.now();
    if (now - last < 5_000) {
      skipped++;
      return;
    }
    log.warn({ why: error.message || error.name, more: skipped }, `${name} has errors`);
    last = now;
    skipped = 0;
  };
}

/** True when the work ended in time. Errors that it throws later are ignored. */
export function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return withDeadline(ended, ms, () => false);
}
