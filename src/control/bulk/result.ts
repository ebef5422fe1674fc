import { CarillonError } from '../../base/errors.ts';
import { showRecipient } from '../../export/recipient.ts';
import { type ResultFormat, writeFound } from '../../export/results.ts';
import type { Target } from '../../export/target.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { waitsOn } from '../people/search.ts';
import { findBulk } from './show.ts';

/** The rows of an export: the people found when it began, as they are when it is read. */
type BulkResult = {
  /** Resolves to the number of rows. */
  write(target: Target, format: ResultFormat): Promise<number>;
};

/** Throws before the first byte when there is nothing to write. */
export async function openResult(
  { ledger, clock }: { ledger: Ledger; clock: { now(): number } },
  id: string,
): Promise<BulkResult> {
  const { kind: act, size: people } = await findBulk(ledger, id);
  if (act !== 'export') {
    throw new CarillonError('bulk-no-result', `The bulk act ${id} is a ${act}, and has no rows to read`);
  }
  const pieces = ledger.bulk.people(id);
  const first = await pieces.next();
  if (people > 0 && first.done) {
    throw new CarillonError('bulk-no-result', `The people of the export ${id} are not kept any more`);
  }
  const columns = await ledger.bulk.columns(id);
  const rows = async function* () {
    for (let piece = first; !piece.done; piece = await pieces.next()) {
      for await (const lines of ledger.search.linesInParts(piece.value)) {
        const waits = await waitsOn(ledger, lines, clock.now());
        yield lines.map((line) => showRecipient(line, line.campaign, waits(line)));
      }
    }
  };
  return { write: (target, format) => writeFound(target, format, columns, rows()) };
}
