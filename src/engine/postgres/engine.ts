import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  Queue,
  runMigrations,
  SchemaMigrationRequiredError,
  Worker,
} from 'bullmq';
import type pg from 'pg';
import { systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Client } from '../../base/postgres/client.ts';
import { createDeadlocks } from '../../base/postgres/deadlock.ts';
import { createListener, type Listener } from '../../base/postgres/listener.ts';
import { openPool } from '../../base/postgres/pool.ts';
import {
  createComplaint,
  type Engine,
  endsWithin,
  type JobState,
  jobDefaults,
  type QueuedJob,
  queueUnreachable,
  workerDefaults,
} from '../contract.ts';
import { createBackends } from './backend.ts';
import { createPostgresBucket } from './bucket.ts';
import { createTimes } from './times.ts';

const schema = 'carillon_queue';
const textOf = (name: string) => readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8');

/**
 * BullMQ's statements name their tables and functions without the schema. The queue can be rebuilt from the ledger, so
 * its commits need not wait for the disk. This matters much, because Postgres lets notifying commits through one at a
 * time.
 */
const settings = { search_path: schema, synchronous_commit: 'off' };

/** The bucket, the steps of jobs, and what we change in BullMQ. It is sent as one text: all of it takes effect, or none. */
const ours = ['take', 'jobs', 'bullmq'].map(textOf).join('');
const statesText = textOf('states');
const nextDueText = textOf('next-due');
/** The comment of our schema; a new version of BullMQ's schema is changed again. */
const mark = createHash('sha1').update(`${LATEST_SCHEMA_VERSION}${ours}`).digest('hex');

/** The engine without Redis: BullMQ and the bucket in the ledger's Postgres. */
export async function createPostgresEngine(options: {
  url: string;
  log: Log;
  aheadMs: () => number;
  /** The process's listener; without it the engine has its own. */
  listener?: Listener | undefined;
}): Promise<Engine> {
  const { url, log, aheadMs } = options;
  const complain = createComplaint(log, 'the queue in Postgres');
  await reached(install(url));
  const pool = openPool({ url, max: 10, limitMs: 10_000, settings, onLost: complain });
  const own = options.listener ? null : createListener({ url, complain });
  const listener = options.listener ?? own!;
  const deadlocks = createDeadlocks('queue', log);
  const now = () => systemClock.now() - aheadMs();
  const openBackend = createBackends({
    schema,
    pool,
    listener,
    deadlocks,
    times: createTimes(aheadMs),
    now,
  });
  const workers = new Set<Worker>();

  return {
    kind: 'postgres',
    name: 'queue in postgres',
    bucket: createPostgresBucket(pool),
    deadlocks: deadlocks.count,
    now,
    join: async () => undefined,
    newQueue(name) {
      const queue = new Queue(name, { connection: pool, defaultJobOptions: jobDefaults }, openBackend);
      queue.on('error', complain);
      return queue as never;
    },
    newWorker(name, processor, settings) {
      const worker = new Worker(
        name,
        processor as never,
        { connection: pool, ...workerDefaults(settings) },
        openBackend,
      );
      worker.on('error', complain);
      workers.add(worker as never);
      worker.once('closed', () => workers.delete(worker as never));
      return worker as never;
    },
    jobStates: (jobs) => reached(statesOf(pool, jobs)),
    async nextDue(queue) {
      const { rows } = await pool.query<{ due: string | null }>(nextDueText, [queue]);
      const due = rows[0]?.due ?? null;
      return due === null ? null : new Date(Number(due));
    },
    ping: async () => void (await reached(pool.query('SELECT 1'))),
    findings: () => reached(inspect(pool)),
    async close() {
      const ending = [...workers].map(async (worker) => {
        const closing = worker.close(true);
        // Forcing does not wake a worker that waits for a notification; its timer would keep the process alive.
        await worker.getBackend().disconnectBlocking();
        await closing;
      });
      await endsWithin(Promise.all(ending), 2_000);
      await endsWithin(Promise.all([own?.close(), pool.end()]), 2_000);
    },
  };
}

/**
 * Several processes may start at once, and one that finds everything installed needs no right to create. The lock
 * belongs to the session, not to a transaction: an older transaction may not see what the lock's holder created.
 */
async function install(url: string): Promise<void> {
  // It has a connection of its own: waiting for another process's install must not look like a lost connection.
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 120_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (await isInstalled(client)) return;
    await client.query(`SELECT pg_advisory_lock(hashtext('carillon_engine'))`);
    try {
      if (await isInstalled(client)) return;
      if ((await installedVersion(client)) < LATEST_SCHEMA_VERSION) await runMigrations(client, schema);
      await client.query(`${ours}; COMMENT ON SCHEMA carillon_engine IS '${mark}'`);
    } finally {
      await client.query(`SELECT pg_advisory_unlock(hashtext('carillon_engine'))`).catch(() => {});
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function isInstalled(client: pg.Client): Promise<boolean> {
  if ((await installedVersion(client)) < LATEST_SCHEMA_VERSION) return false;
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT obj_description(to_regnamespace('carillon_engine'), 'pg_namespace') AS mark`,
  );
  return rows[0]?.mark === mark;
}

async function installedVersion(client: pg.Client): Promise<number> {
  try {
    return await assertSchemaCompatibility(client, schema);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
}

const reached = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw queueUnreachable('postgres', error);
  });

async function statesOf(pool: pg.Pool, jobs: readonly QueuedJob[]): Promise<JobState[]> {
  const states: JobState[] = Array(jobs.length).fill('none');
  if (jobs.length === 0) return states;
  const values = [jobs.map(({ queue }) => queue), jobs.map(({ id }) => id)];
  const { rows } = await pool.query<{ nth: number; state: string }>(statesText, values);
  for (const { nth, state } of rows)
    if (state === 'active' || state === 'delayed' || state === 'waiting') states[nth] = state;
  return states;
}

async function inspect(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ version: string; standby: boolean }>(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby`,
  );
  const { version, standby } = rows[0]!;
  const found: string[] = [];
  if (Number.parseInt(version, 10) < 14) {
    found.push(`Postgres ${version} is too old: upgrade it to 14 or newer.`);
  }
  if (standby) found.push('DATABASE_URL points at a read-only standby: point it at the primary.');
  return found;
}
