/**
 * Values of a record as the ledger can keep them: anything of another kind, or that cannot be stored, counts as absent.
 */
const longestText = 262_144;
const mark = ' … [cut]';
const longestName = 300;

/** Text that Postgres takes: no NUL, no half of a character, and not longer than is worth keeping. */
export function cleanText(text: string, longest = longestText): string {
  const clean = text.includes('\0') ? text.replaceAll('\0', '') : text;
  const whole = clean.toWellFormed();
  return whole.length > longest ? `${whole.slice(0, longest).toWellFormed()}${mark}` : whole;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? cleanText(value) || null : null;
}

/** A name that some services write as a number. One that is too large has lost digits: it names something else. */
export function nameOf(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  if (typeof value !== 'string' || value === '' || value.length > longestName) return null;
  return value.includes('\0') || !value.isWellFormed() ? null : value;
}

/** Accepts text such as `42` and `42s` too. */
export function amountOf(value: unknown): number | null {
  const number =
    typeof value === 'string' && /^-?\d+(\.\d+)?s?$/.test(value.trim())
      ? Number(value.trim().replace(/s$/, ''))
      : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
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
