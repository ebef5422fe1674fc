// The store of bare BullMQ's queues: a Redis, or its own schema in Postgres.
import { createRedisBackend, PostgresConnection, PostgresQueueBackend, runMigrations } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

/** `options` are those of a Postgres session, besides the schema. */
export function openStore(engine, storeUrl, schema, options = '') {
  return engine === 'redis' ? openRedis(storeUrl) : openPostgres(storeUrl, schema, options);
}

function openRedis(storeUrl) {
  const redis = new Redis(storeUrl, { maxRetriesPerRequest: null });
  return { connection: redis, backend: createRedisBackend, close: () => redis.quit() };
}

async function openPostgres(storeUrl, schema, options) {
  const url = new URL(storeUrl);
  url.searchParams.set('options', `-c search_path=${schema} ${options}`.trim());
  const pool = new pg.Pool({ connectionString: url.href, max: 12 });
  pool.on('error', () => undefined);
  const client = await pool.connect();
  await runMigrations(client, schema);
  client.release();
  const open = (name, settings, wanted = {}) => {
    const own = Object.assign(new PostgresConnection(settings.connection), { schema });
    const listener = wanted.withBlockingConnection ? name : undefined;
    return new PostgresQueueBackend(own, name, settings, true, listener);
  };
  return { connection: pool, backend: open, close: () => pool.end() };
}
