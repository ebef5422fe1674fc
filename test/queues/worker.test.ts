import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAsides } from '../../src/base/asides.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { Engine, EngineWorker } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { done, drop, type Payload, queueName, rest, type Step, wait } from '../../src/queues/job.ts';
import { createQueues, type Queues } from '../../src/queues/queues.ts';
import { type Handler, startWorker } from '../../src/queues/worker.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const log = createLog('silent');
const asides = createAsides({ clock: systemClock, log });
let database: TestDatabase;
let engine: Engine;
let queues: Queues;
const workers: EngineWorker<Payload>[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  engine = await createEngine({ databaseUrl: database.url, log });
  queues = createQueues(engine, null);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});
afterAll(async () => {
  await queues.close();
  await engine.close();
  await database.drop();
});

/** A lane for one test, with the times at which its handler got each attempt. */
function open(handler: Handler, concurrency = 4) {
  const bucket = `lane-${randomUUID().slice(0, 8)}`;
  const queue = queues.queue(bucket, 'dial');
  const seen: { id: string; at: number }[] = [];
  const gone = { count: 0 };
  const watched: Handler = (id, signal) => {
    seen.push({ id, at: performance.now() });
    return handler(id, signal);
  };
  const start = () => {
    const worker = startWorker(queueName(bucket, 'dial', null), watched, concurrency, {
      engine,
      queue,
      log,
      asides,
      clock: systemClock,
      onGone: () => {
        gone.count += 1;
      },
    });
    workers.push(worker);
    return worker;
  };
  const left = async () => {
    const counts = await queue.getJobCounts(
      'waiting',
      'active',
      'delayed',
      'prioritized',
      'failed',
      'completed',
    );
    return Object.values(counts).reduce((a, b) => a + b, 0);
  };
  return { bucket, queue, seen, gone, start, left };
}

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

/** Returns one step after the other, then done. */
function steps(...plan: (() => Step)[]): Handler {
  let turn = 0;
  return async () => (plan[turn++] ?? (() => done))();
}

describe('a job', () => {
  it('that is done is gone, and its id can be used again', async () => {
    const lane = open(async () => done);
    const [id] = ids(1);
    lane.start();
    for (const round of [1, 2]) {
      await queues.add(lane.bucket, 'dial', [id!]);
      await until(
        () => lane.seen.length,
        (count) => count === round,
      );
      await until(lane.left, (count) => count === 0);
    }
  });

  it('that has nothing left to do is gone', async () => {
    const lane = open(async () => drop('it was moved'));
    await queues.add(lane.bucket, 'dial', ids(3));
    lane.start();
    await until(lane.left, (count) => count === 0);
    expect(lane.seen).toHaveLength(3);
  });

  it('that waits comes back at its time, as often as it must, and spends no attempt', async () => {
    const lane = open(steps(...Array.from({ length: 4 }, () => () => wait(80))));
    const [id] = ids(1);
    await queues.add(lane.bucket, 'dial', [id!]);
    lane.start();
    await until(
      () => lane.seen.length,
      (count) => count === 5,
    );
    for (let i = 1; i < 5; i++) expect(lane.seen[i]!.at - lane.seen[i - 1]!.at).toBeGreaterThan(70);
    await until(lane.left, (count) => count === 0);
  });

  it('that waits no longer comes back at once', async () => {
    const lane = open(steps(() => wait(-60_000)));
    await queues.add(lane.bucket, 'dial', ids(1));
    lane.start();
    await until(
      () => lane.seen.length,
      (count) => count === 2,
    );
  });

  it('of a resting lane goes back with all the others until the rest is over', async () => {
    const lane = open(
      steps(() => rest(500)),
      1,
    );
    await queues.add(lane.bucket, 'dial', ids(3));
    lane.start();
    await until(
      () => lane.seen.length,
      (count) => count === 4,
    );
    expect(lane.seen[1]!.at - lane.seen[0]!.at).toBeGreaterThan(400);
    await until(lane.left, (count) => count === 0);
    // Each of the three was seen, and the one that rested twice.
    expect(new Set(lane.seen.map((each) => each.id)).size).toBe(3);
  });

  it('waits and is not lost when its handler throws', async () => {
    const lane = open(async () => {
      throw new Error('the ledger is away');
    });
    await queues.add(lane.bucket, 'dial', ids(1));
    lane.start();
    await until(
      () => lane.seen.length,
      (count) => count === 1,
    );
    const [job] = await until(
      () => lane.queue.getJobs(['delayed']),
      (jobs) => jobs.length === 1,
    );
    expect(job!.attemptsMade).toBe(0);
    expect(job!.delay).toBeGreaterThan(3_000);
  });

  it('that is not ours is dropped', async () => {
    const lane = open(async () => done);
    await lane.queue.addBulk([
      { name: 'dial', data: { phone: '+14155550123' } as never, opts: { jobId: 'foreign' } },
      { name: 'dial', data: { attemptId: 'no uuid' }, opts: { jobId: 'foreign-2' } },
    ]);
    lane.start();
    await until(lane.left, (count) => count === 0);
    expect(lane.seen).toEqual([]);
  });

  it('that fails was held by a dead worker, and this is reported', async () => {
    const lane = open(async () => done);
    const worker = lane.start();
    await queues.add(lane.bucket, 'dial', ids(2));
    await until(lane.left, (count) => count === 0);
    expect(lane.gone.count).toBe(0);
    worker.emit('failed', undefined, new Error('job stalled more than allowable limit'), 'active');
    expect(lane.gone.count).toBe(1);
  });

  it('exists once for an attempt, however often it is added', async () => {
    const lane = open(async () => done);
    const [id] = ids(1);
    await Promise.all(Array.from({ length: 5 }, () => queues.add(lane.bucket, 'dial', [id!, id!])));
    await queues.addLater(lane.bucket, 'dial', id!, 10);
    expect(await lane.left()).toBe(1);
  });

  it('that is added for later does not run before its time, even with a fractional delay', async () => {
    const lane = open(async () => done);
    lane.start();
    const began = performance.now();
    await Promise.all(ids(20).map((id, i) => queues.addLater(lane.bucket, 'dial', id, 150 + i / 3)));
    await until(
      () => lane.seen.length,
      (count) => count === 20,
    );
    expect(lane.seen[0]!.at - began).toBeGreaterThan(145);
  });
});

describe('a scope’s queues', () => {
  it('are emptied, and accept the same ids again', async () => {
    const lane = open(async () => done);
    const all = ids(1_500);
    await queues.add(lane.bucket, 'dial', all);
    await queues.addLater(lane.bucket, 'dial', randomUUID(), 60_000);
    await queues.add(lane.bucket, 'track', all.slice(0, 3));
    await queues.clear([lane.bucket]);
    expect(await lane.left()).toBe(0);
    expect(await queues.queue(lane.bucket, 'track').getJobCounts('waiting')).toEqual({ waiting: 0 });
    await queues.add(lane.bucket, 'dial', all.slice(0, 40));
    expect(await lane.left()).toBe(40);
    lane.start();
    await until(
      () => lane.seen.length,
      (count) => count === 40,
    );
  });

  it('of a run are separate from those of the background', async () => {
    const bucket = `lane-${randomUUID().slice(0, 8)}`;
    const own = createQueues(engine, randomUUID());
    try {
      await own.add(bucket, 'dial', ids(2));
      await queues.add(bucket, 'dial', ids(3));
      await own.clear([bucket]);
      expect(await queues.queue(bucket, 'dial').getJobCounts('waiting')).toEqual({ waiting: 3 });
    } finally {
      await own.close();
    }
  });
});
