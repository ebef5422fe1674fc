import pg from 'pg';
import { describe } from 'vitest';
import { canUsePgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { engineContract } from './engine.ts';

async function openBehindProxy(isPooled: boolean) {
  const database = await freshDatabase();
  const pooler = isPooled ? await startPgBouncer(database.url, 'session') : null;
  const proxy = await startDatabaseProxy(pooler?.url ?? database.url);
  return {
    settings: { databaseUrl: proxy.url },
    async forget() {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('TRUNCATE carillon_engine.bucket');
      await client.end();
    },
    cut: proxy.cut,
    restore: proxy.restore,
    async close() {
      await proxy.close();
      await pooler?.stop();
      await database.drop();
    },
  };
}

engineContract('postgres', () => openBehindProxy(false));

describe.runIf(canUsePgBouncer('the queue behind a pooler'))('behind PgBouncer in session mode,', () =>
  engineContract('postgres', () => openBehindProxy(true)),
);
