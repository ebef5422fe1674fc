import { z } from 'zod';
import type { Cut } from '../../ledger/reports/said.ts';
import { limit, readCursor, writeCursor } from './input.ts';

/** A list as CLI and API answer it: a page of items, and where the next one starts; null on the last. */
export type Page<T> = { items: T[]; next: string | null };

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next: z
      .string()
      .nullable()
      .describe(
        'Where the next page starts, for `?cursor=`; null on the last. A page may be shorter than its limit where calls have long records.',
      ),
  });

/** A list that has one page only. */
export const wholeOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.null() });

/** How many calls of such a list are shown. */
export const mostCalls = z.coerce
  .number()
  .int()
  .min(1)
  .max(1_000)
  .default(200)
  .describe('At most this many calls, from 1 to 1000.');

export const pageInput = {
  limit,
  cursor: z.string().max(500).optional().describe('The `next` of the page before.'),
};

/** Reads one item more than asked for, to know whether there is a next page; or as many as memory may hold at once. */
export async function readPage<Row, Cursor, Item>(
  input: { limit: number; cursor?: string | undefined },
  cursor: { schema: z.ZodType<Cursor>; of(row: Row): readonly (string | number)[] },
  find: (after: Cursor | null, most: number) => Promise<Row[] | Cut<Row>>,
  show: (row: Row) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const found = await find(readCursor(cursor.schema, input.cursor), input.limit + 1);
  const { rows: all, isCut } = Array.isArray(found) ? { rows: found, isCut: false } : found;
  const rows = all.slice(0, input.limit);
  const next = isCut || all.length > rows.length ? writeCursor(cursor.of(rows.at(-1)!)) : null;
  return { items: await Promise.all(rows.map(show)), next };
}

/** Cursors of a list that is newest first, by the time of creation in microseconds. */
export const cursorsByTime = {
  schema: z.tuple([z.int(), z.uuid()]),
  of: ({ at, id }: { at: number; id: string }) => [at, id] as const,
};

/** Goes through all pages, for a command that shows a whole list. */
export async function* allItems<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await read(cursor);
    yield items;
    if (next === null) return;
    cursor = next;
  }
}
