import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { countryOf } from '../../rules/phone/phone.ts';
import { fieldIssues, linesOf, sayIssue } from './field-issues.ts';

/** Reads requests: everything is checked here before a verb of the ledger sees it. */

/** Text as the ledger can hold it; a control character in a name is a mistake. */
export function text(most: number) {
  return z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'contains a control character')
    .trim()
    .min(1);
}

const nameRule = 'must have a letter or a digit, and no slash';

/** A campaign's name: the names of its files are made from it, and it is part of addresses. */
export const campaignName = text(200)
  .refine((name) => /[\p{L}\p{N}]/u.test(name) && !name.includes('/'), nameRule)
  // The text after it would be shown backwards, in every list that shows the name.
  .refine((name) => !/[\u202a-\u202e\u2066-\u2069]/.test(name), 'must not turn the direction of text around')
  .meta({
    pattern: '^[^/]+$',
    description: 'With a letter or a digit, and without a slash.',
  });

export const country = text(100).transform((value, context) => {
  const known = countryOf(value);
  if (known !== null) return known;
  context.addIssue('must be a two-letter country code, such as US or GB');
  return z.NEVER;
});

/** A switch of a query: `?hang_up=1`. */
export const yes = z
  .enum(['1', 'true', '0', 'false'])
  .transform((given) => given === '1' || given === 'true');

export const limit = z.coerce.number().int().min(1).max(1_000).default(100);

/** A list of a thousand people may have a thousand mistakes. */
const mostIssues = 50;

/** Throws with the path of each wrong field, and never with its value. */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value ?? {}, { error: sayIssue });
  if (parsed.success) return parsed.data;
  const issues = fieldIssues(parsed.error.issues).slice(0, mostIssues);
  throw new CarillonError('request-invalid', linesOf(issues).slice(0, 5).join('; '), { issues });
}

/** A parameter of the path: a campaign's name or id, an attempt, a key. */
export function readParam(params: unknown, name: string): string {
  return read(z.object({ [name]: text(300) }), params)[name]!;
}

/** Parts of a cursor, checked so that the ledger can compare them: a client may send anything. */
export const rowCursor = z.int32();
/** A time as Postgres writes it, with the microseconds that JavaScript's times would round off. */
export const timeCursor = z
  .string()
  .max(40)
  .refine((given) => {
    const [, at, offset, minutes = ':00'] =
      /^([1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-](?:0\d|1[0-5]))(:\d\d)?$/.exec(given) ?? [];
    return z.iso.datetime({ offset: true }).safeParse(`${at?.replace(' ', 'T')}${offset}${minutes}`).success;
  });

/** A place in a list, opaque to the client that returns it. */
export function writeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

export function readCursor<T>(schema: z.ZodType<T>, cursor: string | undefined): T | null {
  if (cursor === undefined) return null;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new CarillonError('request-invalid', 'cursor: not a valid cursor', {
      remedy: 'Start without a cursor, then send the `next` of each page.',
    });
  }
}

/**
 * Whether an `If-Match` names a version: a list of ETags, or `*`. An ETag is the version and, in an answer to a GET, a
 * dot and what else the answer held. A proxy that compresses marks it as weak.
 */
export function namesVersion(ifMatch: string, version: string): boolean {
  return ifMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || /^(?:W\/)?"([^".]*)(?:\.[^"]*)?"$/.exec(tag)?.[1] === version);
}
