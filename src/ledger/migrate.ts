import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import type { Log } from '../base/log.ts';
import { asLedgerError } from './database.ts';

/** Brings the ledger's schema up to date; two processes that start at once wait for each other. */
export async function migrate(url: string, log?: Log): Promise<string[]> {
  // Ours: the runner's own would end the process when the server ends the connection before it has said goodbye.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const done = await runner({
      dbClient: client,
      dir: fileURLToPath(new URL('./migrations', import.meta.url)),
      direction: 'up',
      migrationsTable: 'migrations',
      migrationsSchema: 'carillon',
      createMigrationsSchema: true,
      schema: 'public',
      advisoryLockMode: 'wait',
      checkOrder: true,
      singleTransaction: true,
      verbose: false,
      log: (text: string) => log?.debug(text),
      logger: {
        debug: (text: string) => log?.debug(text),
        info: (text: string) => log?.debug(text),
        warn: (text: string) => log?.debug(text),
        // What fails is thrown as well, and told once.
        error: (text: string) => log?.debug(text),
      },
    });
    return done.map((migration) => migration.name);
  } catch (error) {
    throw asLedgerError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
