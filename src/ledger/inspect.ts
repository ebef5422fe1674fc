import { readdirSync } from 'node:fs';
import { openDatabase } from './database.ts';

/** Looks at a ledger without opening it for work: nothing is migrated, nothing is changed. */
export type LedgerFacts = {
  /** As the server says it, such as `16.3`. */
  version: string;
  number: number;
  /** A standby cannot be written to. */
  standby: boolean;
  /** How far the server's clock runs ahead of this machine's, in milliseconds. */
  aheadMs: number;
  /** Migrations that this version of Carillon has and the ledger has not. */
  pending: string[];
  /** Nothing was ever laid there. */
  empty: boolean;
};

type Server = { version: string; number: number; standby: boolean; now: number; migrated: boolean };

export async function inspectLedger(url: string, now: () => number): Promise<LedgerFacts> {
  const db = openDatabase(url, { max: 1 });
  try {
    await db.ping();
    const before = now();
    const [server] = await db.query<Server>('server');
    const here = (before + now()) / 2;
    const { version, number, standby, migrated } = server!;
    const done = migrated ? await db.query<{ name: string }>('migrations_done') : [];
    const known = new Set(done.map((row) => row.name));
    return {
      version,
      number,
      standby,
      aheadMs: Math.round(server!.now - here),
      pending: migrationNames().filter((name) => !known.has(name)),
      empty: done.length === 0,
    };
  } finally {
    await db.close();
  }
}

function migrationNames(): string[] {
  return readdirSync(new URL('./migrations/', import.meta.url))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -4))
    .sort();
}
