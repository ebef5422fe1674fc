import { run, some, value } from '../answers.ts';
import type { Database } from '../database.ts';

/** Marks by the name of a key: what distinguishes one key from another, never its secret. */
export type KeyMarks = Readonly<Record<string, { digest: string; rate: string }>>;

/** A key that is not the one in force; `holder` is a process that has that one, null if a person confirmed it. */
export type OtherKey = { key: string; what: 'secret' | 'rate'; holder: string | null };

/** How a process differs from those that dial; `installation` is CARILLON_SECRET, which belongs to no key. */
export type Difference =
  | ({ process: string } & OtherKey)
  | { process: string; key: null; what: 'installation'; holder: string };

/** The processes that work on this ledger, as each reports itself. */
export type ProcessReport = {
  id: string;
  host: string;
  pid: number;
  version: string;
  node: string;
  /** Its tasks: `api`, `run`, or its workers by name. */
  parts: string[];
  queue: 'redis' | 'postgres';
  baseUrl: string;
  keys: KeyMarks;
  /** The mark of its CARILLON_SECRET; null while it has needed none. */
  secret: string | null;
  loops: { name: string; age_ms: number; stuck: boolean }[];
  clockAheadMs: number;
  /** Why it must not dial; null when it may. */
  trouble: string | null;
  /** Bytes. */
  memory: number;
  startedAt: Date;
};

export type ProcessRow = Omit<ProcessReport, 'keys' | 'secret'> & {
  /** The names of its keys. */
  keys: string[];
  /** Whether it reported recently. */
  alive: boolean;
  seenAt: Date;
  /** How long ago it reported, by the ledger's clock. */
  silentMs: number;
};

/** Seconds since the last beat; null when there was none. `reason`: why the last try made none. */
type LastBeat = { beatAgo: number | null; reason: string | null };

export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses(db: Database, baseUrl: string) {
  const list = (): Promise<ProcessRow[]> => db.query('processes/list') as Promise<ProcessRow[]>;
  return {
    report: (process: Omit<ProcessReport, 'baseUrl'>): Promise<void> =>
      run(db, 'processes/report', { process: JSON.stringify({ ...process, baseUrl }) }),
    list,
    /** The living processes of this service. */
    async here(): Promise<ProcessRow[]> {
      return (await list()).filter((row) => row.alive && row.baseUrl === baseUrl);
    },
    salt: (): Promise<string> => value(db, 'processes/salt'),
    /** Which of its keys are not the ones in force; the keys of a process that dials may come into force. */
    agree: (id: string, keys: KeyMarks, startedAt: Date, dials: boolean): Promise<OtherKey[]> =>
      db.query('processes/agree', { id, baseUrl, keys: JSON.stringify(keys), startedAt, dials }) as Promise<
        OtherKey[]
      >,
    differing: (): Promise<Difference[]> =>
      db.query('processes/differing', { baseUrl }) as Promise<Difference[]>,
    confirmKey: (name: string, { digest, rate }: KeyMarks[string]): Promise<void> =>
      run(db, 'processes/confirm_key', { baseUrl, name, digest, rate }),
    /** True when a beat is due, and this process is the one to make it. */
    claimBeat: (seconds: number): Promise<boolean> => some(db, 'processes/claim_beat', { baseUrl, seconds }),
    saveBeat: (reason: string | null, waitSeconds: number): Promise<void> =>
      run(db, 'processes/save_beat', { baseUrl, reason, waitSeconds }),
    async lastBeat(): Promise<LastBeat> {
      const [row] = await db.query('processes/last_beat', { baseUrl });
      return row ?? { beatAgo: null, reason: null };
    },
    leave: (id: string): Promise<void> => run(db, 'processes/leave', { id }),
  };
}
