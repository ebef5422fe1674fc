import { z } from 'zod';
import { CarillonError } from '../base/errors.ts';
import { countryOf } from '../rules/phone/phone.ts';

/** Reads what a request brings: everything is checked here before a verb of the ledger sees it. */

/** Text as the ledger can hold it; a control character in a name is nobody's wish. */
export function text(most: number) {
  return z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'holds a control character')
    .trim()
    .min(1);
}

export const country = text(2).transform((value, context) => {
  const known = countryOf(value);
  if (known !== null) return known;
  context.addIssue('is no country, such as US or GB');
  return z.NEVER;
});

/** How many on a page. */
export const limit = z.coerce.number().int().min(1).max(1_000).default(100);

/** What does not fit is refused with the path of each field that is wrong, and never with its value. */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const told = parsed.error.issues.slice(0, 5).map((issue) => {
    const path = issue.path.map(String).join('.');
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  throw new CarillonError('request-invalid', told.join('; '));
}

/** A campaign's name or id, an attempt, a key: what stands in the path. */
export function readParam(params: unknown, name: string): string {
  return read(z.object({ [name]: text(300) }), params)[name]!;
}

/** A place in a list that somebody is to come back with: it means nothing to anybody else. */
export function writeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

export function readCursor<T>(schema: z.ZodType<T>, cursor: string | undefined): T | null {
  if (cursor === undefined) return null;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new CarillonError('request-invalid', 'cursor: is none that was given out here', {
      remedy: 'Start without a cursor, and go on with the `next` of each page.',
    });
  }
}
