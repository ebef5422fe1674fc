import { z } from 'zod';
import { withDeadline } from '../../base/deadline.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createQueues, type Queues } from '../../queues/queues.ts';

/** How full a lane's queues are: those of the background workers, and of the runs that use the lane now. */
const depthShape = z.object({
  waiting: z.int(),
  delayed: z.int(),
  active: z.int().describe('Jobs that a worker has taken; it waits for a token or an answer.'),
  oldest_at: z.date().nullable().describe('When the oldest waiting job was made; null when none waits.'),
  next_at: z.date().nullable().describe('When the first delayed job is due; null when none is delayed.'),
});
type QueueDepth = z.output<typeof depthShape>;

export const depthsShape = z
  .object({ dial: depthShape, track: depthShape })
  .describe('Jobs by kind: a call to make, a call to follow until it ends.');
type QueueDepths = z.output<typeof depthsShape>;

export type DepthDeps = { ledger: Pick<Ledger, 'lanes'>; engine: Engine; queues: Queues };

/** A queue that is away must not hold up the answer. */
const patienceMs = 2_000;

/** Null when the queue cannot be reached. */
export async function depthsOf(
  deps: DepthDeps,
  lane: { id: number; bucket: string },
): Promise<QueueDepths | null> {
  const reading = readDepths(deps, lane).catch(() => null);
  return withDeadline(reading, patienceMs, () => null);
}

async function readDepths(
  { ledger, engine, queues }: DepthDeps,
  { id, bucket }: { id: number; bucket: string },
): Promise<QueueDepths> {
  const loads = await ledger.lanes.loads();
  const runs = loads.filter((load) => load.laneId === id && load.driver === 'run');
  const own = runs.map((load) => createQueues(engine, load.campaignId));
  try {
    const [dial, track] = await Promise.all(
      (['dial', 'track'] as const).map(async (station) =>
        total(
          await Promise.all([queues, ...own].map((each) => depthOf(engine, each.queue(bucket, station)))),
        ),
      ),
    );
    return { dial: dial!, track: track! };
  } finally {
    await Promise.all(own.map((each) => each.close()));
  }
}

async function depthOf(engine: Engine, queue: ReturnType<Queues['queue']>): Promise<QueueDepth> {
  const [counts, [first], next] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active'),
    queue.getJobs(['waiting'], 0, 0, true),
    engine.nextDue(queue.name),
  ]);
  const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = counts;
  return {
    waiting: waiting + prioritized,
    delayed,
    active,
    oldest_at: first ? new Date(first.timestamp) : null,
    next_at: next,
  };
}

function total(depths: readonly QueueDepth[]): QueueDepth {
  const sum = (name: 'waiting' | 'delayed' | 'active') => depths.reduce((n, each) => n + each[name], 0);
  const first = (name: 'oldest_at' | 'next_at') => {
    const times = depths.flatMap(({ [name]: at }) => (at ? [at.getTime()] : []));
    return times.length > 0 ? new Date(Math.min(...times)) : null;
  };
  return {
    waiting: sum('waiting'),
    delayed: sum('delayed'),
    active: sum('active'),
    oldest_at: first('oldest_at'),
    next_at: first('next_at'),
  };
}
