import type { Batch } from './recipients.ts';

/**
 * Gathers rows into batches that can be held in memory. A number of rows does not bound what a batch takes: one row
 * may hold a megabyte.
 */
export type BatchLimits = {
  batchSize?: number | undefined;
  /** In characters, the row that reaches it included. */
  batchText?: number | undefined;
};

export type Gathering = {
  /** Where the next row goes. */
  readonly batch: Batch;
  /** Counts the text that was read for the batch. */
  count(length: number): void;
  isFull(): boolean;
  isEmpty(): boolean;
  /** Hands out the batch and begins the next. */
  take(): Batch;
};

export function createGathering({ batchSize = 1_000, batchText = 1_000_000 }: BatchLimits): Gathering {
  let batch: Batch = { accepted: [], rejected: [] };
  let text = 0;
  const rows = () => batch.accepted.length + batch.rejected.length;

  return {
    get batch() {
      return batch;
    },
    count(length) {
      // What was read before the first row is not kept with it.
      if (rows() > 0) text += length;
    },
    isFull: () => rows() >= batchSize || text >= batchText,
    isEmpty: () => rows() === 0,
    take() {
      const taken = batch;
      batch = { accepted: [], rejected: [] };
      text = 0;
      return taken;
    },
  };
}

/** Every name goes with every row: what a row takes is at least this, and what parts the names from the cells. */
export function weightOfNames(columns: readonly string[]): number {
  return columns.reduce((sum, name) => sum + name.length + '"":"",'.length, 0);
}

export function weightOf(input: Record<string, string>): number {
  return Object.values(input).reduce((sum, text) => sum + text.length, weightOfNames(Object.keys(input)));
}
