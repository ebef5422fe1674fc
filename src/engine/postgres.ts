import {
  assertSchemaCompatibility,
  type BackendFactory,
  LATEST_SCHEMA_VERSION,
  PostgresConnection,
  PostgresQueueBackend,
  Queue,
  runMigrations,
  SchemaMigrationRequiredError,
  Worker,
} from 'bullmq';
import pg from 'pg';
import { CarillonError } from '../errors.ts';
import type { Log } from '../log.ts';
import { createPostgresBucket, hasPostgresBucket, installPostgresBucket } from './bucket-postgres.ts';
import {
  createComplaint,
  type Engine,
  endsWithin,
  jobDefaults,
  streams,
  workerDefaults,
} from './contract.ts';

const schema = 'carillon_queue';

/** The engine for those who have no Redis: BullMQ and the bucket in the ledger's Postgres. */
export async function createPostgresEngine(options: { url: string; log: Log }): Promise<Engine> {
  const complain = createComplaint(options.log, 'the queue in Postgres');
  const pool = new pg.Pool({
    connectionString: withOptions(options.url),
    // For statements; each worker's listening connection comes on top.
    max: 10,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
    application_name: 'carillon',
  });
  pool.setMaxListeners(0);
  pool.on('error', complain);
  const clients = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    clients.add(client);
    // A client in use tells its loss to nobody else, and an unheard error would end the process.
    client.on('error', complain);
  });
  pool.on('remove', (client) => clients.delete(client));
  const workers = new Set<Worker>();

  try {
    await install(pool);
  } catch (error) {
    await pool.end();
    throw unreachable(error);
  }

  return {
    kind: 'postgres',
    name: 'queue in postgres',
    bucket: createPostgresBucket(pool),
    newQueue(name) {
      const queue = new Queue(
        name,
        { connection: pool, streams, defaultJobOptions: jobDefaults },
        openBackend,
      );
      queue.on('error', complain);
      return queue as never;
    },
    newWorker(name, processor, settings) {
      pool.options.max++;
      const worker = new Worker(
        name,
        processor as never,
        { connection: pool, ...workerDefaults(settings) },
        openBackend,
      );
      worker.on('error', complain);
      workers.add(worker as never);
      worker.once('closed', () => {
        pool.options.max--;
        workers.delete(worker as never);
      });
      return worker as never;
    },
    async ping() {
      try {
        await pool.query('SELECT 1');
      } catch (error) {
        throw unreachable(error);
      }
    },
    async findings() {
      try {
        return await inspect(pool);
      } catch (error) {
        throw unreachable(error);
      }
    },
    async close() {
      const ending = [...workers].map(async (worker) => {
        const closing = worker.close(true);
        // Forcing does not wake a worker that waits for a notification; its timer would keep the process alive.
        await worker.getBackend().disconnectBlocking();
        await closing;
      });
      await endsWithin(Promise.all(ending), 2_000);
      const ended = pool.end();
      if (await endsWithin(ended, 2_000)) return;
      // A server that no longer answers says no goodbye: the sockets are closed from here.
      for (const client of clients) socketOf(client)?.destroy();
      await endsWithin(ended, 1_000);
    },
  };
}

/**
 * BullMQ's own factory looks for a pool's tables in a schema of its own name alone; this one says where they are.
 * All queues and workers share the pool, each worker with one connection of it for LISTEN.
 */
const openBackend: BackendFactory<PostgresQueueBackend, pg.Pool> = (name, options, wanted = {}) => {
  const connection = Object.assign(new PostgresConnection(options.connection), { schema });
  const listener = wanted.withBlockingConnection ? name : undefined;
  return new PostgresQueueBackend(connection, name, options, true, listener);
};

/**
 * Several processes may start at once, and one that finds everything in place needs no right to create. The lock
 * is the session's, not a transaction's: a transaction that began before it may not see what its holder made.
 */
async function install(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    if (await isInstalled(client)) return;
    await client.query(`SELECT pg_advisory_lock(hashtext('carillon_engine'))`);
    try {
      if ((await installedVersion(client)) < LATEST_SCHEMA_VERSION) await runMigrations(client, schema);
      if (!(await hasPostgresBucket(client))) await installPostgresBucket(client);
    } finally {
      await client.query(`SELECT pg_advisory_unlock(hashtext('carillon_engine'))`).catch(() => {});
    }
  } finally {
    client.release();
  }
}

async function isInstalled(client: pg.PoolClient): Promise<boolean> {
  return (await installedVersion(client)) >= LATEST_SCHEMA_VERSION && (await hasPostgresBucket(client));
}

async function installedVersion(client: pg.PoolClient): Promise<number> {
  try {
    return await assertSchemaCompatibility(client, schema);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
}

/**
 * The queue is no truth and is rebuilt from the ledger: its commits need not wait for the disk. It matters much,
 * as Postgres lets notifying commits through one by one.
 */
function withOptions(text: string): string {
  const url = new URL(text);
  const own = url.searchParams.get('options');
  const ours = `-c search_path=${schema} -c synchronous_commit=off`;
  url.searchParams.set('options', own ? `${own} ${ours}` : ours);
  return url.href;
}

async function inspect(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ version: string; standby: boolean; fsync: string }>(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
            current_setting('fsync') AS fsync`,
  );
  const { version, standby, fsync } = rows[0]!;
  const found: string[] = [];
  if (Number.parseInt(version, 10) < 14) {
    found.push(`Postgres ${version} is too old: upgrade it to 14 or newer.`);
  }
  if (standby) found.push('DATABASE_URL names a read-only standby: name the primary.');
  if (fsync !== 'on')
    found.push('Postgres runs without fsync and may forget calls in a crash: turn fsync on.');
  return found;
}

function socketOf(client: pg.PoolClient): { destroy(): void } | undefined {
  return (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream;
}

function unreachable(error: unknown): CarillonError {
  const why = (error as Error).message || (error as Error).name;
  return new CarillonError('queue-unreachable', `the queue in Postgres cannot be reached: ${why}`, {
    remedy: 'Check DATABASE_URL; `carillon doctor` tells more.',
    cause: error,
  });
}
