import type { Key } from '../../api/description.ts';
import type { Level } from '../../kit/glance.tsx';
import { durationText } from '../../kit/time.tsx';
import { about, count } from '../../kit/words.ts';
import { mostCalls } from '../../shell/live-calls.ts';
import { sentLastMinute } from './line.tsx';

/** How far the credit reaches, where it is known and calls are paid from it. */
export function creditOf({ credit }: Key): string {
  if (credit?.minutes == null) return '';
  if (credit.minutes === 0) return 'Its credit may end any time.';
  return `Credit for about ${durationText(credit.minutes * 60_000)}, if as much was added as before.`;
}

const shortMinutes = 60;

/** Whether the credit may end within the hour. */
export const isCreditShort = ({ credit }: Key) => credit?.minutes != null && credit.minutes < shortMinutes;

/** What holds back one that is open, if anything does: of several limits the one that binds. */
export function doingOf(key: Key): string {
  const { present, planned, calling, rests_ms: rests, belief, rate } = key;
  if (!present) return 'This process does not have it, and cannot follow its calls.';
  if (rests > 1_000) return `It rests ${about(rests / 1_000)} s, as the service asked.`;
  const mostAtOnce = mostCalls(key) ?? Number.POSITIVE_INFINITY;
  if (calling >= mostAtOnce)
    return `All its ${count(mostAtOnce)} calls at once are taken: the next begins when one ends.`;
  if (planned + calling === 0) return 'Nobody is due to be called with it.';
  const most = belief?.limit ?? rate ?? 0;
  if (most > 0 && sentLastMinute(key) / 60 >= most * 0.85)
    return 'Its rate holds it back: it goes as fast as the service lets it.';
  return 'Nothing holds it back: whoever is due is called at once.';
}

/** A key that lacks credit or is not accepted wants a person; one that rests or meets a failing service goes on by itself. */
export function levelOf(keys: readonly Key[]): Level {
  const closed = keys.filter(({ state, present }) => state !== 'open' && present);
  if (closed.some(({ state }) => state !== 'failing')) return 'act';
  const slow = keys.some(
    (key) => !key.present || key.rests_ms > 1_000 || key.differs.length > 0 || isCreditShort(key),
  );
  return closed.length > 0 || slow ? 'watch' : 'fine';
}
