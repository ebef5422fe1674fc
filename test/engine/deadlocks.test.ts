import { expect, test } from 'vitest';
import { pollTogether } from '../../bench/measure/deadlocks.ts';
import { createLog } from '../../src/base/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { freshDatabase } from '../support/postgres.ts';
import { databaseForEach } from './database-for-each.ts';

/** Several processes on one queue in Postgres. */
const database = databaseForEach(freshDatabase);
const { opened, connect } = database;

async function open(): Promise<Engine> {
  const engine = await createEngine({ databaseUrl: database.url, log: createLog('silent') });
  opened.push(engine);
  return engine;
}

test('a claim passes over a delayed job that another process holds, and takes the others', async () => {
  const engine = await open();
  const queue = engine.newQueue<{ n: number }>('jobs');
  opened.push(queue);
  await queue.addBulk(
    ['a', 'b', 'c'].map((id, n) => ({ name: 'job', data: { n }, opts: { jobId: id, delay: 1 } })),
  );
  const other = await connect();
  await other.query('begin');
  await other.query("select id from job where id = 'b' for update");
  const ran: string[] = [];
  const two = new Promise<void>((resolve) => {
    engine.newWorker<{ n: number }>('jobs', async (job) => void (ran.push(job.id!) === 2 && resolve()), {
      concurrency: 1,
    });
  });
  await two;
  expect(ran.sort()).toEqual(['a', 'c']);
  await other.query('rollback');
  const gone = async () => (await other.query("select 1 from job where id = 'b'")).rows.length === 0;
  await expect.poll(gone).toBe(true);
});

test('a statement that lost a deadlock is run again, and counted', async () => {
  const engine = await open();
  const queue = engine.newQueue<{ n: number }>('jobs');
  opened.push(queue);
  const other = await connect();
  // The queue's statement finds the deadlock first.
  await other.query("set deadlock_timeout = '1min'");
  const watcher = await connect();
  const insert = (id: string) =>
    other.query(
      `insert into job (queue, id, seq, name, state, added_at_ms) values ('jobs', $1, 0, 'job', 'waiting', 0)`,
      [id],
    );
  await other.query('begin');
  await insert('b');
  const added = queue.addBulk(['a', 'b'].map((id, n) => ({ name: 'job', data: { n }, opts: { jobId: id } })));
  const waits = async () =>
    (
      await watcher.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
    ).rows.length;
  await expect.poll(waits, { interval: 20 }).toBeGreaterThan(0);
  await insert('a');
  await other.query('commit');
  await added;
  expect(engine.deadlocks()).toBe(1);
  expect(await queue.getJobCountByTypes('wait')).toBe(2);
});

test('three processes that put many jobs off at once have no deadlock, and finish all', async () => {
  const figures = await pollTogether(
    database.url,
    { jobs: 300, workers: 3, hops: 2, concurrency: 20, delay: 200, seconds: 240 },
    new AbortController().signal,
  );
  expect(figures).toMatchObject({ unfinished: 0, deadlocks: 0 });
});
