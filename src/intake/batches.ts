import type { RowBatch } from './recipients.ts';

/**
 * Gathers rows into batches that fit in memory. Batches are limited by text too, because one row may hold a megabyte.
 */
export type BatchLimits = {
  batchSize?: number | undefined;
  /** Characters, including the row that reaches the limit. */
  batchText?: number | undefined;
};

type Gathering = {
  /** The batch that takes the next row. */
  readonly batch: RowBatch;
  /** Adds to the text counted for the batch. */
  count(length: number): void;
  isFull(): boolean;
  isEmpty(): boolean;
  /** Returns the batch and begins the next. */
  take(): RowBatch;
};

export function createGathering({ batchSize = 1_000, batchText = 1_000_000 }: BatchLimits): Gathering {
  let batch: RowBatch = { accepted: [], rejected: [] };
  let text = 0;
  const rows = () => batch.accepted.length + batch.rejected.length;

  return {
    get batch() {
      return batch;
    },
    count(length) {
      // Text before the first row is not kept with it.
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

/** The least size of a row: it carries every column name, with quotes and separators. */
export function weightOfNames(columns: readonly string[]): number {
  return columns.reduce((sum, name) => sum + name.length + '"":"",'.length, 0);
}

export function weightOf(input: Record<string, unknown>): number {
  const weight = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).length;
  return Object.values(input).reduce<number>(
    (sum, value) => sum + weight(value),
    weightOfNames(Object.keys(input)),
  );
}
