import type { Database } from '../database.ts';

/** The processes that work on this ledger, as each says of itself. */
export type ProcessReport = {
  id: string;
  host: string;
  pid: number;
  version: string;
  node: string;
  /** Its tasks: `api`, `run`, or its workers by name. */
  parts: string[];
  queue: 'redis' | 'postgres';
  loops: { name: string; age_ms: number; stuck: boolean }[];
  clockAheadMs: number;
  /** Why it must not dial; null when it may. */
  trouble: string | null;
  /** Bytes. */
  memory: number;
  startedAt: Date;
};

export type ProcessRow = ProcessReport & {
  seenAt: Date;
  /** How long ago, by the ledger's clock. */
  silentMs: number;
};

export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses(db: Database) {
  return {
    async report(process: ProcessReport): Promise<void> {
      await db.query('processes/report', [JSON.stringify(process)]);
    },
    list: (): Promise<ProcessRow[]> => db.query('processes/list') as Promise<ProcessRow[]>,
    async leave(id: string): Promise<void> {
      await db.query('processes/leave', [id]);
    },
  };
}
