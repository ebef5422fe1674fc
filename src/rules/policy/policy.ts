import { z } from 'zod';
import { CarillonError, type FieldIssue } from '../../base/errors.ts';
import { wrongDate } from '../time/dates.ts';
import { type Cap, checkCaps, checkGap } from './caps.ts';
import { packNamed, packs } from './packs.ts';

/** The contact rules that hold for every campaign and single call, as a file or a request gives them. */
export type Policy = {
  /** Names of packs of hours. */
  hours: readonly string[];
  caps: readonly Cap[];
  /** The least time from the end of an attempt that may have rung to the next one. */
  gapSeconds: number | null;
  afterConversationSeconds: number | null;
  /** Dates (`2026-12-24`) and the holidays of a country (`holidays:US`). */
  notOn: readonly string[];
  /** How a number whose state is not known is judged: all states that it can be in must be open. */
  unknownState: 'strictest';
};

/** Which policy holds now; null is none. */
export type PolicyInForce = () => Policy | null;

/**
 * A policy is small: its caps are compared in pairs, and every call is judged by all of it. A larger one is refused
 * before any of its entries is read.
 */
export const mostCaps = 20;
const mostPacks = 20;
export const mostDates = 400;
const few = (what: string, most: number) => `must have at most ${most} ${what}`;

const span = z
  .string()
  .max(40, 'must be a time such as 30m, 24h or 7d, at most 366d')
  .transform((text, context) => {
    const seconds = readSpan(text);
    if (seconds !== null) return seconds;
    context.addIssue({ code: 'custom', message: 'must be a time such as 30m, 24h or 7d, at most 366d' });
    return z.NEVER;
  });

const calls = z
  .int('must be a whole number of at least 1')
  .min(1, 'must be at least 1: no call would ever be made');

const pack = z
  .string()
  .max(100)
  .refine((name) => packNamed(name) !== undefined, {
    error: () => `is not a known pack: use ${packs.map(({ name }) => name).join(' or ')}`,
  });

const date = z
  .string()
  .max(40, 'must be a date such as 2026-12-24, or holidays such as holidays:US')
  .superRefine((text, context) => {
    const message = wrongDate(text);
    if (message) context.addIssue({ code: 'custom', message });
  });

export const policyInput = z.strictObject({
  hours: z
    .array(pack)
    .min(1, 'must name at least one pack: leave it out for any hour')
    .max(mostPacks, few('packs', mostPacks))
    .optional(),
  caps: z
    .array(z.strictObject({ calls, per: span }))
    .max(mostCaps, few('caps', mostCaps))
    .optional(),
  gap: span.optional(),
  after_conversation: span.optional(),
  not_on: z.array(date).max(mostDates, few('dates', mostDates)).optional(),
  unknown_state: z.literal('strictest', { error: 'must be "strictest"' }).optional(),
});

/** Anything that is wrong or contradicts itself gets one clear line with its path. */
export function readPolicy(input: unknown): Policy {
  const found = policyInput.safeParse(input);
  if (!found.success) throw wrongPolicy(lineOf(found.error.issues[0]!));
  const { hours = [], caps = [], gap, after_conversation, not_on = [] } = found.data;
  const read = caps.map(({ calls, per }) => ({ calls, perSeconds: per }));
  const pauses = { gapSeconds: gap ?? null, afterConversationSeconds: after_conversation ?? null };
  const contradiction = checkCaps(read) ?? checkGap({ caps: read, ...pauses });
  if (contradiction) throw wrongPolicy(contradiction);
  return {
    hours: [...new Set(hours)],
    caps: read,
    ...pauses,
    notOn: [...new Set(not_on)],
    unknownState: 'strictest',
  };
}

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const longestSpan = 366 * 86_400;

function readSpan(text: string): number | null {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  return seconds > 0 && seconds <= longestSpan ? seconds : null;
}

function lineOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const [field] = issue.keys;
    return `${pathText([...issue.path, field!])} is not a field of a policy`;
  }
  const place = pathText(issue.path) || 'it';
  if (issue.code === 'invalid_type') return `${place} must be ${named[issue.expected] ?? issue.expected}`;
  return `${place} ${issue.message}`;
}

const named: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  int: 'a whole number of at least 1',
  number: 'a whole number of at least 1',
};

/** `caps[1].per` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

function wrongPolicy(line: string): CarillonError {
  return new CarillonError('policy-invalid', `The policy is not valid: ${line}`, { issues: [issueOf(line)] });
}

/** The field that the line begins with and the words after it, for a form; the whole line if it names no field. */
function issueOf(line: string): FieldIssue {
  const [named = ''] = /^[a-z_]+(?:\[\d+\]|\.[a-z_]+)*/.exec(line) ?? [];
  const rest = line.slice(named.length).trim();
  const path = named === 'it' ? '' : named.replace(/\[(\d+)\]/g, '.$1');
  return { path, message: /^(?:must|is) /.test(rest) ? rest : line };
}
