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
  /** What may make it forget, or refuse, each one line with what to do. */
  findings: string[];
};

type Server = {
  version: string;
  number: number;
  standby: boolean;
  now: number;
  migrated: boolean;
  fsync: string;
  fullPageWrites: string;
  standbys: number;
  maxConnections: number;
  free: number;
};

/** Of one process: those of the ledger, and of a queue that lives in its Postgres. */
const mostConnections = 27;

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
      findings: findingsOf(server!),
    };
  } finally {
    await db.close();
  }
}

/** For those who start on it: what the server's settings put at risk. */
export async function findings(db: Database): Promise<string[]> {
  const [server] = await db.query<Server>('server');
  return findingsOf(server!);
}

function findingsOf({ fsync, fullPageWrites, standbys, maxConnections, free }: Server): string[] {
  const found: string[] = [];
  const forgets = 'and may forget after a crash whom it has called: they would be called again';
  if (fsync !== 'on') found.push(`Postgres runs with fsync off, ${forgets}. Turn fsync on.`);
  if (fullPageWrites !== 'on') {
    found.push(`Postgres runs with full_page_writes off, ${forgets}. Turn full_page_writes on.`);
  }
  if (standbys > 0) {
    found.push(
      'Postgres has an asynchronous standby, which after a failover may not know whom the primary has called: they would be called again. Name it in synchronous_standby_names, or pause every campaign before a failover.',
    );
  }
  if (free < mostConnections) {
    found.push(
      `Postgres has ${Math.max(0, free)} of ${maxConnections} connections left, and a process of Carillon uses up to ${mostConnections}. Raise max_connections, or run fewer processes on it.`,
    );
  }
  return found;
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
