import { readPlace } from './phone/place.ts';
import { readInstant } from './time/instant.ts';

/** A person's wish to be called back at a time, as a call's record says it. */

/** A person who asks more often than this is not called back again: the agent may be misreading them. */
export const mostCallbacks = 3;
const furthestMs = 365 * 86_400_000;
/** A time that has passed since the call is still followed for this long: the record may have been read late. */
const latestMs = 3_600_000;
/** Of what was said, as much as a history needs. */
const mostQuoted = 60;

/** Outcomes of calls on which a person spoke: what the record of another says of a wish was made up. */
const spoken: readonly string[] = ['answered', 'dropped', 'canceled'];

export type Asker = {
  place: string;
  /** The zone of the order. */
  timezone: string | null;
  /** How often the person was promised a call before. */
  callbacks: number;
  /** When the call on which they asked ended. */
  endedAt: number;
  /** When calls to the person are allowed from a time on; null for never. */
  opens(from: number): number | null;
};

/** `at` is null where the wish is not followed, and `note` says why. */
export type Callback = { at: number | null; note: string };

/** Null when the record says nothing. */
export function readCallback(said: unknown, outcome: string, asker: Asker, now: number): Callback | null {
  if (said === undefined || said === null || said === false || said === '' || !spoken.includes(outcome))
    return null;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const words = text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text;
  const ignored = (why: string): Callback => ({ at: null, note: `not called back at “${words}”: ${why}` });
  const read = instantOf(text, asker);
  if (read === 'unreadable')
    return ignored('it is not a time such as 2026-12-01T15:00:00Z or 2026-12-01T15:00');
  if (read === 'nowhere') return ignored('it has no time zone, and nobody knows the person’s');
  // A part of a second is read as the next one: nobody is called too early.
  const at = Math.ceil(read / 1_000) * 1_000;
  if (at <= asker.endedAt) return ignored('that time had passed when the call ended');
  if (at < now - latestMs) return ignored('that time had passed when the record was read');
  if (at - now > furthestMs) return ignored('that is more than a year away');
  if (asker.callbacks >= mostCallbacks) return ignored(`the person was called back ${mostCallbacks} times`);
  if (asker.opens(at) === null) return ignored('no call is allowed from that time on');
  return { at, note: `asked to be called back at ${new Date(at).toISOString()}` };
}

/**
 * A time without a zone is by the person's clock. Of a person who may be in several zones, by that of the order; without
 * one, by the clock that shows it last: nobody is called before the time that they named.
 */
function instantOf(text: string, { place, timezone }: Asker): number | 'unreadable' | 'nowhere' {
  const fixed = readInstant(text, null);
  if (fixed !== null) return fixed;
  if (readInstant(text, 'UTC') === null) return 'unreadable';
  const { zones } = readPlace(place);
  const clocks = zones.length !== 1 && timezone !== null ? [timezone] : zones;
  if (clocks.length === 0) return 'nowhere';
  return Math.max(...clocks.map((zone) => readInstant(text, zone)!));
}
