import { DelayedError, type Job, Queue, Worker } from 'bullmq';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createDeadlocks } from '../../src/base/postgres/deadlock.ts';
import { createListener } from '../../src/base/postgres/listener.ts';
import { openPool } from '../../src/base/postgres/pool.ts';
import { jobDefaults, workerDefaults } from '../../src/engine/contract.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createBackends } from '../../src/engine/postgres/backend.ts';
import { createTimes } from '../../src/engine/postgres/times.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { databaseForEach } from './database-for-each.ts';

/** Workers of one process finish and claim jobs together. */
const database = databaseForEach(freshDatabase);
const { opened, connect } = database;

const jobs = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: 'job',
    data: {},
    opts: { jobId: String(n).padStart(3, '0') },
  }));

/** Several jobs that end at the same moment. */
function gate(count: number) {
  let open = () => {};
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  const ran: string[] = [];
  let full = () => {};
  const all = new Promise<void>((resolve) => {
    full = resolve;
  });
  const processor = async ({ id }: { id?: string | undefined }) => {
    if (ran.push(id!) === count) full();
    if (ran.length <= count) await opens;
  };
  return { processor, ran, all, open };
}

/** The backend on a pool that notes each statement; the workers of two lanes. */
async function watched() {
  const sent: string[] = [];
  const pool = openPool({
    url: database.url,
    max: 10,
    limitMs: 10_000,
    settings: { search_path: 'carillon_queue' },
  });
  const seen = Object.create(pool, {
    query: {
      value: (first: string | { text: string }, values?: unknown[]) => {
        sent.push(typeof first === 'string' ? first : first.text);
        return pool.query(first as string, values);
      },
    },
  }) as pg.Pool;
  const listener = createListener({ url: database.url, complain: () => undefined });
  opened.push({ close: () => Promise.all([listener.close(), pool.end()]) });
  const openBackend = createBackends({
    schema: 'carillon_queue',
    pool: seen,
    listener,
    deadlocks: createDeadlocks('queue'),
    times: createTimes(() => 0),
    now: Date.now,
  });
  const own = <T extends { close(): Promise<unknown> }>(part: T): T => {
    opened.push(part);
    return part;
  };
  return {
    count: (name: string) => sent.filter((text) => new RegExp(`\\b${name}\\(\\s*\\$1`).test(text)).length,
    newQueue: (name: string) =>
      own(new Queue(name, { connection: pool, defaultJobOptions: jobDefaults }, openBackend)),
    newWorker: (name: string, processor: (job: Job) => Promise<void>) =>
      own(
        new Worker(
          name,
          processor,
          { connection: pool, ...workerDefaults({ concurrency: 20 }) },
          openBackend,
        ),
      ),
  };
}

test('jobs of several lanes that end together are finished in few statements, and each worker has its next job', async () => {
  const { newQueue, newWorker, count } = await watched();
  const { processor, ran, all, open } = gate(40);
  const lanes = ['first', 'second'];
  for (const lane of lanes) await newQueue(lane).addBulk(jobs(40));
  for (const lane of lanes) newWorker(lane, (job) => processor({ id: `${lane} ${job.id}` }));
  await all;
  const before = count('next_jobs');
  open();
  const ledger = await connect();
  const left = async () => (await ledger.query('select 1 from job')).rows.length;
  await expect.poll(left).toBe(0);
  expect(ran.toSorted()).toEqual(
    lanes.flatMap((lane) => jobs(40).map(({ opts }) => `${lane} ${opts.jobId}`)),
  );
  expect(count('next_jobs') - before).toBeLessThan(40);
  expect(count('move_to_completed_fetch')).toBe(0);
});

test('a worker that waits asks little: each job is added, claimed and ended, and no question is asked twice', async () => {
  const { newQueue, newWorker, count } = await watched();
  const queue = newQueue('lane');
  const ended: string[] = [];
  newWorker('lane', async ({ id }) => void ended.push(id!));
  // One that is due much later: a waiting worker knows it, and the jobs before it still come at once.
  await queue.add('job', {}, { jobId: 'later', delay: 600_000 });
  const single = async (n: number) => {
    await queue.add('job', {}, { jobId: `single-${n}` });
    await expect.poll(() => ended.length).toBe(n + 1);
  };
  await single(0);
  const before = ['next_signal', 'next_delay', 'next_jobs'].map(count);
  for (let n = 1; n <= 20; n++) await single(n);
  const [signals, delays, claims] = ['next_signal', 'next_delay', 'next_jobs'].map(
    (name, nth) => count(name) - before[nth]!,
  );
  // A claim that takes a job also tells that none is left, and when the next is due: unknown, each job costs four questions.
  // Of a job that is noticed twice, as on a busy machine, a second claim finds nothing.
  expect(claims! + signals! + delays!).toBeLessThanOrEqual(60);
  expect(signals! + delays!).toBeLessThanOrEqual(15);
  // Other processes' jobs are noticed too.
  const other = (await watched()).newQueue('lane');
  await other.addBulk([{ name: 'job', data: {}, opts: { jobId: 'foreign', delay: 300 } }]);
  await expect.poll(() => ended.at(-1)).toBe('foreign');
});

test('a job that is put off costs no question, and comes when it is due, before or after those that wait already', async () => {
  const { newQueue, newWorker, count } = await watched();
  const queue = newQueue('lane');
  const begun: string[] = [];
  const delays = new Map<string, number>();
  newWorker('lane', async (job) => {
    begun.push(job.id!);
    const delayMs = delays.get(job.id!);
    delays.delete(job.id!);
    if (delayMs === undefined) return;
    await job.moveToDelayed(Date.now() + delayMs, job.token);
    throw new DelayedError();
  });
  const later = (id: string, delay: number) =>
    queue.addBulk([{ name: 'job', data: {}, opts: { jobId: id, delay, timestamp: Date.now() } }]);
  await later('much later', 60_000);
  const before = count('next_jobs');
  const ids = Array.from({ length: 20 }, (_, n) => `off-${n}`);
  for (const [n, id] of ids.entries()) {
    delays.set(id, 300_000);
    await later(id, 500 + 40 * n);
  }
  await expect.poll(() => queue.getDelayedCount()).toBe(21);
  await expect.poll(() => delays.size).toBe(0);
  // One claim each: to put it off, and to add it for later, leaves the answers that are known.
  expect(count('next_jobs') - before).toBeLessThanOrEqual(30);
  delays.set('soon', 200);
  await queue.add('job', {}, { jobId: 'soon' });
  await later('sooner', 600);
  await expect.poll(() => begun.filter((id) => id.startsWith('soon'))).toEqual(['soon', 'soon', 'sooner']);
});

test('a connection that is cut before the answer: what was committed stays, what was claimed is found, no job runs twice', async () => {
  const proxy = await startDatabaseProxy(database.url);
  opened.push(proxy);
  const engine = await createEngine({ databaseUrl: proxy.url, log: createLog('silent') });
  opened.push(engine);
  const queue = (
    await createEngine({ databaseUrl: database.url, log: createLog('silent') }).then((direct) => {
      opened.push(direct);
      return direct;
    })
  ).newQueue('lane');
  opened.push(queue);
  await queue.addBulk(jobs(20));
  const { processor, ran, all, open } = gate(10);
  engine.newWorker('lane', processor, { concurrency: 10, lockMs: 2_000 });
  await all;
  const ledger = await connect();
  proxy.deafen();
  open();
  const first = async () =>
    (await ledger.query(`select 1 from job where id = any($1)`, [ran.slice(0, 10)])).rows.length;
  await expect.poll(first).toBeLessThan(10);
  await proxy.cut();
  await proxy.restore();
  const left = async () => (await ledger.query('select 1 from job')).rows.length;
  await expect.poll(left).toBe(0);
  expect(ran).toHaveLength(new Set(ran).size);
});
