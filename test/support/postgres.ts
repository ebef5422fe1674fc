import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { startEmbedded } from '../../src/embedded/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresServers: TestServer[];
  }
}

/** Where a server of the tests is: for the role that owns the ledgers, and for the superuser. */
export type TestServer = { url: string; maintenanceUrl: string };

export type TestPostgres = TestServer & { stop(): Promise<void> };

/** A server of a test run, started before the first file and stopped after the last: one for each worker. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const home = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const embedded = await startEmbedded({ home });
  // For tests of what happens when two transactions wait for each other.
  await order(embedded.maintenanceUrl, 'GRANT SET ON PARAMETER deadlock_timeout TO carillon_app');
  return {
    url: embedded.url,
    maintenanceUrl: embedded.maintenanceUrl,
    async stop() {
      await embedded.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** `url` is that of a role that owns the database and may do nothing else, as a user's embedded ledger has it. */
export type TestDatabase = TestServer & { drop(): Promise<void> };

/** A new, empty database for one test on its worker's server: together they would need more connections than one has. */
export async function freshDatabase(): Promise<TestDatabase> {
  const servers = inject('postgresServers');
  return makeDatabase(servers[(Number(process.env.VITEST_POOL_ID) || 0) % servers.length]!);
}

/** A new database that belongs to the role that the server's URL names. */
export async function makeDatabase(server: TestServer): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const owner = new URL(server.url).username;
  await order(server.maintenanceUrl, `CREATE DATABASE ${name} OWNER ${owner}`);
  const at = (address: string) => Object.assign(new URL(address), { pathname: `/${name}` }).href;
  return {
    url: at(server.url),
    maintenanceUrl: at(server.maintenanceUrl),
    drop: () => order(server.maintenanceUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

async function order(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
