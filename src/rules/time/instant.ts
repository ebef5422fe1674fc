import { stretchOf } from './zone-clock.ts';

/** A time as people write it: RFC 3339, or by the clock of a named zone. */

const form =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([Zz]|[+-]\d{2}:?\d{2})?$/;

/**
 * Milliseconds since 1970; null when it is not a time. A time without an offset is by the clock of `zone`: of an hour
 * that comes twice it is the first; an hour that the clocks skip is as much later as they move.
 */
export function readInstant(text: string, zone: string | null): number | null {
  const [, year, month, date, hour, minute, second = '0', offset] = form.exec(text.trim()) ?? [];
  if (year === undefined) return null;
  const parts = [year, month, date, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const local = Date.UTC(parts[0], parts[1] - 1, parts[2], parts[3], parts[4], parts[5]);
  const back = new Date(local);
  const same = [
    back.getUTCFullYear(),
    back.getUTCMonth() + 1,
    back.getUTCDate(),
    back.getUTCHours(),
    back.getUTCMinutes(),
  ];
  if (same.some((part, at) => part !== parts[at])) return null;
  if (offset !== undefined) return local - offsetMs(offset);
  return zone === null ? null : fromLocal(local, zone);
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
