import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { one, run, some, value } from '../answers.ts';
import type { CampaignState } from '../campaigns/campaigns.ts';
import type { Database, Transaction } from '../database.ts';

/**
 * Work that is done after its request was answered: imported lists and bulk acts. Its contents are in the ledger in
 * pieces until it is over, so that any process can continue what another began: a process's lock on it ends with its
 * transaction, and so does all that the transaction wrote.
 */
export const importStates = ['waiting', 'running', 'done', 'failed'] as const;
type ImportState = (typeof importStates)[number];
export const bodyFormats = ['csv', 'json', 'ndjson', 'xlsx'] as const;
export type BodyFormat = (typeof bodyFormats)[number];

export type NewImport = {
  campaignId: string;
  format: BodyFormat;
  /** The request's options on columns, country and types. */
  options: unknown;
  bytes: number;
};
export type WaitingImport = NewImport & { id: string };
type FirstReject = { row: number; reason: string };
/** `Kind` and `State` are those of lists, or of acts. */
export type WorkLine<Kind, State> = {
  id: string;
  kind: Kind;
  state: State;
  code: string | null;
  reason: string | null;
  since: Date;
  /** The people of an act, or the bytes of a list: in total, and so far. */
  size: number;
  seen: number;
  /** How many people it was done to, and how many were passed over, by the reason. */
  done: number;
  passed: Record<string, number>;
  createdAt: Date;
  endedAt: Date | null;
  /** When it was created, in microseconds: its place in the list. */
  at: number;
};
export type ImportLine = WorkLine<'import', ImportState> & {
  campaign: string;
  campaignState: CampaignState;
  format: BodyFormat;
  rowsRead: number;
  rejects: FirstReject[];
};
/** A row of either kind. */
type Found = Omit<ImportLine, 'kind' | 'state'> & { kind: string; state: string; asked: unknown };
/** A line's `at` and `id`. */
type WorkPlace = readonly [at: number, id: string];
/** `people`: the next piece of an act. */
type OpenWork = { kind: string; filter: unknown; options: unknown; people: string[] | null };
export type ImportSums = { rows: number; accepted: number; rejected: number };
/** `known`: the accepted people who were on the list; `changed`: of these, the ones who changed. */
export type ImportedSums = ImportSums & { known: number; changed: number };

/** Short enough for a statement, long enough that there are few. */
const pieceBytes = 256 * 1024;
const latest: WorkPlace = [2 ** 52, '00000000-0000-0000-0000-000000000000'];
/** How many days they can be read after the end: an export's people, acts and lists. */
const keptDays = { people: 7, acts: 90, lists: 30 };

/** The verbs that lists and acts share. */
export function createBackgroundWork<Line extends object>(db: Database, areLists: boolean) {
  const page = async (
    before: WorkPlace | null,
    most: number,
    campaignId: string | null = null,
    only: string | null = null,
  ): Promise<Line[]> => {
    const [at, id] = before ?? latest;
    const found: Found[] = await db.query('background/page', { at, id, most, only, areLists, campaignId });
    return found as object[] as Line[];
  };

  return {
    /** Newest first. */
    page,

    async get(id: string): Promise<Line | null> {
      const [found] = await page(null, 1, null, id);
      return found ?? null;
    },

    /** Null when another process has it, or it is over. */
    async take(tx: Transaction, id: string): Promise<OpenWork | null> {
      return (await value(tx, 'background/lock', { id })) ? one(tx, 'background/next', { id }) : null;
    },

    async *pieces(id: string): AsyncGenerator<{ people: string[]; data: Buffer }> {
      for (let n = 0; ; n++) {
        const [piece]: { people: string[]; data: Buffer }[] = await db.query('background/piece', { id, n });
        if (!piece) return;
        yield piece;
      }
    },

    /** False when it was already over. */
    end: (id: string, state: 'stopped' | 'failed', code: string | null, reason: string): Promise<boolean> =>
      some(db, 'background/end', { id, state, code, reason }),

    async forget(): Promise<void> {
      const { people, acts, lists } = keptDays;
      await db.query('background/forget', { people, acts, lists });
    },
  };
}

export function createImports(db: Database) {
  const shared = createBackgroundWork<ImportLine>(db, true);
  return {
    ...shared,

    /** The import is stored with its whole body, or not at all. `work` is what else belongs to the transaction. */
    create: (
      made: NewImport,
      body: AsyncIterable<Uint8Array>,
      work: { begin(tx: Transaction): Promise<void>; end(tx: Transaction, id: string): Promise<void> },
    ) =>
      db.transaction(async (tx): Promise<string> => {
        await work.begin(tx);
        const id = await create(tx, made, nothing);
        const into = tx.client.query(copyFrom('copy carillon.work_pieces (work_id, n, data) from stdin'));
        await pipeline(Readable.from(linesOf(id, body)), into);
        await work.end(tx, id);
        return id;
      }),

    /** Runs in the transaction that stores the people. */
    keep: (
      tx: Transaction,
      made: NewImport,
      sums: ImportedSums,
      rejects: readonly FirstReject[],
    ): Promise<string> => create(tx, made, valuesOf(sums, rejects)),

    /** The body as it was sent. */
    async *body(id: string): AsyncGenerator<Buffer> {
      for await (const { data } of shared.pieces(id)) yield data;
    },

    next: (most: number): Promise<WaitingImport[]> => db.query('background/open', { baseUrl: null, most }),

    /** Whether no process has it now. */
    isFree: (id: string): Promise<boolean> =>
      db.transaction(async (tx) => (await shared.take(tx, id)) !== null),

    progress: (id: string, bytes: number, { rows, accepted, rejected }: ImportSums): Promise<void> =>
      run(db, 'background/progress', { id, bytes, rows, accepted, rejected }),

    /** Runs in the transaction that stores the people. */
    done: (tx: Transaction, id: string, sums: ImportedSums, rejects: readonly FirstReject[]): Promise<void> =>
      run(tx, 'background/added', { id, ...valuesOf(sums, rejects) }),
  };
}

/** What came of a list, as two statements take it. */
const valuesOf = (
  { rows, accepted, rejected, known, changed }: ImportedSums,
  rejects: readonly FirstReject[],
) => ({ rows, accepted, rejected, rejects: JSON.stringify(rejects), known, changed });
const nothing = { rows: null, accepted: null, rejected: null, rejects: null, known: null, changed: null };

const create = (
  tx: Transaction,
  { campaignId, format, options, bytes }: NewImport,
  sums: ReturnType<typeof valuesOf> | typeof nothing,
): Promise<string> =>
  value(tx, 'background/create', { campaignId, format, options: JSON.stringify(options), bytes, ...sums });

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
