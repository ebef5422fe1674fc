import { z } from 'zod';
import { gatherColumns } from '../../intake/list.ts';
import type { AcceptedRow, RowBatch } from '../../intake/recipients.ts';
import type { ImportedSums, ImportSums } from '../../ledger/background/background.ts';
import type { Transaction } from '../../ledger/database.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Imported, ImportOptions } from '../../ledger/people/import.ts';
import { numbersOf, type PeopleBatch } from '../../ledger/people/lines.ts';

/** Reads people into a campaign's list, in the order of the input: from a run, a request, or the background. */
export const importAnswerShape = {
  accepted: z.int().describe('Rows whose people are on the list now: `new` and `known`.'),
  new: z.int().describe('Of the accepted, people who were not on the list before.'),
  known: z.int().describe('Of the accepted, people who were on it before: nobody is called twice.'),
  changed: z.int().describe('Of the known, people who were not called yet and changed with the row.'),
  rejected: z.int(),
  rejects: z
    .array(z.object({ row: z.int(), reason: z.string() }))
    .describe('The first 100, with their place in the body.'),
};
export const importAnswer = z.object(importAnswerShape);
export type ImportAnswer = z.output<typeof importAnswer>;
type Rejects = ImportAnswer['rejects'];

const mostRejectsShown = 100;

/** Watches an import: it is told how far the reading is, and works in the transaction. */
export type ImportWatch = {
  begin?(tx: Transaction): Promise<void>;
  onRead(sums: ImportSums): Promise<void>;
  end?(tx: Transaction, sums: ImportedSums, rejects: Rejects): Promise<void>;
};
type Importing = Partial<Pick<ImportOptions, 'mode' | 'onKnown'>> & { watch?: ImportWatch | undefined };
/** `columns` is null for JSON, whose columns are known only at the end. */
type ReadList = {
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>;
  columns: readonly string[] | null;
};

export async function importList(
  ledger: Pick<Ledger, 'people' | 'campaigns' | 'erasures'>,
  campaignId: string,
  { batches, columns }: ReadList,
  { mode = 'more', onKnown, watch }: Importing = {},
): Promise<ImportAnswer & Pick<Imported, 'waiting'>> {
  const rejects: Rejects = [];
  // The ledger reads the columns after the last batch, so columns found on the way are added here.
  const known = [...(columns ?? [])];
  const sums = { rows: 0, accepted: 0, rejected: 0 };

  async function* onwards(): AsyncGenerator<PeopleBatch> {
    const kept = withoutErased(ledger, batches);
    for await (const batch of columns === null ? gatherColumns(kept, known) : kept) {
      keepRejects(rejects, batch.rejected, ({ row, reason }) => ({ row, reason }));
      sums.rows += batch.accepted.length + batch.rejected.length;
      sums.accepted += batch.accepted.length;
      sums.rejected += batch.rejected.length;
      await watch?.onRead(sums);
      yield batch;
    }
  }

  const imported = await ledger.people.import(campaignId, onwards(), {
    columns: known,
    mode,
    onKnown,
    work: {
      begin: async (tx) => watch?.begin?.(tx),
      end: async (tx, found) => watch?.end?.(tx, { ...sums, ...found }, rejects),
    },
  });
  if (mode === 'more') await ledger.campaigns.wakeGrown(campaignId);
  return { ...imported, rejects };
}

/** Keeps the first rejected rows of a list, each as `show` has it. */
export function keepRejects<Shown>(
  rejects: Shown[],
  rejected: RowBatch['rejected'],
  show: (each: RowBatch['rejected'][number]) => Shown,
): void {
  const left = Math.max(0, mostRejectsShown - rejects.length);
  rejects.push(...rejected.slice(0, left).map(show));
}

/** How many one process does at once: a short list need not wait for the end of a long one. */
const mostAtOnce = 3;

/** Imports take turns: calls have priority on the ledger's connections. */
export function createTurns() {
  const waiting: { campaignId: string; go(): void }[] = [];
  const busy = new Set<string>();

  const next = () => {
    if (busy.size === mostAtOnce) return;
    const at = waiting.findIndex(({ campaignId }) => !busy.has(campaignId));
    if (at < 0) return;
    const [first] = waiting.splice(at, 1);
    busy.add(first!.campaignId);
    first!.go();
    next();
  };

  return {
    /** Does the work when a place is free and nothing else of the same campaign is under way. */
    async take<T>(campaignId: string, work: () => Promise<T>): Promise<T> {
      await new Promise<void>((resolve) => {
        waiting.push({ campaignId, go: resolve });
        next();
      });
      try {
        return await work();
      } finally {
        busy.delete(campaignId);
        next();
      }
    },
  };
}

/**
 * Keeps erased people out of a list: their rows are rejected, and nothing else of them is stored. On a list that
 * already has them, each stays its own erased row.
 */
export const erasedReason = 'erased';

export async function* withoutErased(
  { erasures }: Pick<Ledger, 'erasures'>,
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
): AsyncGenerator<RowBatch> {
  let first = true;
  /** Rows of erased people: a later row may be a duplicate of one. */
  const rows = new Set<number>();
  for await (const batch of batches) {
    const phones = batch.accepted.flatMap(numbersOf);
    for (const { phone } of batch.rejected) if (phone !== undefined) phones.push(phone);
    // An erasure that comes later looks for the person again when the import has ended.
    const marks = await erasures.among(phones, first);
    first = false;
    if (marks.size === 0 && rows.size === 0) yield batch;
    else yield sift(batch, marks, rows);
  }
}

function sift(batch: RowBatch, marks: ReadonlyMap<string, string>, rows: Set<number>): RowBatch {
  // A person who was erased under any of their numbers stays erased.
  const markOf = (person: AcceptedRow) =>
    numbersOf(person)
      .map((phone) => marks.get(phone))
      .find((mark) => mark !== undefined);
  const gone = batch.accepted.filter((person) => markOf(person) !== undefined);
  for (const { row } of gone) rows.add(row);
  const refused = batch.rejected.map((reject) => {
    const mark = reject.phone === undefined ? undefined : marks.get(reject.phone);
    const first = /^duplicate of \D*(\d+)$/.exec(reject.reason)?.[1];
    if (mark !== undefined) return { ...reject, phone: mark, reason: erasedReason, input: {} };
    return first !== undefined && rows.has(Number(first)) ? { ...reject, input: {} } : reject;
  });
  return {
    accepted:
      gone.length === 0 ? batch.accepted : batch.accepted.filter((person) => markOf(person) === undefined),
    rejected: [
      ...refused,
      ...gone.map((person) => ({ row: person.row, phone: markOf(person)!, reason: erasedReason, input: {} })),
    ],
  };
}
