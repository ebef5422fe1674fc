import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { CampaignState } from '../campaigns/verbs.ts';
import type { Database, Transaction } from '../database.ts';

/**
 * Lists that were sent to be added later. The body is in the ledger until its people are, so that any process can finish
 * what another began: the lock that a process holds on an import goes with its transaction, and so does all it wrote.
 */
export const importStates = ['waiting', 'running', 'done', 'failed'] as const;
export type ImportState = (typeof importStates)[number];
export const bodyFormats = ['csv', 'json', 'ndjson'] as const;
export type BodyFormat = (typeof bodyFormats)[number];

export type NewImport = {
  campaignId: string;
  format: BodyFormat;
  /** The request's options on columns, country and types. */
  options: unknown;
  bytes: number;
};
export type WaitingImport = NewImport & { id: string };
export type FirstReject = { row: number; reason: string };
export type ImportLine = {
  id: string;
  campaign: string;
  campaignState: CampaignState;
  state: ImportState;
  code: string | null;
  reason: string | null;
  since: Date;
  format: BodyFormat;
  bytes: number;
  bytesRead: number;
  rowsRead: number;
  accepted: number;
  rejected: number;
  rejects: FirstReject[];
  createdAt: Date;
  endedAt: Date | null;
  /** When it was created, in microseconds: its place in the list. */
  at: number;
};
export type ImportSums = { rows: number; accepted: number; rejected: number };
export type ImportPlace = { at: number; id: string };

/** Short enough for a statement, long enough for few of them. */
const pieceBytes = 256 * 1024;
const latest: ImportPlace = { at: 2 ** 52, id: '00000000-0000-0000-0000-000000000000' };

export type Imports = ReturnType<typeof createImports>;

export function createImports(db: Database) {
  const page = (
    campaignId: string | null,
    { at, id }: ImportPlace,
    most: number,
    only: string | null = null,
  ): Promise<ImportLine[]> => db.query('imports/page', [campaignId, at, id, most, only]);

  return {
    /** The import is there with all of its body, or not at all. `work` is what else belongs to the transaction. */
    create: (
      { campaignId, format, options, bytes }: NewImport,
      body: AsyncIterable<Uint8Array>,
      work: { begin(tx: Transaction): Promise<void>; end(tx: Transaction, id: string): Promise<void> },
    ) =>
      db.transaction(async (tx): Promise<string> => {
        await work.begin(tx);
        const values = [campaignId, format, JSON.stringify(options), bytes] as const;
        const [made] = await tx.query('imports/create', values);
        const into = tx.client.query(copyFrom('copy carillon.import_pieces (import_id, n, data) from stdin'));
        await pipeline(Readable.from(linesOf(made!.id!, body)), into);
        await work.end(tx, made!.id!);
        return made!.id!;
      }),

    /** In the transaction that stores the people. */
    async keep(
      tx: Transaction,
      { campaignId, format, options, bytes }: NewImport,
      { rows, accepted, rejected }: ImportSums,
      rejects: readonly FirstReject[],
    ): Promise<string> {
      const made = [campaignId, format, JSON.stringify(options), bytes] as const;
      const sums = [rows, accepted, rejected, JSON.stringify(rejects)] as const;
      const [kept] = await tx.query('imports/keep', [...made, ...sums]);
      return kept!.id!;
    },

    /** The body as it was sent. */
    async *body(id: string): AsyncGenerator<Buffer> {
      for (let n = 0; ; n++) {
        const [piece]: { data: Buffer }[] = await db.query('imports/piece', [id, n]);
        if (!piece) return;
        yield piece.data;
      }
    },

    next: (most: number): Promise<WaitingImport[]> => db.query('imports/next', [most]),

    /** False when another process has it, or it is over. */
    take,

    /** Whether no process has it in hand now. */
    isFree: (id: string): Promise<boolean> => db.transaction((tx) => take(tx, id)),

    async progress(id: string, bytes: number, { rows, accepted, rejected }: ImportSums): Promise<void> {
      await db.query('imports/progress', [id, bytes, rows, accepted, rejected]);
    },

    /** In the transaction that stores the people. */
    async done(
      tx: Transaction,
      id: string,
      sums: ImportSums,
      rejects: readonly FirstReject[],
    ): Promise<void> {
      const { rows, accepted, rejected } = sums;
      await tx.query('imports/done', [id, rows, accepted, rejected, JSON.stringify(rejects)]);
    },

    async fail(id: string, code: string, reason: string): Promise<void> {
      await db.query('imports/fail', [id, code, reason]);
    },

    async get(id: string): Promise<ImportLine | null> {
      const [found] = await page(null, latest, 1, id);
      return found ?? null;
    },

    /** The latest first. */
    page: (campaignId: string | null, before: ImportPlace | null, most: number): Promise<ImportLine[]> =>
      page(campaignId, before ?? latest, most),

    async forget(days: number): Promise<void> {
      await db.query('imports/forget', [days]);
    },
  };
}

async function take(tx: Transaction, id: string): Promise<boolean> {
  const [lock] = await tx.query('imports/lock', [id]);
  if (!lock?.got) return false;
  const [row] = await tx.query('imports/is_open', [id]);
  return row?.open === true;
}

async function* linesOf(id: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let unwritten: Uint8Array[] = [];
  let size = 0;
  let n = 0;
  const line = () => {
    const text = `${id}\t${n++}\t\\\\x${Buffer.concat(unwritten).toString('hex')}\n`;
    unwritten = [];
    size = 0;
    return text;
  };
  for await (const chunk of body) {
    unwritten.push(chunk);
    size += chunk.length;
    if (size >= pieceBytes) yield line();
  }
  if (size > 0) yield line();
}
