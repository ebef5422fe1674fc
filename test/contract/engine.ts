import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DelayedError, RateLimitError, type Worker } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createEngine, type Engine, type EngineQueue, type Processor } from '../../src/engine/engine.ts';
import { createQueues } from '../../src/queues/queues.ts';
import { until } from '../support/until.ts';

/** The contract of every engine, run once for each. */
export type Ground = {
  settings: { databaseUrl: string; redisUrl?: string };
  /** Makes the store lose its buckets, as a FLUSHALL or a crash does. */
  forget(): Promise<void>;
  /** Take the server away, and bring it back. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
};

type Data = { n: number };

export function engineContract(name: string, prepare: () => Promise<Ground>): void {
  describe(`the ${name} engine`, () => {
    let ground: Ground;
    let engine: Engine;
    const children = new Set<ChildProcess>();
    const opened: { close(): Promise<unknown> }[] = [];

    beforeAll(async () => {
      ground = await prepare();
      engine = await open();
    });
    afterAll(async () => {
      await engine?.close();
      await ground?.close();
    });
    afterEach(async () => {
      for (const part of opened.splice(0).reverse()) await part.close();
      for (const child of children) child.kill('SIGKILL');
      children.clear();
    });

    const open = () => createEngine({ ...ground.settings, log: createLog('silent') });
    const own = <T extends { close(): Promise<unknown> }>(part: T): T => {
      opened.push(part);
      return part;
    };
    const newQueue = (): EngineQueue<Data> => own(engine.newQueue<Data>(`q-${randomUUID()}`));
    const work = <D extends object = Data>(queue: EngineQueue<D>, processor: Processor<D>, concurrency = 1) =>
      own(engine.newWorker<D>(queue.name, processor, { concurrency }));

    /** Runs the child and hands out its words one by one. */
    function start(what: string, queue: string, more: object = {}) {
      const order = JSON.stringify({ what, queue, ...ground.settings, ...more });
      const script = fileURLToPath(new URL('./child.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', script, order], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.add(child);
      const words = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      return { child, next: async () => (await words.next()).value as string | undefined };
    }

    describe('jobs', () => {
      test('every job runs once', async () => {
        const queue = newQueue();
        await queue.addBulk(Array.from({ length: 200 }, (_, n) => ({ name: 'job', data: { n } })));
        const seen: number[] = [];
        const all = gate();
        const processor: Processor<Data> = async (job) => {
          seen.push(job.data.n);
          if (seen.length === 200) all.open();
        };
        const workers = [work(queue, processor, 10), work(queue, processor, 10)];
        await all.passed;
        await Promise.all(workers.map((worker) => worker.close()));
        expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n));
        expect(await queue.getJobCountByTypes('completed', 'failed', 'wait', 'active', 'delayed')).toBe(0);
      });

      test('the states of many jobs of several queues are told at once, in the order of the question', async () => {
        const [first, second] = [newQueue(), newQueue()];
        const open = gate();
        const begun = gate();
        await first.add('job', { n: 1 }, { jobId: 'held' });
        const worker = work(first, async () => {
          begun.open();
          await open.passed;
        });
        await begun.passed;
        await first.addBulk([
          { name: 'job', data: { n: 2 }, opts: { jobId: 'waits' } },
          { name: 'job', data: { n: 3 }, opts: { jobId: 'later', delay: 600_000 } },
        ]);
        await second.add('job', { n: 4 }, { jobId: 'later' });
        const ask = (queue: EngineQueue<Data>, id: string) => ({ queue: queue.name, id });
        expect(
          await engine.jobStates([
            ask(first, 'later'),
            ask(second, 'later'),
            ask(first, 'held'),
            ask(first, 'gone'),
            ask(first, 'waits'),
            ask(second, 'held'),
          ]),
        ).toEqual(['delayed', 'waiting', 'active', 'none', 'waiting', 'none']);
        expect(await engine.jobStates([])).toEqual([]);
        open.open();
        await worker.close();
      });

      test('a queue tells when its first delayed job is due, also after that was changed', async () => {
        const queue = newQueue();
        expect(await engine.nextDue(queue.name)).toBe(null);
        const timestamp = engine.now();
        const add = (jobId: string, delay: number) => queue.add('job', { n: 1 }, { jobId, delay, timestamp });
        await add('later', 600_000);
        await add('first', 60_000);
        await queue.add('job', { n: 2 });
        expect(await engine.nextDue(queue.name)).toEqual(new Date(timestamp + 60_000));
        const before = engine.now();
        await (await queue.getJob('later'))!.changeDelay(30_000);
        const due = (await engine.nextDue(queue.name))!.getTime() - 30_000;
        expect(due).toBeGreaterThanOrEqual(before - 5);
        expect(due).toBeLessThanOrEqual(engine.now() + 5);
      });

      test('a delayed job runs when it is due, and not before', async () => {
        const queue = newQueue();
        const ran = gate<number>();
        work(queue, async () => ran.open(Date.now()));
        const due = Date.now() + 400;
        await queue.add('later', { n: 1 }, { delay: 400 });
        expect(await ran.passed).toBeGreaterThanOrEqual(due - 5);
      });

      test('a job moved to later comes back and spends no attempt', async () => {
        const queue = newQueue();
        const runs: number[] = [];
        const attempts: number[] = [];
        const done = gate();
        work(queue, async (job, token) => {
          runs.push(Date.now());
          attempts.push(job.attemptsMade);
          if (runs.length === 4) return done.open();
          await job.moveToDelayed(Date.now() + 150, token);
          throw new DelayedError();
        });
        await queue.add('poll', { n: 1 });
        await done.passed;
        expect(attempts).toEqual([0, 0, 0, 0]);
        for (let i = 1; i < runs.length; i++) expect(runs[i]! - runs[i - 1]!).toBeGreaterThanOrEqual(145);
      });

      test('a resting queue hands out no job and spends no attempt', async () => {
        const queue = newQueue();
        const runs: { at: number; attempts: number }[] = [];
        const done = gate();
        let rested = 0;
        work(queue, async (job) => {
          runs.push({ at: Date.now(), attempts: job.attemptsMade });
          if (runs.length === 1) {
            rested = Date.now();
            await queue.rateLimit(700);
            throw new RateLimitError();
          }
          if (runs.length === 4) done.open();
        });
        await queue.addBulk([1, 2, 3].map((n) => ({ name: 'job', data: { n } })));
        await done.passed;
        expect(runs[1]!.at - rested).toBeGreaterThanOrEqual(690);
        expect(runs.map((run) => run.attempts)).toEqual([0, 0, 0, 0]);
      });

      test('a rest that is removed is noticed long before it would have ended', async () => {
        const queue = newQueue();
        const restMs = 60_000;
        const ran = gate<number>();
        let runs = 0;
        const resting = gate();
        work(queue, async () => {
          if (++runs === 1) {
            await queue.rateLimit(restMs);
            resting.open();
            throw new RateLimitError();
          }
          ran.open(Date.now());
        });
        await queue.add('job', { n: 1 });
        await resting.passed;
        const woken = Date.now();
        await queue.removeRateLimitKey();
        expect((await ran.passed) - woken).toBeLessThan(restMs / 2);
      });

      test('a worker that pauses takes nothing until it resumes', async () => {
        const queue = newQueue();
        const seen: number[] = [];
        const ran = gate();
        const worker = work(queue, async (job) => {
          seen.push(job.data.n);
          ran.open();
        });
        await worker.pause();
        await queue.add('job', { n: 1 });
        // Another one runs it, and the next is for the first again.
        const other = work(queue, async (job) => {
          seen.push(-job.data.n);
          ran.open();
        });
        await ran.passed;
        await other.close();
        expect(seen).toEqual([-1]);
        const again = gate();
        worker.once('completed', () => again.open());
        await queue.add('job', { n: 2 });
        await worker.resume();
        await again.passed;
        expect(seen).toEqual([-1, 2]);
      });

      test('processes whose clocks are an hour ahead or behind keep the times of jobs', async () => {
        await Promise.all([3_600_000, -3_600_000].map(keepsTimes));
      });

      async function keepsTimes(offMs: number): Promise<void> {
        const queue = newQueue();
        const stray = start('stray', queue.name, { offMs });
        const heard = async () => (await stray.next())!;
        const timeIn = (line: string) => Number(line.split(' ').at(-1));
        // A job of ours is not taken by it too early,
        const due = Date.now() + 400;
        await queue.add('later', { n: 1 }, { delay: 400, timestamp: engine.now() });
        const took = await heard();
        expect(took).toMatch(/^took 1 /);
        expect(timeIn(took)).toBeGreaterThanOrEqual(due - 5);
        // and what it puts off comes back to us at that time.
        await queue.add('held', { n: 0 }, { jobId: 'held' });
        const from = timeIn(await heard());
        expect(await heard()).toBe('put off');
        const back = gate<number>();
        const finish = gate();
        const worker = work(queue, async () => {
          back.open(Date.now());
          await finish.passed;
        });
        expect(await back.passed).toBeGreaterThanOrEqual(from + 395);
        // It does not take our job for that of a dead worker: it looks twice a second.
        stray.child.stdin!.write('resume\n');
        await queue.add('job', { n: 2 });
        expect(await heard()).toMatch(/^took 2 /);
        await queue.add('job', { n: 3 }, { delay: 1_200 });
        expect(await heard()).toMatch(/^took 3 /);
        expect(await engine.jobStates([{ queue: queue.name, id: 'held' }])).toEqual(['active']);
        const completed = gate();
        worker.once('completed', () => completed.open());
        finish.open();
        await completed.passed;
      }

      /** The queue of a lane's polls, and the id of a call that has no job there. */
      async function tracked() {
        const queues = own(createQueues(engine, null));
        const lane = `lane-${randomUUID()}`;
        await engine.join([lane]);
        return { queues, lane, queue: queues.queue(lane, 'track'), id: randomUUID() };
      }

      test('a job that is wanted sooner runs then, though it is planned in the same moment for an hour later', async () => {
        const { queues, lane, queue, id } = await tracked();
        const { getJob } = queue;
        const looksBeforeThePlan = async (each: string) => {
          queue.getJob = getJob;
          await queues.addLater(lane, 'track', id, 3_600_000);
          return each === id ? undefined : getJob.call(queue, each);
        };
        queue.getJob = looksBeforeThePlan as typeof getJob;
        await queues.sooner(lane, 'track', id, 0);
        expect(await engine.jobStates([{ queue: queue.name, id }])).toEqual(['waiting']);
      });

      test('a job that is wanted sooner runs once, though it has run before one looks whether it waits', async () => {
        const { queues, lane, queue, id } = await tracked();
        work(queue, async (job, token) => {
          await job.moveToDelayed(Date.now() + 3_600_000, token);
          throw new DelayedError();
        });
        const { addBulk } = queue;
        queue.addBulk = async (jobs) => {
          const added = await addBulk.call(queue, jobs);
          await until(
            () => engine.jobStates([{ queue: queue.name, id }]),
            ([state]) => state === 'delayed',
          );
          return added;
        };
        await queues.sooner(lane, 'track', id, 0);
        expect(await engine.jobStates([{ queue: queue.name, id }])).toEqual(['delayed']);
        expect((await queue.getJob(id))!.attemptsStarted).toBe(1);
      });

      test('an id is accepted once while its job waits, and again when the job is done', async () => {
        const queue = newQueue();
        for (let i = 0; i < 3; i++) await queue.add('job', { n: i }, { jobId: 'attempt-1' });
        expect(await queue.getJobCountByTypes('wait')).toBe(1);
        const seen: number[] = [];
        let done = gate();
        const worker = work(queue, async (job) => void seen.push(job.data.n));
        worker.on('completed', () => done.open());
        await done.passed;
        done = gate();
        await queue.add('job', { n: 7 }, { jobId: 'attempt-1' });
        await done.passed;
        expect(seen).toEqual([0, 7]);
      });

      test('a failed job frees its id', async () => {
        const queue = newQueue();
        let done = gate();
        const worker = work(queue, () => Promise.reject(new Error('broken')));
        worker.on('failed', () => done.open());
        await queue.add('job', { n: 1 }, { jobId: 'attempt-1' });
        await done.passed;
        done = gate();
        await queue.add('job', { n: 2 }, { jobId: 'attempt-1' });
        await done.passed;
      });

      test('the job of a killed worker fails as stalled and does not run again', async () => {
        const queue = newQueue();
        await queue.add('job', { n: 1 }, { jobId: 'attempt-1' });
        const { child, next } = start('hang', queue.name);
        expect(await next()).toBe('taken');
        child.kill('SIGKILL');
        await once(child, 'exit');
        let runs = 0;
        const failed = gate<string>();
        const worker = own(
          engine.newWorker<Data>(queue.name, async () => void runs++, { concurrency: 1, lockMs: 500 }),
        );
        (worker as unknown as Worker).on('failed', (_job, error) => failed.open(error.message));
        expect(await failed.passed).toMatch(/stalled/);
        expect(runs).toBe(0);
        expect(await queue.getJob('attempt-1')).toBeFalsy();
      });
    });

    describe('the bucket', () => {
      const lane = () => `lane-${randomUUID()}`;
      const idle = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      /** The time since now, plus a little: a stalled machine may have let that many tokens gather. */
      const stopwatch = () => {
        const began = performance.now();
        return () => performance.now() - began + 5;
      };
      /** A lane with a set pace and a gathered burst. */
      async function ready(rate: number, burst: number): Promise<string> {
        const name = lane();
        await engine.bucket.setRate(name, { rate, burst });
        await idle((burst / rate) * 1_000 + 20);
        return name;
      }

      test('two engines together keep the rate over time', async () => {
        const other = own(await open());
        const pace = { rate: 200, burst: 1 };
        const name = await ready(pace.rate, pace.burst);
        // A token's time is between the request's time plus its delay and the answer's time plus its delay.
        let first = Number.POSITIVE_INFINITY;
        let last = 0;
        let count = 0;
        await Promise.all(
          [engine, engine, other, other].map(async ({ bucket }) => {
            while (count < 200) {
              const asked = performance.now();
              const { delays, waitMs } = await bucket.take(name, 3, 100, pace);
              const answered = performance.now();
              count += delays.length;
              if (delays.length > 0) first = Math.min(first, asked + delays[0]!);
              if (delays.length > 0) last = Math.max(last, answered + delays.at(-1)!);
              await idle(delays.at(-1) ?? waitMs);
            }
          }),
        );
        expect(last - first).toBeGreaterThanOrEqual(((count - 1) / pace.rate) * 1_000 - 5);
      });

      test('two engines together grant each slot once and leave none empty', async () => {
        const other = own(await open());
        const pace = { rate: 50, burst: 1 };
        const name = await ready(pace.rate, pace.burst);
        const passed = stopwatch();
        const takes = await Promise.all(
          [engine, other, engine, other, engine, other].map(async ({ bucket }) => {
            const asked = passed();
            const { delays } = await bucket.take(name, 25, 60_000, pace);
            return { asked, answered: passed(), delays };
          }),
        );
        const gaps = 6 * 25 - 1;
        for (const { delays } of takes) expect(delays).toHaveLength(25);
        const most =
          Math.max(...takes.map(({ answered, delays }) => answered + delays.at(-1)!)) -
          Math.min(...takes.map(({ asked, delays }) => asked + delays[0]!));
        const least =
          Math.max(...takes.map(({ asked, delays }) => asked + delays.at(-1)!)) -
          Math.min(...takes.map(({ answered, delays }) => answered + delays[0]!));
        expect(most).toBeGreaterThanOrEqual(gaps * 20 - 5);
        expect(least).toBeLessThanOrEqual(gaps * 20 + passed());
      });

      test('one take spaces its tokens evenly and stays within the horizon', async () => {
        const name = await ready(1, 1);
        const passed = stopwatch();
        const { delays, waitMs } = await engine.bucket.take(name, 50, 10_000, { rate: 1, burst: 1 });
        expect(delays).toHaveLength(11);
        expect(delays[0]).toBe(0);
        for (let i = 1; i < delays.length; i++) expect(delays[i]! - delays[i - 1]!).toBeCloseTo(1_000, 0);
        expect(delays.at(-1)).toBeLessThanOrEqual(10_000);
        expect(waitMs).toBe(0);
        const next = await engine.bucket.take(name, 1, 0, { rate: 1, burst: 1 });
        expect(next.delays).toEqual([]);
        expect(next.waitMs).toBeGreaterThanOrEqual(11_000 - passed());
        expect(next.waitMs).toBeLessThanOrEqual(11_000);
      });

      test('after idle time a burst is granted at once, then the rate applies', async () => {
        const name = await ready(20, 5);
        const { delays } = await engine.bucket.take(name, 8, 1_000, { rate: 20, burst: 5 });
        expect(delays.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
        expect(delays[5]).toBeCloseTo(50, 1);
        expect(delays[7]).toBeCloseTo(150, 1);
      });

      test('of several rests the longest counts, and no burst follows it', async () => {
        const pace = { rate: 20, burst: 5 };
        const name = await ready(pace.rate, pace.burst);
        const passed = stopwatch();
        await engine.bucket.rest(name, 60_000);
        await engine.bucket.rest(name, 100);
        const blocked = await engine.bucket.take(name, 1, 100, pace);
        expect(blocked.delays).toEqual([]);
        expect(blocked.waitMs).toBeGreaterThanOrEqual(60_000 - passed());
        expect((await engine.bucket.read(name))!.restMs).toBeGreaterThanOrEqual(60_000 - passed());
        const { delays } = await engine.bucket.take(name, 3, 120_000, pace);
        expect(delays[0]).toBeGreaterThanOrEqual(60_000 - passed());
        expect(delays[1]! - delays[0]!).toBeCloseTo(50, 1);
      });

      test('waking a lane ends its rest without a burst', async () => {
        const pace = { rate: 20, burst: 5 };
        const name = await ready(pace.rate, pace.burst);
        await engine.bucket.rest(name, 60_000);
        const passed = stopwatch();
        await engine.bucket.wake(name);
        const { delays } = await engine.bucket.take(name, 3, 1_000, pace);
        expect(delays[0]).toBe(0);
        expect(delays[1]).toBeGreaterThanOrEqual(50 - passed());
        expect((await engine.bucket.read(name))!.restMs).toBe(0);
      });

      test('a lane may rest before it has a pace', async () => {
        const name = lane();
        const passed = stopwatch();
        await engine.bucket.rest(name, 60_000);
        expect(await engine.bucket.read(name)).toBeNull();
        const { waitMs } = await engine.bucket.take(name, 1, 0, { rate: 100, burst: 1 });
        expect(waitMs).toBeGreaterThanOrEqual(60_000 - passed());
      });

      test('a new pace applies at once and multiplies no tokens', async () => {
        const slow = { rate: 1, burst: 3 };
        const name = await ready(20, 3);
        const passed = stopwatch();
        await engine.bucket.take(name, 3, 0, slow);
        // Nothing has gathered; ten times the rate must not turn the time passed into a burst.
        await engine.bucket.setRate(name, { rate: 200, burst: 10 });
        const fast = await engine.bucket.take(name, 5, 1_000, slow);
        expect(fast.delays[4]! - fast.delays[0]!).toBeGreaterThanOrEqual(20 - passed());
        // Future tokens are already granted; the slower gap counts from the last of them.
        await engine.bucket.setRate(name, { rate: 2, burst: 1 });
        const { delays } = await engine.bucket.take(name, 2, 5_000, slow);
        expect(delays[1]! - delays[0]!).toBeCloseTo(500, 1);
        expect(await engine.bucket.read(name)).toMatchObject({ rate: 2, burst: 1 });
      });

      test('a bucket that lost its state starts without a burst', async () => {
        const pace = { rate: 10, burst: 5 };
        const name = await ready(pace.rate, pace.burst);
        await ground.forget();
        const { delays } = await engine.bucket.take(name, 3, 1_000, pace);
        expect(delays[0]).toBeCloseTo(100, 0);
        expect(delays[1]! - delays[0]!).toBeCloseTo(100, 1);
        expect(await engine.bucket.read(name)).toMatchObject(pace);
      });

      test('when two write a lane’s memory at once, one must read again', async () => {
        const name = lane();
        expect(await engine.bucket.readState(name)).toEqual({ version: 0, value: null });
        expect(await engine.bucket.writeState(name, 0, { rate: 2.5, seen: ['a'] })).toBe(true);
        expect(await engine.bucket.writeState(name, 0, { rate: 9 })).toBe(false);
        const { version, value } = await engine.bucket.readState(name);
        expect(value).toEqual({ rate: 2.5, seen: ['a'] });
        const both = [3, 4].map((rate) => engine.bucket.writeState(name, version, { rate }));
        expect((await Promise.all(both)).sort()).toEqual([false, true]);
      });

      test('an impossible pace is refused', async () => {
        await expect(engine.bucket.setRate('lane', { rate: 0, burst: 1 })).rejects.toThrow(RangeError);
        await expect(engine.bucket.take('lane', 1, 0, { rate: 1, burst: 0 })).rejects.toThrow(RangeError);
      });
    });

    describe('the end', () => {
      test('two processes may open an engine at once, and a healthy one has no findings', async () => {
        const [one, two] = await Promise.all([open(), open()]);
        await Promise.all([one.ping(), two.ping()]);
        expect(await one.findings()).toEqual([]);
        await Promise.all([one.close(), two.close()]);
      });

      test('closing leaves nothing running', async () => {
        const { child, next } = start('close', `q-${randomUUID()}`);
        const exited = once(child, 'exit');
        expect(await next()).toBe('ready');
        expect(await next()).toBe('worker closed');
        expect(await next()).toBe('closed');
        expect(await exited).toEqual([0, null]);
      });

      test('closing ends even when the server is gone', async () => {
        const { child, next } = start('close-late', `q-${randomUUID()}`);
        const exited = once(child, 'exit');
        expect(await next()).toBe('ready');
        await ground.cut();
        try {
          child.stdin!.write('now\n');
          expect([await next(), await next()].sort()).toEqual(['closed', 'worker closed']);
          expect(await exited).toEqual([0, null]);
        } finally {
          await ground.restore();
        }
      });

      test('a worker continues when the server is back', async () => {
        const queue = newQueue();
        let ran = gate();
        work(queue, async () => ran.open());
        await queue.add('before', { n: 1 });
        await ran.passed;
        await ground.cut();
        await expect(queue.add('during', { n: 2 })).rejects.toThrow();
        await expect(engine.ping()).rejects.toMatchObject({ code: 'queue-unreachable' });
        ran = gate();
        await ground.restore();
        await eventually(() => queue.add('after', { n: 3 }));
        await ran.passed;
      });
    });
  });
}

/** A promise that a test opens by hand. */
function gate<T = void>(): { passed: Promise<T>; open(value: T): void } {
  let open!: (value: T) => void;
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

async function eventually(work: () => Promise<unknown>): Promise<void> {
  const fault = () =>
    work().then(
      () => null,
      (error: unknown) => String(error),
    );
  await until(fault, (found) => found === null);
}
