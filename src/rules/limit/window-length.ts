import type { Pace, Reopening } from './pace-state.ts';

/** Finds the length of window that explains when a lane opened again, if one does much better than chance. */
export const roundSpans = [5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600].map((s) => s * 1_000);
const longestCounted = 60_000;
/** How much better than chance it must be, as a logarithm: twelve lengths and two kinds of phase are tried. */
const proof = 3;
/** The costs of choosing a phase and of a count that differs from the one before; the credit of a known length. */
const onClockCost = 0.7;
const ownPhaseCost = 1.2;
const unlikeCost = 0.8;
const knownCredit = 1;

type Length = { ms: number; odds: number; edge: number };

export function lengthOf(openings: readonly Reopening[], known: number): Length | null {
  const last = openings.at(-1)!;
  const found: Length[] = [];
  for (const [place, ms] of roundSpans.entries()) {
    if (openings.some((each) => each.stalled > 1.02 * ms)) continue;
    // One opening shows a window only if it took a good part of it.
    if (openings.length === 1 && last.stalled < 0.25 * ms) continue;
    let bonus = ms === known ? knownCredit : 0;
    // A window that is used up accepts the same number each time.
    if (ms <= longestCounted) bonus -= unlikeCost * unlike(openings.map((each) => each.counts[place] ?? 0));
    for (const onClock of [true, false]) {
      const fit = fitOf(openings, ms, onClock);
      if (fit) found.push({ ms, odds: fit.odds + bonus, edge: fit.edge });
    }
  }
  const most = Math.max(...found.map(({ odds }) => odds), 0);
  if (most < proof) return null;
  // Each multiple of a window explains as much, and seems to explain more, by half a chance for each opening. So the
  // shortest wins, unless several openings in a row were all at the ends of a longer one.
  const least = most - 1.5 - 0.35 * Math.max(0, openings.length - 2);
  return found.find(({ odds }) => odds > least)!;
}

/** How many counts differ from the one before by more than the seconds' rounding. */
function unlike(counts: readonly number[]): number {
  return counts.filter((count, i) => i > 0 && Math.abs(count - counts[i - 1]!) > 3 + 0.04 * count).length;
}

/** Whether all openings fall on edges of such windows, and how unlikely that would be by chance. */
function fitOf(openings: readonly Reopening[], ms: number, onClock: boolean): Omit<Length, 'ms'> | null {
  const slack = Math.min(300, 0.01 * ms);
  const first = openings[0]!;
  const last = openings.at(-1)!;
  const nearest = Math.round((first.from + first.until) / 2 / ms) * ms;
  let from = onClock ? nearest : first.from - slack;
  let until = onClock ? nearest : first.until + slack;
  let odds = onClock ? -onClockCost : -ownPhaseCost;
  for (const each of onClock ? openings : openings.slice(1)) {
    const begins = each.from - slack;
    const ends = each.until + slack;
    const windows = Math.round(((begins + ends) / 2 - (from + until) / 2) / ms);
    // It was refused again in the window that had just opened, so there is no such window.
    if (windows < 1 && each !== first) return null;
    const shift = windows * ms;
    odds -= Math.log(Math.min(1, (ends - begins + until - from) / ms));
    from = Math.max(from + shift, begins);
    until = Math.min(until + shift, ends);
    if (from > until) return null;
  }
  return { odds, edge: Math.min(last.until, Math.max(last.from, (from + until) / 2)) };
}

/** How many were accepted since a time, at most a minute ago. */
export function acceptedSince({ seconds, secondsAt }: Pace, from: number): number {
  let sum = 0;
  for (const [i, count] of seconds.entries()) {
    const begins = (secondsAt - (seconds.length - 1 - i)) * 1_000;
    sum += count * Math.min(1, Math.max(0, (begins + 1_000 - from) / 1_000));
  }
  return sum;
}

/** The requests that a window of each length would have accepted, if it opens again at `edge`. */
export function countsOf(pace: Pace, edge: number): number[] {
  const after = acceptedSince(pace, pace.stall!.since + 500);
  return roundSpans
    .filter((ms) => ms <= longestCounted)
    .map((ms) => Math.round(acceptedSince(pace, edge - ms) - after));
}
