import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { startEmbedded } from '../../src/embedded/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrls: string[];
  }
}

export type TestPostgres = { url: string; stop(): Promise<void> };

/** A server of a test run, started before the first file and stopped after the last: one for each worker. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const home = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const embedded = await startEmbedded({ home });
  return {
    url: embedded.url,
    async stop() {
      await embedded.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A new, empty database for one test on its worker's server: together they would need more connections than one has. */
export async function freshDatabase(): Promise<TestDatabase> {
  const servers = inject('postgresUrls');
  const server = servers[(Number(process.env.VITEST_POOL_ID) || 0) % servers.length]!;
  const name = `test_${randomBytes(6).toString('hex')}`;
  await order(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => order(server, `DROP DATABASE ${name} WITH (FORCE)`) };
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
