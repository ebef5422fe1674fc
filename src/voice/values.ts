/**
 * Values of a service as the ledger can keep and add them: anything of another kind, or outside what it can be, counts
 * as absent.
 */
export type Range = Readonly<{ least: number; most: number }>;
/** An amount is 0 or no finer than this, so that no product of two comes to nothing. */
const finest = 1e-9;
export const ranges = {
  /** Of one call, in whatever currency the service tells. */
  cost: { least: 0, most: 100_000 },
  /** Seconds: a week. */
  duration: { least: 0, most: 604_800 },
  /** In progress at once. */
  calls: { least: 0, most: 1_000_000 },
} as const satisfies Record<string, Range>;
const any: Range = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE };

/** How many characters: a longer text is cut, a longer name or address names nothing. */
export const longest = {
  text: 262_144,
  word: 300,
  reason: 2_000,
  name: 300,
  currency: 30,
  address: 4_000,
} as const;
const mark = ' … [cut]';

/** A call's times are about now: its record is read from its beginning until a month after its end. */
const pastMs = 31 * 86_400_000;
const aheadMs = 86_400_000;

/** Text that Postgres takes: no NUL, no half of a character, and not longer than is worth keeping. */
export function cleanText(text: string, most: number = longest.text): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '') : text;
  const whole = clean.toWellFormed();
  return whole.length > most ? `${whole.slice(0, most).toWellFormed()}${mark}` : whole;
}

export function textOf(value: unknown, most?: number): string | null {
  return typeof value === 'string' ? cleanText(value, most) || null : null;
}

/** A name that some services write as a number. One that is too large has lost digits: it names something else. */
export function nameOf(value: unknown, most: number = longest.name): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  if (typeof value !== 'string' || value === '' || value.length > most) return null;
  return /\p{Cc}/u.test(value) || !value.isWellFormed() ? null : value;
}

/** A name that is always text, as an address and a currency are. */
export function textNameOf(value: unknown, most: number): string | null {
  return typeof value === 'string' ? nameOf(value, most) : null;
}

/** Null for a value that is longer than is worth keeping. */
export function fitting<T>(value: T): T | null {
  return value === undefined || JSON.stringify(value).length > longest.text ? null : value;
}

/** Never the value itself, which may be a person's. */
export function kindOf(value: unknown): string {
  return typeof value === 'string' ? `a text of ${value.length} characters` : `of the kind ${typeof value}`;
}

/** Accepts text such as `42` and `42s` too. */
export function amountOf(value: unknown, { least, most } = any): number | null {
  const number =
    typeof value === 'string' && /^-?\d+(\.\d+)?s?$/.test(value.trim())
      ? Number(value.trim().replace(/s$/, ''))
      : value;
  if (typeof number !== 'number' || !(number >= least && number <= most)) return null;
  // Not -0.
  if (number === 0) return 0;
  return Math.abs(number) < finest ? null : number;
}

/** Seconds and milliseconds since 1970, as number or text, and what Date reads; only from 1970 to 2100. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const number = typeof value === 'number' ? value : /^\d{9,13}(\.\d+)?$/.test(value) ? Number(value) : null;
  const at = new Date(number === null ? value : number < latestSecond ? number * 1_000 : number);
  const ms = at.getTime();
  return ms > 0 && ms < latestSecond * 1_000 ? at.toISOString() : null;
}

/** The year 2100. */
const latestSecond = 4_102_444_800;

/** A time of a call, as it is about now. */
export function callTimeOf(value: unknown, now: number): string | null {
  const time = timeOf(value);
  const ago = time === null ? Number.NaN : now - Date.parse(time);
  return ago < pastMs && ago > -aheadMs ? time : null;
}

/** The same value in a form that can be stored as JSON. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [cleanText(name), cleanJson(part)]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Freezes a value with everything in it. */
export function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part && typeof part === 'object') freeze(part);
  return Object.freeze(value);
}

export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '');
}
