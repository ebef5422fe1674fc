import type { AcceptedRow, RowBatch } from '../../intake/recipients.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { numbersOf } from '../../ledger/people/lines.ts';

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
