import { mostConnections } from '../../base/postgres/pooler.ts';
import { type Database, openDatabase } from '../database.ts';
import { type Applied, foreignLayout, functionsDigest, migrations, pendingOf } from '../schema.ts';

/** Reads a ledger without opening it for work: it migrates and changes nothing. */
type LedgerFacts = {
  /** As the server reports it, such as `16.3`. */
  version: string;
  number: number;
  /** A standby cannot be written to. */
  standby: boolean;
  /** How far the server's clock runs ahead of this machine's, in milliseconds. */
  aheadMs: number;
  /** Migrations of this version of Carillon that the ledger lacks, and `functions` when its functions differ. */
  pending: string[];
  /** Whether nothing was ever created there. */
  empty: boolean;
  /** Settings that may make it lose data, or refuse connections; each is one line with what to do. */
  findings: string[];
};

type Server = {
  version: string;
  number: number;
  standby: boolean;
  now: number;
  fsync: string;
  fullPageWrites: string;
  standbys: number;
  maxConnections: number;
  free: number;
};

export async function inspectLedger(url: string, now: () => number): Promise<LedgerFacts> {
  const db = openDatabase(url, { max: 1 });
  try {
    await db.ping();
    const before = now();
    const [server]: Server[] = await db.query('server/server');
    const here = (before + now()) / 2;
    const { version, number, standby } = server!;
    const { applied, pending, functions } = await readLaid(db);
    return {
      version,
      number,
      standby,
      aheadMs: Math.round(server!.now - here),
      pending: [
        ...pending.map((migration) => migration.name),
        ...(functions === functionsDigest ? [] : ['functions']),
      ],
      empty: applied.length === 0,
      findings: findingsOf(server!),
    };
  } finally {
    await db.close();
  }
}

/** What the server's settings put at risk, for a process that starts on it. */
export async function serverOf(db: Database): Promise<{ version: string; findings: string[] }> {
  const [server]: Server[] = await db.query('server/server');
  return { version: server!.version, findings: findingsOf(server!) };
}

function findingsOf({ fsync, fullPageWrites, standbys, maxConnections, free }: Server): string[] {
  const found: string[] = [];
  const forgets = 'and may lose the record of calls in a crash: those people would be called again';
  if (fsync !== 'on') found.push(`Postgres runs with fsync off, ${forgets}. Turn fsync on.`);
  if (fullPageWrites !== 'on') {
    found.push(`Postgres runs with full_page_writes off, ${forgets}. Turn full_page_writes on.`);
  }
  if (standbys > 0) {
    found.push(
      'Postgres has an asynchronous standby, which may lack the record of calls after a failover: those people would be called again. Name it in synchronous_standby_names, or pause every campaign before a failover.',
    );
  }
  if (free < mostConnections) {
    found.push(
      `Postgres has ${Math.max(0, free)} of ${maxConnections} connections left, and a Carillon process uses up to ${mostConnections}. Raise max_connections, or run fewer processes on it.`,
    );
  }
  return found;
}

/** Whether the schema is exactly what this version creates: then there is nothing to do or to wait for. */
export async function isCurrent(db: Database): Promise<boolean> {
  const { pending, functions } = await readLaid(db);
  return pending.length === 0 && functions === functionsDigest;
}

type Laid = { functions: string | null; laid: boolean; ours: boolean };

async function readLaid(db: Database) {
  const [found]: Laid[] = await db.query('server/laid');
  const { functions, laid, ours } = found!;
  if (laid && !ours) throw foreignLayout();
  const applied: Applied[] = ours ? await db.query('server/migrations') : [];
  return { functions, applied, pending: applied.length > 0 ? pendingOf(applied) : [...migrations] };
}
