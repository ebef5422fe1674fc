import { CarillonError } from '../../base/errors.ts';
import { mostColumns } from '../../intake/columns.ts';
import type { Batch } from '../../intake/recipients.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PeopleBatch } from '../../ledger/people/verbs.ts';

/** Appends people to a campaign's list, in the order of the input. */
export type ImportAnswer = {
  accepted: number;
  rejected: number;
  /** The first of them, with their place in the input. */
  rejects: { row: number; reason: string }[];
};

/** The input's columns; those of JSON are known only at its end. */
export type Columns = { columns: string[]; mapped: readonly string[] };

const mostRejectsShown = 100;

/** The keys of a recipient in JSON that are not variables. */
export const jsonRoles: readonly string[] = ['phone', 'phone_number', 'name', 'timezone'];

export async function importBatches(
  ledger: Ledger,
  campaignId: string,
  batches: Iterable<Batch> | AsyncIterable<Batch>,
  { columns, mapped }: Columns,
): Promise<ImportAnswer> {
  const base = await ledger.people.importBase(campaignId);
  const rejects: ImportAnswer['rejects'] = [];
  // The ledger reads the columns after the last batch, so columns met on the way are added here.
  const known = [...columns];
  const options = {
    columns: known,
    mapped: [...new Set([...base.mapped, ...mapped])],
    mode: 'more' as const,
  };

  async function* onwards(): AsyncGenerator<PeopleBatch> {
    const seen = new Set(known);
    for await (const batch of batches) {
      for (const { row, reason } of batch.rejected) {
        if (rejects.length < mostRejectsShown) rejects.push({ row, reason });
      }
      if (columns.length === 0) gather(batch, seen, known);
      yield {
        accepted: batch.accepted.map((person) => ({ ...person, row: person.row + base.lastRow })),
        rejected: batch.rejected.map((reject) => ({ ...reject, row: reject.row + base.lastRow })),
      };
    }
  }

  const { accepted, rejected } = await ledger.people.import(campaignId, onwards(), options);
  await ledger.campaigns.reopen(campaignId);
  return { accepted, rejected, rejects };
}

function gather(batch: Batch, seen: Set<string>, known: string[]): void {
  for (const { input } of batch.accepted) {
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
