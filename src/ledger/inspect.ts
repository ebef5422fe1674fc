import { type Database, openDatabase } from './database.ts';
import { migrationNames } from './migrations.ts';

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
    const known = migrated ? await readDone(db) : new Set<string>();
    return {
      version,
      number,
      standby,
      aheadMs: Math.round(server!.now - here),
      pending: migrationNames().filter((name) => !known.has(name)),
      empty: known.size === 0,
    };
  } finally {
    await db.close();
  }
}

/** Whether the schema is just what this version lays: then there is nothing to migrate, and nothing to wait for. */
export async function isCurrent(db: Database): Promise<boolean> {
  const [server] = await db.query<Server>('server');
  if (!server!.migrated) return false;
  const [done, names] = [await readDone(db), migrationNames()];
  return done.size === names.length && names.every((name) => done.has(name));
}

async function readDone(db: Database): Promise<Set<string>> {
  return new Set((await db.query<{ name: string }>('migrations_done')).map((row) => row.name));
}
