import type { z } from 'zod';

/** Sums of cents in binary have rounding errors. */
export const roundTo = (places: number, n: number) => Math.round(n * 10 ** places) / 10 ** places;

/** A field of an answer as a row of the ledger names it: `created_at` is `createdAt`. */
type InRow<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<InRow<Rest>>}`
  : Name;
type RowOf<Shown> = { readonly [Name in keyof Shown & string as InRow<Name>]: Shown[Name] };

/**
 * What an answer shows of a row: the fields of the schema, and nothing else that the row holds. `own` has those that the
 * row has in another form or not at all.
 */
export function shownAs<Schema extends z.ZodObject, Own extends Partial<z.output<Schema>>>(
  schema: Schema,
  row: RowOf<Omit<z.output<Schema>, keyof Own>>,
  own: Own,
): z.output<Schema> {
  const known = row as Record<string, unknown>;
  const inRow = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.keys(schema.shape).map((name) => [
      name,
      Object.hasOwn(own, name) ? own[name as keyof Own] : known[inRow(name)],
    ]),
  ) as z.output<Schema>;
}
