import { z } from 'zod';
import { writeRejected } from '../../export/csv.ts';
import { type Recipient, recipientShape, showRecipient } from '../../export/recipient.ts';
import type { ResultFormat } from '../../export/results.ts';
import { writeResults } from '../../export/results.ts';
import type { Target } from '../../export/target.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RejectLine, ResultLine } from '../../ledger/reports/reports.ts';
import type { PeopleFilter } from '../../ledger/search/search.ts';
import { readPlace } from '../../rules/phone/place.ts';
import { createWaits } from '../../rules/wait-reason.ts';
import { read, rowCursor, writeCursor } from '../requests/input.ts';
import { type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { filterOf, isWhole, listFilterShape, nameShape } from './filter.ts';
import { findPage, requireParts } from './search.ts';
import { turnOf } from './waits.ts';

/** The same for one person and for a list. */
export const timezones = z.array(z.string()).describe('Where the person may be; empty where nobody knows.');
export const zonesOf = ({ place }: Pick<ResultLine, 'place'>) => [...readPlace(place).zones];

/** The people of a campaign, in input order: a page of them, or all in a file. */
export const listInput = z.strictObject(pageInput);
export const recipientsQuery = z.strictObject({
  ...pageInput,
  order: z
    .enum(['row', 'moved'])
    .default('row')
    .describe(
      '`row`: as in the list. `moved`: those who changed last come first; a filter by phone, call, attempt or recipient has its own order.',
    ),
  row: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_147_483_647)
    .optional()
    .describe(
      'Begins at this row of the list, or at the next row that is on it. A `cursor` takes precedence.',
    ),
  ...listFilterShape,
  ...nameShape,
});
const listedRecipient = recipientShape.extend({ timezones }).meta({ id: 'ListedRecipient' });
export type ListedRecipient = z.output<typeof listedRecipient>;
export const recipientsAnswer = pageOf(listedRecipient);

export async function listRecipients(
  ledger: Ledger,
  now: number,
  nameOrId: string,
  input: unknown,
): Promise<Page<ListedRecipient>> {
  const { cursor: given, limit, row, order, ...wanted } = read(recipientsQuery, input);
  const campaign = await ledger.campaigns.get(nameOrId);
  const filter = filterOf(wanted, campaign.id);
  if (filter.parts !== null) await requireParts(ledger);
  const showRow = await shower(ledger, campaign, now);
  const show = (line: ResultLine) => ({ ...showRow(line), timezones: zonesOf(line) });
  if (!isWhole(filter) || order === 'moved') {
    const cursor =
      given ?? (row === undefined || order === 'moved' ? undefined : writeCursor(['row', ...before(row)]));
    const { lines, next } = await findPage(ledger, filter, { cursor, limit }, order);
    return { items: lines.map(show), next };
  }
  const cursor = given ?? (row === undefined ? undefined : writeCursor(before(row)));
  return readPage(
    { cursor, limit },
    inOrder<ResultLine>(),
    (cursor, most) => ledger.reports.page(campaign.id, after(cursor), most),
    show,
  );
}

/** Rows of an input in its order; several may have one number. */
type Cursor = [row: number, id: number];
const inOrder = <Line extends { row: number; id: number }>() => ({
  schema: z.tuple([rowCursor, z.int().min(0)]),
  of: ({ row, id }: Line): Cursor => [row, id],
});
/** The cursor behind everyone of the rows before. */
const before = (row: number): Cursor => [row - 1, Number.MAX_SAFE_INTEGER];
const after = (cursor: Cursor | null) => (cursor ? { row: cursor[0], id: cursor[1] } : { row: -1, id: -1 });

/** A row that was rejected, in its place in the list. */
const rejectShape = z
  .object({ row: z.int(), reason: z.string(), input: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Reject' });
export type Reject = z.output<typeof rejectShape>;
export const rejectsAnswer = pageOf(rejectShape);

/** The rows that imports, and the service, refused, in input order. */
export async function listRejects(ledger: Ledger, nameOrId: string, input: unknown): Promise<Page<Reject>> {
  const query = read(listInput, input);
  const { id } = await ledger.campaigns.get(nameOrId);
  return readPage(
    query,
    inOrder<RejectLine>(),
    (cursor, most) => ledger.reports.rejectsPage(id, after(cursor), most),
    ({ row, reason, input: given }) => ({ row, reason, input: given }),
  );
}

export const resultsQuery = z.strictObject(listFilterShape);

/** Which rows of a campaign's results are wanted; null when every row is. */
export function readFilter(campaign: Campaign, input: unknown): PeopleFilter | null {
  const filter = filterOf(read(resultsQuery, input), campaign.id);
  return isWhole(filter) ? null : filter;
}

/** Writes one row per recipient; returns the number of rows. */
export async function exportResults(
  ledger: Ledger,
  now: number,
  campaign: Campaign,
  target: Target,
  format: ResultFormat,
  filter: PeopleFilter | null = null,
): Promise<number> {
  const show = await shower(ledger, campaign, now);
  const shown = async function* () {
    if (!filter) for await (const lines of ledger.reports.results(campaign.id)) yield lines.map(show);
    else
      for await (const ids of ledger.search.all(filter, 'row'))
        for await (const lines of ledger.search.linesInParts(ids)) yield lines.map(show);
  };
  return writeResults(target, format, campaign.columns, shown());
}

/** Writes the rows that the latest import rejected, and those that the service rejected. */
export async function exportRejects(ledger: Ledger, campaign: Campaign, target: Target): Promise<number> {
  return writeRejected(target, campaign.columns, ledger.reports.rejects(campaign.id));
}

async function shower(
  ledger: Ledger,
  campaign: Campaign,
  now: number,
): Promise<(line: ResultLine) => Recipient> {
  const due = await turnOf(ledger, campaign.id);
  const waits = createWaits({ ...campaign, calendar: ledger.calendarOf(campaign.times), ...due }, now);
  return (line) => showRecipient(line, campaign.name, waits(line));
}
