import { CarillonError } from '../../base/errors.ts';
import { mostColumns } from '../../intake/columns.ts';
import type { RowBatch } from '../../intake/recipients.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PeopleBatch } from '../../ledger/people/lines.ts';

/** Appends people to a campaign's list, in the order of the input. */
export type ImportAnswer = {
  accepted: number;
  rejected: number;
  /** The first of them, with their place in the input. */
  rejects: { row: number; reason: string }[];
};

const mostRejectsShown = 100;

/** `columns` is null for JSON: they are known only when it was read. */
export async function importBatches(
  ledger: Ledger,
  campaignId: string,
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
  columns: string[] | null,
): Promise<ImportAnswer> {
  const rejects: ImportAnswer['rejects'] = [];
  // The ledger reads the columns after the last batch, so columns met on the way are added here.
  const known = [...(columns ?? [])];

  async function* onwards(): AsyncGenerator<PeopleBatch> {
    const seen = new Set(known);
    for await (const batch of batches) {
      for (const { row, reason } of batch.rejected) {
        if (rejects.length < mostRejectsShown) rejects.push({ row, reason });
      }
      if (columns === null) gather(batch, seen, known);
      yield batch;
    }
  }

  const { accepted, rejected } = await ledger.people.import(campaignId, onwards(), {
    columns: known,
    mode: 'more',
  });
  await ledger.campaigns.reopen(campaignId);
  return { accepted, rejected, rejects };
}

function gather(batch: RowBatch, seen: Set<string>, known: string[]): void {
  for (const { input } of [...batch.accepted, ...batch.rejected]) {
    for (const name in input) {
      if (seen.has(name)) continue;
      seen.add(name);
      known.push(name);
    }
  }
  if (known.length > mostColumns) {
    throw new CarillonError(
      'request-invalid',
      `The recipients have more than ${mostColumns} different fields`,
      {
        remedy: 'Give every recipient the same fields; put what differs into their values.',
      },
    );
  }
}
