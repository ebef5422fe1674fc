import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { attemptShape, type ShownAttempt, showAttempt } from '../../export/attempt.ts';
import { recipientShape, showRecipient } from '../../export/recipient.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type FoundLine,
  type ListOrder,
  type PeopleFilter,
  type SearchCursor,
  searchOrders,
} from '../../ledger/search/search.ts';
import { read, readCursor, rowCursor, writeCursor } from '../requests/input.ts';
import { type Page, pageInput, pageOf } from '../requests/page.ts';
import { filterShape, findFilter, nameShape } from './filter.ts';
import { waitsOn } from './waits.ts';

/** Finds people over all campaigns, each with every attempt. */
export const foundPerson = recipientShape
  .extend({ attempts: z.array(attemptShape) })
  .meta({ id: 'FoundPerson' });
export type FoundPerson = z.output<typeof foundPerson>;
export const foundAnswer = pageOf(foundPerson);

export const searchQuery = z.strictObject({
  ...pageInput,
  ...filterShape,
  ...nameShape,
  order: z.enum(['moved']).optional().describe('Those who changed last come first, also of a campaign.'),
});

export type SearchDeps = { ledger: Ledger; clock: { now(): number } };

/** A page may have fewer people than its limit, even none, while `next` says that there may be more. */
export async function searchPeople(
  { ledger, clock }: SearchDeps,
  query: unknown,
): Promise<Page<FoundPerson>> {
  const { cursor, limit, order, ...wanted } = read(searchQuery, query);
  const filter = await findFilter(ledger, wanted);
  if (filter.parts !== null) await requireParts(ledger);
  const { lines, next } = await findPage(ledger, filter, { cursor, limit }, order);
  const tries = await triesOf(ledger, lines);
  const waits = await waitsOn(ledger, lines, clock.now());
  const show = (line: FoundLine): FoundPerson => ({
    ...showRecipient(line, line.campaign, waits(line)),
    attempts: tries.get(line.id) ?? [],
  });
  return { items: lines.map(show), next };
}

/** The database may not have the extension that a search by parts needs. */
export async function requireParts({ search }: Pick<Ledger, 'search'>): Promise<void> {
  if (await search.hasParts()) {
    // The newest people of a list that was just imported are found at once; the workers take in the rest.
    await search.fillWords(5_000);
    return;
  }
  throw new CarillonError('parts-unsearchable');
}

const placeSchema = z
  .tuple([z.enum(searchOrders), z.int().min(-1), z.int().min(0)])
  .refine(([order, at]) => order !== 'row' || rowCursor.safeParse(at).success);

/** One page of the people who fit a filter, and where the next one starts. */
export async function findPage(
  { search }: Pick<Ledger, 'search'>,
  filter: PeopleFilter,
  { cursor, limit }: { cursor: string | undefined; limit: number },
  order: ListOrder | null = null,
): Promise<{ lines: FoundLine[]; next: string | null }> {
  const given = readCursor(placeSchema, cursor);
  const after: SearchCursor | null = given && { order: given[0], at: given[1], id: given[2] };
  const found = await search.page(filter, after, limit, order);
  const { rows: lines, isCut } = await search.firstLines(found.ids);
  const next = isCut ? found.after(found.ids.indexOf(lines.at(-1)!.id) + 1) : found.next;
  return { lines, next: next && writeCursor([next.order, next.at, next.id]) };
}

async function triesOf(
  { search }: Ledger,
  lines: readonly FoundLine[],
): Promise<Map<number, ShownAttempt[]>> {
  const tries = new Map<number, ShownAttempt[]>();
  if (lines.length === 0) return tries;
  for (const each of await search.tries(lines.map(({ id }) => id))) {
    const known = tries.get(each.ofRecipient);
    if (known) known.push(showAttempt(each));
    else tries.set(each.ofRecipient, [showAttempt(each)]);
  }
  return tries;
}
