import { type Batch, createBatch } from '../base/batch.ts';
import { type Engine, type EngineQueue, queueUnreachable } from '../engine/engine.ts';
import { type Payload, queueName, type Station } from './job.ts';

/** Adds jobs. A job holds only an id, and the attempt's id is the job's, so that an attempt has at most one job. */
export type Queues = {
  queue(bucket: string, station: Station): EngineQueue<Payload>;
  add(bucket: string, station: Station, attemptIds: string[]): Promise<void>;
  /** Adds one job that runs no earlier than its time; concurrent callers share a request. */
  addLater(bucket: string, station: Station, attemptId: string, delayMs: number): Promise<void>;
  /** Makes a job run earlier than planned, even far ahead; one that is running, or about to, stays as it is. */
  sooner(bucket: string, station: Station, attemptId: string, delayMs: number): Promise<void>;
  /** Empties and removes a scope's queues; they are filled again from the ledger. */
  clear(buckets: string[]): Promise<void>;
  /** The same for the queues that a killed run left behind. */
  clearRun(campaignId: string, buckets: string[]): Promise<void>;
  close(): Promise<void>;
};

type JobOrder = {
  name: string;
  data: Payload;
  opts: { jobId: string; timestamp: number; delay?: number };
};

/** A busy server may take a connection too late, so clearing is tried this often before a run gives up. */
const mostTries = 3;

/** `patienceFor` says how long a job that runs so many ms from now may wait for others that are added with it. */
export function createQueues(
  engine: Engine,
  campaignId: string | null,
  patienceFor: (aheadMs: number) => number = () => 0,
): Queues {
  const jobOf = (station: Station, attemptId: string, delayMs: number): JobOrder => {
    // One of the engines refuses a fraction.
    const delay = Math.max(0, Math.ceil(delayMs));
    const opts = { jobId: attemptId, timestamp: engine.now(), ...(delay > 0 ? { delay } : {}) };
    return { name: station, data: { attemptId }, opts };
  };
  const open = new Map<string, EngineQueue<Payload>>();
  const adders = new Map<string, Batch<JobOrder, undefined>>();
  const queue = (bucket: string, station: Station): EngineQueue<Payload> => {
    const name = queueName(bucket, station, campaignId);
    const found = open.get(name) ?? engine.newQueue<Payload>(name);
    open.set(name, found);
    return found;
  };
  const empty = async (target: EngineQueue<Payload>) => {
    for (let tries = 1; ; tries++) {
      try {
        return await target.obliterate({ force: true });
      } catch (error) {
        if (tries === mostTries) throw queueUnreachable(engine.kind, error);
      }
    }
  };
  return {
    queue,
    async add(bucket, station, attemptIds) {
      const target = queue(bucket, station);
      for (let i = 0; i < attemptIds.length; i += 1_000) {
        await target.addBulk(attemptIds.slice(i, i + 1_000).map((id) => jobOf(station, id, 0)));
      }
    },
    addLater(bucket, station, attemptId, delayMs) {
      const target = queue(bucket, station);
      const adder =
        adders.get(target.name) ??
        createBatch(async (jobs: JobOrder[]) => {
          await target.addBulk(jobs);
          return jobs.map(() => undefined);
        });
      adders.set(target.name, adder);
      return adder(jobOf(station, attemptId, delayMs), patienceFor(delayMs));
    },
    async sooner(bucket, station, attemptId, delayMs) {
      const target = queue(bucket, station);
      let job = await target.getJob(attemptId);
      if (!job) {
        await target.addBulk([jobOf(station, attemptId, delayMs)]);
        // Its planner may have added the job between the two, and the queue then kept the planned one. One that has run
        // since has asked already.
        job = await target.getJob(attemptId);
        if (job?.attemptsStarted) return;
      }
      if (!job) return;
      const delay = Math.ceil(delayMs);
      // It may have begun between the two looks, and then it asks now.
      const begun = async (error: unknown) => {
        if (await job.isDelayed()) throw error;
      };
      await (delay > 0 ? job.changeDelay(delay) : job.promote()).catch(begun);
    },
    async clear(buckets) {
      for (const bucket of buckets) {
        for (const station of ['dial', 'track'] as const) await empty(queue(bucket, station));
      }
    },
    async clearRun(id, buckets) {
      const left = createQueues(engine, id);
      await left.clear(buckets).finally(left.close);
    },
    async close() {
      await Promise.allSettled([...open.values()].map((each) => each.close()));
    },
  };
}
