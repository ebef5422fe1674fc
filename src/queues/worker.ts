import { DelayedError, type Job, RateLimitError } from 'bullmq';
import { type Asides, isOfOneRow } from '../base/asides.ts';
import type { Log } from '../base/log.ts';
import type { Engine, EngineQueue, EngineWorker } from '../engine/engine.ts';
import { type Payload, payload, type Step, wait } from './job.ts';

/** The one file that speaks BullMQ's signals: parse the job, run the handler, turn its step into a signal. */

/** `madeAt`: when the job was made, by the queue's time. */
export type Handler = (attemptId: string, madeAt: number) => Promise<Step>;

type JobWorkerDeps = {
  engine: Engine;
  queue: EngineQueue<Payload>;
  log: Log;
  clock: { now(): number };
  asides: Asides;
  /** A job was lost: its worker died, and its attempt no longer has one. */
  onGone?(): void;
};

export function startWorker(
  name: string,
  handler: Handler,
  concurrency: number,
  deps: JobWorkerDeps,
): EngineWorker<Payload> {
  const { engine, queue, log, clock } = deps;
  const process = async (job: Job<Payload>, token?: string): Promise<void> => {
    const parsed = payload.safeParse(job.data);
    if (!parsed.success) {
      log.warn({ queue: name, job: job.id }, 'a job that is not ours was dropped');
      return;
    }
    const step = await runHandler(handler, parsed.data.attemptId, job.timestamp, name, deps);
    switch (step.kind) {
      case 'wait':
        await job.moveToDelayed(clock.now() + step.ms, token);
        throw new DelayedError();
      case 'rest':
        await queue.rateLimit(step.ms);
        throw new RateLimitError();
      case 'drop':
        log.debug({ queue: name, attempt: parsed.data.attemptId, why: step.why }, 'a job was dropped');
    }
    // Nothing is returned: a value that cannot be stored would send a finished job to the retry path.
  };
  const worker = engine.newWorker(name, process, { concurrency });
  worker.on('error', (error) =>
    log.debug({ queue: name, err: error.message }, 'a worker lost its queue briefly'),
  );
  // No handler ever fails a job, so a failed job was held by a dead worker.
  worker.on('failed', () => deps.onGone?.());
  return worker;
}

/** How long a job waits after its handler threw. */
const againMs = 5_000;

/** The attempt is in the ledger, whatever a handler throws, so the job waits and runs again. */
async function runHandler(
  handler: Handler,
  attemptId: string,
  madeAt: number,
  queue: string,
  { log, asides }: Pick<JobWorkerDeps, 'log' | 'asides'>,
): Promise<Step> {
  try {
    const step = await handler(attemptId, madeAt);
    asides.done(queue, attemptId);
    return step;
  } catch (error) {
    log.warn({ attempt: attemptId, err: (error as Error).message }, 'a job failed and will be tried again');
    return wait(isOfOneRow(error) ? asides.fail(queue, attemptId, error) : againMs);
  }
}
