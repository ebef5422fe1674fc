import pg from 'pg';
import { expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createListener } from '../../src/base/postgres/listener.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { databaseForEach } from './database-for-each.ts';

const database = databaseForEach(emptyDatabase);
const { opened } = database;

async function open(databaseUrl = database.url): Promise<Engine> {
  const engine = await createEngine({ databaseUrl, log: createLog('silent') });
  opened.push(engine);
  return engine;
}

async function query<R extends object>(sql: string, url = database.maintenanceUrl): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('an unreachable Postgres is reported with a remedy and without the password', async () => {
  const url = new URL(database.url);
  url.searchParams.delete('host');
  url.port = '1';
  const refused = await open(url.href).catch((error) => error);
  expect(refused).toMatchObject({
    code: 'queue-unreachable',
    remedy: expect.stringContaining('DATABASE_URL'),
  });
  expect(refused.message).not.toContain(url.password);
  expect(refused.message + refused.remedy).not.toMatch(/redis/i);
});

test('many processes on an empty database create its tables once', async () => {
  const engines = await Promise.all(Array.from({ length: 6 }, () => open()));
  await Promise.all(engines.map((engine) => engine.bucket.take('main', 1, 0, { rate: 1, burst: 1 })));
  expect(await query(`SELECT count(*)::int AS n FROM carillon_engine.bucket`)).toEqual([{ n: 1 }]);
});

test('a listener that is closed while it still connects ends, and is not waited for', async () => {
  const complaints: Error[] = [];
  await createListener({ url: database.url, complain: (error) => complaints.push(error) }).close();
  expect(complaints).toEqual([]);
});

test('all tables are in schemas of our own', async () => {
  await open();
  const schemas = await query<{ name: string }>(
    `SELECT DISTINCT schemaname AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
      ORDER BY 1`,
  );
  expect(schemas.map(({ name }) => name)).toEqual(['carillon_engine', 'carillon_queue']);
});

test('a role without the right to create can use existing tables', async () => {
  await (await open()).close();
  const role = `role_${new URL(database.url).pathname.slice(-12)}`;
  const schemas = 'carillon_engine, carillon_queue';
  await query(`CREATE ROLE ${role} LOGIN PASSWORD 'x';
    GRANT USAGE ON SCHEMA ${schemas} TO ${role};
    GRANT ALL ON ALL TABLES IN SCHEMA ${schemas} TO ${role};
    GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schemas} TO ${role}`);
  try {
    const url = new URL(database.url);
    url.username = role;
    url.password = 'x';
    const engine = await open(url.href);
    await engine.bucket.setRate('main', { rate: 1, burst: 1 });
    const queue = engine.newQueue<{ n: number }>('jobs');
    // Without our own id BullMQ would create a sequence for the queue.
    await queue.add('job', { n: 1 }, { jobId: 'attempt-1' });
    await queue.close();
    await engine.close();
  } finally {
    await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('options in the URL are kept', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c application_name=theirs');
  const engine = await open(url.href);
  const queue = engine.newQueue<{ n: number }>('jobs');
  await queue.add('job', { n: 1 });
  expect(await queue.getJobCountByTypes('wait')).toBe(1);
  await queue.close();
});

/** Starts a worker on each of `count` queues, with one job each; resolves when all have run. */
async function runOnEach(engine: Engine, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => `lane-${i}`);
  const queues = names.map((name) => engine.newQueue<{ n: number }>(name));
  let ran = 0;
  const all = new Promise<void>((resolve) => {
    for (const name of names) {
      engine.newWorker(
        name,
        async () => {
          if (++ran === names.length) resolve();
        },
        { concurrency: 2 },
      );
    }
  });
  await Promise.all(queues.map((queue) => queue.add('job', { n: 1 })));
  await all;
  await Promise.all(queues.map((queue) => queue.close()));
}

test('two hundred workers share a dozen connections, and one of them listens for all', async () => {
  const engine = await open();
  await runOnEach(engine, 200);
  const connections = await query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  expect(connections[0]!.n).toBeLessThanOrEqual(11);
});

test('workers learn of a job at once, though they share one listening connection', async () => {
  const engine = await open();
  const queue = engine.newQueue<{ n: number }>('jobs');
  const seen: number[] = [];
  const worker = engine.newWorker<{ n: number }>('jobs', async (job) => void seen.push(job.data.n), {
    concurrency: 1,
  });
  const drain = () => new Promise<void>((resolve) => worker.once('drained', () => resolve()));
  let drained = drain();
  for (let n = 0; n < 5; n++) {
    // It waits, and nothing else would wake it within five seconds.
    await drained;
    const done = new Promise((resolve) => worker.once('completed', resolve));
    drained = drain();
    await queue.add('job', { n });
    await done;
  }
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  await queue.close();
});

test('a server without a free connection is tried again later, not all the time', async () => {
  const role = `crowded_${new URL(database.url).pathname.slice(-12)}`;
  await open();
  await query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA carillon_queue, carillon_engine TO ${role};
    GRANT ALL ON ALL TABLES IN SCHEMA carillon_queue, carillon_engine TO ${role};
    GRANT ALL ON ALL SEQUENCES IN SCHEMA carillon_queue, carillon_engine TO ${role}`);
  try {
    const url = new URL(database.url);
    url.username = role;
    url.password = 'x';
    const engine = await open(url.href);
    let errors = 0;
    const ran = new Promise<void>((resolve) => {
      for (let i = 0; i < 50; i++) {
        const worker = engine.newWorker(`lane-${i}`, async () => resolve(), { concurrency: 5 });
        worker.on('error', () => errors++);
      }
    });
    await query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
    const before = errors;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // Fifty workers, each with a pause that grows from a fifth of a second.
    expect(errors - before).toBeLessThan(50 * 8);
    await query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    const queue = (await open()).newQueue('lane-7');
    await queue.add('job', {});
    await ran;
    await queue.close();
    await engine.close();
  } finally {
    await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('knowledge about a lane is in a table that survives a crash, its tokens in one that may not', async () => {
  await open();
  expect(
    await query(`SELECT relname AS name, relpersistence AS kind FROM pg_class
                  WHERE relnamespace = 'carillon_engine'::regnamespace AND relkind = 'r' ORDER BY 1`),
  ).toEqual([
    { name: 'bucket', kind: 'u' },
    { name: 'memory', kind: 'p' },
  ]);
});

test('closing ends when Postgres no longer answers', async () => {
  const proxy = await startDatabaseProxy(database.url);
  opened.push(proxy);
  const engine = await createEngine({ databaseUrl: proxy.url, log: createLog('silent') });
  engine.newWorker('jobs', async () => {}, { concurrency: 1 });
  await engine.ping();
  proxy.freeze();
  void engine.ping().catch(() => {});
  await engine.close();
});
