import { runMigrations } from 'bullmq';
import * as fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { runs } from '../support/property.ts';

/** BullMQ's function for several jobs, as it ships, and as we install it: what each leaves behind is the same. */
let database: TestDatabase;
const schemas = ['shipped', 'carillon_queue'] as const;
const clients: pg.Client[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  const engine = await createEngine({ databaseUrl: database.url, log: createLog('silent') });
  await engine.close();
  for (const schema of schemas) {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    clients.push(client);
    if (schema === 'shipped') await runMigrations(client, schema);
    await client.query(`set search_path to ${schema}`);
  }
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await database.drop();
});

const entry = fc.record(
  {
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    name: fc.constantFrom('dial', 'track'),
    data: fc.constantFrom('{"attemptId":"x"}', '{}'),
    opts: fc.constant({ jobId: 'x', attempts: 1 }),
    delay: fc.constantFrom(0, 1, 5_000),
    priority: fc.constantFrom(0, 3),
    timestamp: fc.constantFrom(1_700_000_000_000, 1_700_000_000_500),
    attempts: fc.constantFrom(1, 2),
  },
  { requiredKeys: ['name', 'id'] },
);

async function leftBy(client: pg.Client, queue: string, batches: readonly unknown[][]) {
  const notices: string[] = [];
  const hear = ({ payload }: pg.Notification) => void (payload === queue && notices.push('jobs'));
  client.on('notification', hear);
  await client.query('listen bullmq_jobs');
  const ids: string[][] = [];
  for (const batch of batches) {
    const { rows } = await client.query('select id from add_jobs_bulk($1, $2::jsonb) as t(id)', [
      queue,
      JSON.stringify(batch),
    ]);
    ids.push(rows.map(({ id }) => id));
  }
  const jobs = await client.query(
    `select id, name, state, data, opts, priority, delay_ms, max_attempts, added_at_ms, process_at_ms, scheduler_id,
      pending_deps, seq > 0 as ahead, row_number() over (order by abs(seq)) as nth
     from job where queue = $1 order by abs(seq)`,
    [queue],
  );
  client.off('notification', hear);
  return { left: { ids, jobs: jobs.rows }, notices };
}

test('several jobs are added as BullMQ adds them, with the same ids and order', async () => {
  let n = 0;
  const batches = fc.array(fc.array(entry, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      n += 1;
      const shipped = await leftBy(clients[0]!, `shipped-${n}`, given);
      const ours = await leftBy(clients[1]!, `ours-${n}`, given);
      expect(ours.left).toEqual(shipped.left);
      expect(ours.notices.length).toBeLessThanOrEqual(shipped.notices.length);
    }),
    { numRuns: runs(40) },
  );
});

test('a job that waits is notified of, and of delayed ones the first', async () => {
  const timestamp = Date.now() + 3_600_000;
  const noticesOf = async (before: readonly number[], added: readonly number[]) => {
    const queue = `notices-${before.join('-')}-${added.join('-')}`;
    const entries = (delays: readonly number[], name: string) =>
      delays.map((delay, nth) => ({ name, id: `${name}-${nth}`, delay, timestamp }));
    if (before.length > 0) await leftBy(clients[1]!, queue, [entries(before, 'before')]);
    return (await leftBy(clients[1]!, queue, [entries(added, 'added')])).notices.length;
  };
  expect(await noticesOf([], [0])).toBe(1);
  expect(await noticesOf([], [5_000])).toBe(1);
  expect(await noticesOf([1_000], [5_000, 2_000])).toBe(0);
  expect(await noticesOf([1_000], [5_000, 1_000])).toBe(1);
  expect(await noticesOf([1_000], [500, 7_000])).toBe(1);
  expect(await noticesOf([1_000], [5_000, 0])).toBe(1);
});

test('a queue of ours writes no events, and notifies of none', async () => {
  const engine = await createEngine({ databaseUrl: database.url, log: createLog('silent') });
  const queue = engine.newQueue<{ n: number }>('quiet');
  const notices: string[] = [];
  const hear = ({ channel }: pg.Notification) => void notices.push(channel);
  clients[1]!.on('notification', hear);
  try {
    await clients[1]!.query('listen bullmq_events');
    await clients[1]!.query('listen bullmq_jobs');
    const done = new Promise<void>((resolve) => {
      const worker = engine.newWorker<{ n: number }>(
        'quiet',
        async ({ data }) => {
          if (data.n === 2) resolve();
          return undefined;
        },
        { concurrency: 1 },
      );
      worker.on('error', () => undefined);
    });
    await queue.addBulk([1, 2].map((n) => ({ name: 'job', data: { n }, opts: { delay: n } })));
    await done;
    await clients[1]!.query('select 1');
    const { rows } = await clients[1]!.query("select event from event where queue = 'quiet'");
    expect(rows).toEqual([]);
    expect(new Set(notices)).toEqual(new Set(['bullmq_jobs']));
  } finally {
    clients[1]!.off('notification', hear);
    await clients[1]!.query('unlisten *');
    await queue.close();
    await engine.close();
  }
});

test('a claim of a queue with many jobs waiting costs what one with few costs', async () => {
  const client = clients[1]!;
  const entries = (from: number, count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, nth) => ({ id: `j${from + nth}`, name: 'dial', timestamp: 1 })),
    );
  const claim = () =>
    client.query(
      `select (n.job).id from carillon_engine.next_jobs('{many}', '{null}', '{t}', '{1000}', '{2}', '{w}', '{0}', '{0}') n where (n.job).id is not null`,
    );
  const blocks = async () => {
    const { rows } = await client.query('select pg_stat_get_xact_tuples_fetched($1::regclass) as fetched', [
      'job',
    ]);
    return Number(rows[0].fetched);
  };
  // Plans are made while the table is small, as when a program starts.
  for (let n = 0; n < 10; n++) await claim();
  await client.query("select add_jobs_bulk('many', $1::jsonb)", [entries(0, 2_000)]);
  await client.query('begin');
  try {
    const before = await blocks();
    for (let n = 0; n < 10; n++) expect((await claim()).rows).toEqual([{ id: `j${n}` }]);
    expect((await blocks()) - before).toBeLessThan(200);
  } finally {
    await client.query('rollback');
  }
});

test('jobs are not written to the log of the server', async () => {
  const { rows } = await clients[1]!.query(
    `select relname, relpersistence from pg_class where relnamespace = 'carillon_queue'::regnamespace
     and relkind = 'r' and relname in ('job', 'job_log', 'job_dependency', 'meta') order by 1`,
  );
  expect(rows.map(({ relname, relpersistence }) => `${relname} ${relpersistence}`)).toEqual([
    'job u',
    'job_dependency u',
    'job_log u',
    'meta p',
  ]);
});

test('a process continues when a newer release changes the tables under it', async () => {
  const engine = await createEngine({ databaseUrl: database.url, log: createLog('silent') });
  const queue = engine.newQueue<{ n: number }>('changing');
  try {
    await queue.add('job', { n: 1 }, { jobId: 'a' });
    expect((await queue.getJob('a'))?.data).toEqual({ n: 1 });
    await clients[1]!.query('alter table job add column newer text');
    expect((await queue.getJob('a'))?.data).toEqual({ n: 1 });
  } finally {
    await clients[1]!.query('alter table job drop column newer');
    await queue.close();
    await engine.close();
  }
});
