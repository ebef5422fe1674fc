import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { isInMemory } from './memory-disk.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresServers: TestServer[];
  }
}

/** Where a server of the tests is: for the role that owns the ledgers, and for the superuser. */
export type TestServer = { url: string; maintenanceUrl: string };

export type TestPostgres = TestServer & { stop(): Promise<void> };

/** KEEP=1: the tests' databases and folders are named and stay, to be looked at; the databases until Ctrl-C. */
export const isKept = () => process.env.KEEP === '1';
export const keep = (whose: string, what: string): void => {
  process.stderr.write(`KEPT ${whose}: ${what}\n`);
};

/** The database from which those of the tests are copied: a ledger and a queue in which nothing has happened yet. */
const laid = 'laid_out';

/** A server of a test run, started before the first file and stopped after the last: one for each worker. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const home = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const embedded = await startEmbedded({ home });
  const { url, maintenanceUrl } = embedded;
  // For tests of what happens when two transactions wait for each other.
  await order(maintenanceUrl, 'GRANT SET ON PARAMETER deadlock_timeout TO carillon_app');
  await createDatabase(embedded, laid, 'template1');
  const address = at(url, laid);
  await migrate(address);
  await (await createEngine({ databaseUrl: address, log: createLog('silent') })).close();
  return {
    url,
    maintenanceUrl,
    async stop() {
      if (isKept()) {
        keep('server, until Ctrl-C', maintenanceUrl);
        await once(process, 'SIGINT');
      }
      await embedded.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** `url` is that of a role that owns the database and may do nothing else, as a user's embedded ledger has it. */
export type TestDatabase = TestServer & { drop(): Promise<void> };

/**
 * A new ledger for one test, laid out, on its worker's server: together they would need more connections than one has.
 * Copied, because to lay it out takes longer than many tests do. It is nobody's copy: it gets ids of its own.
 */
export async function freshDatabase(server?: TestServer): Promise<TestDatabase> {
  const database = await makeDatabase(laid, server);
  await order(
    database.maintenanceUrl,
    `update carillon.ledger set id = gen_random_uuid(), made_at = now();
     update carillon.witnessed set ledger = gen_random_uuid(), epoch = gen_random_uuid(), beat_at = now()`,
  );
  return database;
}

/** A new database with nothing in it, for tests of what lays it out, and of a first start. */
export const emptyDatabase = () => makeDatabase('template1');

function workersServer(): TestServer {
  const servers = inject('postgresServers');
  return servers[(Number(process.env.VITEST_POOL_ID) || 0) % servers.length]!;
}

async function makeDatabase(template: string, server = workersServer()): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name, template);
  return {
    url: at(server.url, name),
    maintenanceUrl: at(server.maintenanceUrl, name),
    drop: async () => {
      if (isKept()) {
        const { currentTestName, testPath } = expect.getState();
        return keep(currentTestName ?? testPath ?? 'a file', at(server.maintenanceUrl, name));
      }
      await order(server.maintenanceUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/**
 * It belongs to the role that the server's URL names. In memory its files are copied for half of what it costs to pass
 * its pages through the log; on a disk each would be synced. In the log, to compress the pages costs most.
 */
async function createDatabase(server: TestServer, name: string, template: string): Promise<void> {
  const { username } = new URL(server.url);
  const strategy = isInMemory(process.env) ? 'file_copy' : 'wal_log';
  await order(
    server.maintenanceUrl,
    'SET wal_compression = off',
    `CREATE DATABASE ${name} OWNER ${username} TEMPLATE ${template} STRATEGY ${strategy}`,
  );
}

const at = (server: string, name: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href;

async function order(server: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
