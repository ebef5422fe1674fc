/** The JSON values that the ledger can keep and give back as they were. */

/** No person's data is deeper, and recursing into a value of any depth may end the process. */
const deepest = 100;

/** Why a value cannot be kept as it is; null when it can. */
export function faultOf(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value.includes('\0') ? 'contains a NUL character' : null;
  if (typeof value === 'number')
    return isExact(value) ? null : 'contains a number that is too long: write it as text';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === deepest) return 'has a value that is nested too deeply';
  for (const key in value) {
    const fault = faultOf(key) ?? faultOf((value as Record<string, unknown>)[key], depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** A whole number beyond 2^53 has already lost digits when it is read. */
function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

/**
 * Half a surrogate pair is not a character, and the ledger does not accept it. Almost every value is returned
 * unchanged.
 */
export function wellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (whole(value) as T);
}

type Text = string & { isWellFormed(): boolean; toWellFormed(): string };

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return (value as Text).isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const key in value) {
    if (!(key as Text).isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function whole(value: unknown): unknown {
  if (typeof value === 'string') return (value as Text).toWellFormed();
  if (Array.isArray(value)) return value.map(whole);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [whole(key), whole(part)]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
