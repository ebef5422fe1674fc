/** Reads until when something holds: a time, or how long from now. */
const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const longestMs = 100 * 365 * units.d!;

/** Milliseconds since the epoch, or null when the text is neither. A date stands for its first moment in UTC. */
export function readUntil(text: string, now: number): number | null {
  const given = text.trim();
  const span = /^(\d{1,6})\s*([mhdw])$/i.exec(given);
  const at = span ? now + Number(span[1]) * units[span[2]!.toLowerCase()]! : readTime(given);
  return at !== null && at <= now + longestMs ? at : null;
}

/** The same for the past: a span says how long ago. A time that is still to come is null too. */
export function readSince(text: string, now: number): number | null {
  const at = readUntil(text, now);
  if (at === null) return null;
  const then = /^\d+\s*[mhdw]$/i.test(text.trim()) ? now - (at - now) : at;
  return then <= now ? then : null;
}

/** RFC 3339. A time without its zone is refused: nobody can know which one was meant. */
function readTime(given: string): number | null {
  const form =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))?$/i;
  const parts = form.exec(given);
  if (!parts) return null;
  // Date would turn 31 February into 3 March.
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate())
    return null;
  const at = Date.parse(given.replace(' ', 'T'));
  return Number.isNaN(at) ? null : at;
}
