import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { createLog } from '../../src/log.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';

let database: TestDatabase;
const opened: { close(): Promise<unknown> }[] = [];
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
  await database.drop();
});

async function open(databaseUrl = database.url): Promise<Engine> {
  const engine = await createEngine({ databaseUrl, log: createLog('silent') });
  opened.push(engine);
  return engine;
}

async function query<R extends object>(sql: string, url = database.url): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a Postgres that is not there is told, with its remedy and without the password', async () => {
  const url = new URL(database.url);
  url.port = '1';
  const refused = await open(url.href).catch((error) => error);
  expect(refused).toMatchObject({
    code: 'queue-unreachable',
    remedy: expect.stringContaining('DATABASE_URL'),
  });
  expect(refused.message).not.toContain(url.password);
});

test('many processes on an empty database lay its tables once', async () => {
  const engines = await Promise.all(Array.from({ length: 6 }, () => open()));
  await Promise.all(engines.map((engine) => engine.bucket.take('main', 1, 0, { rate: 1, burst: 1 })));
  expect(await query(`SELECT count(*)::int AS n FROM carillon_engine.bucket`)).toEqual([{ n: 1 }]);
});

test('nothing of ours lies in anybody’s way', async () => {
  await open();
  const schemas = await query<{ name: string }>(
    `SELECT DISTINCT schemaname AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
      ORDER BY 1`,
  );
  expect(schemas.map(({ name }) => name)).toEqual(['carillon_engine', 'carillon_queue']);
});

test('a role that may not create anything can use what is there', async () => {
  await (await open()).close();
  const role = `role_${database.url.slice(-12)}`;
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
    // Without an id of ours BullMQ would make a sequence for the queue.
    await queue.add('job', { n: 1 }, { jobId: 'attempt-1' });
    await queue.close();
    await engine.close();
  } finally {
    await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('options that stand in the URL are kept', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c application_name=theirs');
  const engine = await open(url.href);
  const queue = engine.newQueue<{ n: number }>('jobs');
  await queue.add('job', { n: 1 });
  expect(await queue.getJobCountByTypes('wait')).toBe(1);
  await queue.close();
});

test('more workers than the pool has places do not starve it', async () => {
  const engine = await open();
  const names = Array.from({ length: 25 }, (_, i) => `lane-${i}`);
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
});

test('what was learned about a lane lies in a table that outlives a crash, its tokens in one that may not', async () => {
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
  const url = new URL(database.url);
  const proxy = await startProxy(Number(url.port));
  opened.push(proxy);
  url.port = String(proxy.port);
  const engine = await createEngine({ databaseUrl: url.href, log: createLog('silent') });
  engine.newWorker('jobs', async () => {}, { concurrency: 1 });
  await engine.ping();
  proxy.freeze();
  void engine.ping().catch(() => {});
  await engine.close();
});
