import { stretchOf } from './zone-clock.ts';

/** A time as people write it: RFC 3339, by the clock of a named zone, or how long from now. */
const form = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*([Zz]|[+-]\d{2}:?\d{2})?$/;

/**
 * Milliseconds since 1970; null when it is not a time. A time without an offset is by the clock of `zone`: of an hour
 * that comes twice it is the first; an hour that the clocks skip is as much later as they move.
 */
export function readInstant(text: string, zone: string | null): number | null {
  const [, year, month, date, hour, minute, second = '00', part = '.0', offset] =
    form.exec(text.trim()) ?? [];
  if (year === undefined) return null;
  const whole = `${year}-${month}-${date}T${hour}:${minute}:${second}`;
  const local = Date.parse(`${whole}Z`);
  // Date would turn 31 February into 3 March.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(whole)) return null;
  const at = local + Math.floor(Number(part) * 1_000);
  if (offset !== undefined) return at - offsetMs(offset);
  return zone === null ? null : fromLocal(at, zone);
}

/** A date such as 2026-12-24. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && readInstant(`${text}T00:00Z`, null) !== null;
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset)!;
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
}

const day = 86_400_000;

function fromLocal(local: number, zone: string): number {
  const before = stretchOf(zone, local - day).offset;
  const after = stretchOf(zone, local + day).offset;
  const found = [local - before, local - after].filter((at) => at + stretchOf(zone, at).offset === local);
  return found.length > 0 ? Math.min(...found) : local - before;
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const longestMs = 100 * 365 * units.d!;

/**
 * Until when something holds, a time or how long from now; null when the text is neither. A date stands for its first
 * moment in UTC. A time without its zone is refused: nobody can know which one was meant.
 */
export function readUntil(text: string, now: number): number | null {
  const given = text.trim();
  const span = /^(\d{1,6})\s*([mhdw])$/i.exec(given);
  const at = span
    ? now + Number(span[1]) * units[span[2]!.toLowerCase()]!
    : readInstant(isDate(given) ? `${given}T00:00Z` : given, null);
  return at !== null && at <= now + longestMs ? at : null;
}

/** The same for the past: a span says how long ago. A time that is still to come is null too. */
export function readSince(text: string, now: number): number | null {
  const at = readUntil(text, now);
  if (at === null) return null;
  const then = /^\d+\s*[mhdw]$/i.test(text.trim()) ? now - (at - now) : at;
  return then <= now ? then : null;
}
