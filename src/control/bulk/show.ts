import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { showRecipient } from '../../export/recipient.ts';
import { type ResultFormat, writeFound } from '../../export/results.ts';
import type { Target } from '../../export/target.ts';
import { type BulkLine, bulkStates, bulkVerbs } from '../../ledger/bulk/bulk.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { waitsOn } from '../people/waits.ts';
import { read } from '../requests/input.ts';
import { cursorsByTime, type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** Bulk acts: how far each is, and its results so far. */
export const shownBulk = z
  .object({
    id: z.string(),
    act: z.enum(bulkVerbs),
    filter: z.record(z.string(), z.unknown()).describe('As it was asked for.'),
    state: z
      .enum(bulkStates)
      .describe('The part that was done before it was `stopped` or `failed` stays done.'),
    code: z.string().nullable().describe('The error’s code, where it failed.'),
    reason: z.string().nullable(),
    since: z.date().describe('Since when it is in this state.'),
    people: z.int().describe('How many were found when it began. No others are touched.'),
    seen: z.int().describe('How many of them it has reached.'),
    done: z.int().describe('For how many of them the act was done.'),
    passed: z.record(z.string(), z.int()).describe('How many were passed over, by reason.'),
    result: z
      .string()
      .nullable()
      .describe('Where an export’s rows are, for seven days; `result.ndjson` has them as NDJSON.'),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  })
  .meta({ id: 'BulkAct' });
export type ShownBulk = z.output<typeof shownBulk>;

export const bulksQuery = z.strictObject(pageInput);
export const bulksAnswer = pageOf(shownBulk);

async function findBulk(ledger: Pick<Ledger, 'bulk'>, id: string): Promise<BulkLine> {
  const found = z.uuid().safeParse(id).success ? await ledger.bulk.get(id) : null;
  if (!found) throw new CarillonError('bulk-unknown', `The bulk act ${id} was not found`);
  return found;
}

export async function showBulk(ledger: Pick<Ledger, 'bulk'>, id: string): Promise<ShownBulk> {
  return show(await findBulk(ledger, id));
}

/** Newest first. */
export async function listBulks(ledger: Ledger, query: unknown): Promise<Page<ShownBulk>> {
  return readPage(
    read(bulksQuery, query),
    cursorsByTime,
    (after, most) => ledger.bulk.page(after, most),
    show,
  );
}

function show(line: BulkLine): ShownBulk {
  const { id, kind: act } = line;
  return shownAs(shownBulk, line, {
    act,
    filter: line.asked as ShownBulk['filter'],
    people: line.size,
    result: act === 'export' ? `/api/bulk/${id}/result.csv` : null,
  });
}

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
