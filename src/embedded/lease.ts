import type pg from 'pg';
import { Client } from '../base/postgres/client.ts';

/**
 * Every process that uses the embedded server holds a shared lock in it, on a connection of its own. The process that
 * can take the lock exclusively is the last one, and stops the server. A killed process loses its lock by itself.
 */
export type Lease = {
  /** Releases the lock; true when no other process holds it. The starters' lock keeps new ones out meanwhile. */
  leave(): Promise<boolean>;
  end(): Promise<void>;
};

/** Two numbers that no other lock of ours uses: the letters CARI, and 1 for "in use". */
const lock = '1128354377, 1';

export async function takeLease(url: string, onLost: () => void): Promise<Lease> {
  const client = await connect(url);
  let leaving = false;
  let lost = false;
  client.on('error', () => {});
  client.on('end', () => {
    lost = true;
    if (!leaving) onLost();
  });
  await client.query(`SELECT pg_advisory_lock_shared(${lock})`);
  return {
    async leave() {
      leaving = true;
      if (lost) return false;
      try {
        await client.query(`SELECT pg_advisory_unlock_shared(${lock})`);
        return await takeExclusively(client);
      } catch {
        return false;
      }
    },
    async end() {
      leaving = true;
      await client.end().catch(() => {});
    },
  };
}

/** Whether no process uses the server at this moment. */
export async function isUnused(url: string): Promise<boolean> {
  const client = await connect(url);
  try {
    return await takeExclusively(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether the server at the URL accepts our password and serves this directory. */
export async function answers(url: string, dataDir: string): Promise<boolean> {
  let client: pg.Client | undefined;
  try {
    client = await connect(url);
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory === dataDir;
  } catch {
    return false;
  } finally {
    await client?.end().catch(() => {});
  }
}

async function takeExclusively(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS taken`);
  return rows[0]?.taken ?? false;
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'carillon',
    // The superuser must not run what the ledger's role made under a name of the server's own, or set for its database.
    options: '-c search_path=pg_catalog',
  });
  // A lost connection emits an error event, which without a listener would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}
