import pg from 'pg';
import { freshDatabase } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';
import { engineContract } from './engine.ts';

engineContract('postgres', async () => {
  const database = await freshDatabase();
  const url = new URL(database.url);
  const proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  return {
    settings: { databaseUrl: url.href },
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
      await database.drop();
    },
  };
});
