import { lookEvery, runAt } from './pace-curve.ts';
import { type Clean, clamp, type LongWindow, type Pace, type Reopening } from './pace-state.ts';
import { acceptedSince, countsOf, lengthOf, roundSpans } from './window-length.ts';

/** Services that count by the minute or the hour refuse for long, then open again at once. */
const ringSeconds = 64;
/** How full a window is made, and the share of its time in which it is filled when looking whether it holds more. */
const fill = 0.99;
const lookUntil = 0.97;
/** A window whose last moments are shorter than this is over before anything is heard of them. */
const heardWithinMs = 1_000;
const minuteMs = 60_000;
const mostWindowMs = 3_600_000;
const fiveMinutesMs = 300_000;
const dayMs = 86_400_000;

/** Spreads the accepted requests over the seconds in which they were accepted. */
export function noteSeconds(pace: Pace, heard: Clean): Pace {
  const second = Math.floor(heard.now / 1_000);
  const seconds = [...pace.seconds];
  const passed = Math.max(0, Math.min(ringSeconds, second - pace.secondsAt));
  for (let i = 0; i < passed; i++) seconds.push(0);
  if (seconds.length === 0) seconds.push(0);
  const over = Math.min(seconds.length, Math.max(1, Math.min(passed, 5)));
  for (let i = 0; i < over; i++) {
    const place = seconds.length - 1 - i;
    seconds[place] = Math.round((seconds[place]! + heard.count / over) * 100) / 100;
  }
  return { ...pace, seconds: seconds.slice(-ringSeconds), secondsAt: Math.max(pace.secondsAt, second) };
}

/** Counts what the present window accepted; at its end a new one begins. */
export function countWindow(pace: Pace, heard: Clean): Pace {
  if (!pace.window) return pace;
  const window = { ...pace.window };
  const { now, count } = heard;
  const passed = Math.floor((now - window.edge) / window.ms);
  if (passed < 1) return { ...pace, window: { ...window, count: window.count + count } };
  window.edge += passed * window.ms;
  window.calm += passed;
  const begun = Math.min(count, ((now - window.edge) / 1_000) * pace.rate);
  const ended = window.count + count - begun;
  const holdsMore = isShort(window) && window.looks && passed === 1 && !pace.stall && isMore(window, ended);
  window.count = begun;
  window.looks = window.calm * window.size >= lookEvery(pace, now) * 1.5;
  if (!holdsMore) return { ...pace, window };
  return seekMore({ ...pace, window: { ...window, size: ended } }, now);
}

function isShort({ ms }: LongWindow): boolean {
  return (1 - lookUntil) * ms < heardWithinMs;
}

function isMore({ size }: LongWindow, count: number): boolean {
  return count > size + Math.max(2, 0.03 * size);
}

/** The pace that just fills the window, or a little more when it is time to look. */
export function fillWindow(pace: Pace, now: number): Pace {
  const window = pace.window!;
  const even = (window.size * 1_000) / window.ms;
  if (isMore(window, window.count))
    return seekMore({ ...pace, window: { ...window, size: window.count } }, now);
  if (window.looks && window.count >= window.size) return { ...pace, limit: even, rate: clamp(even * 3) };
  const end = window.edge + window.ms * (window.looks ? lookUntil : 1);
  const leftMs = Math.max(0.03 * window.ms, end - now);
  const goal = window.looks ? window.size * (isShort(window) ? 1.06 : 1.01) + 1 : window.size * fill;
  const rate = Math.min(even * 1.3, ((goal - window.count) * 1_000) / leftMs);
  return { ...pace, limit: even, rate: clamp(Math.max(even * 0.3, rate)) };
}

/** Refused for longer than any window that is looked for: the quota of a day is probably used up. */
function isLongShut({ stall }: Pace, now: number): boolean {
  return stall !== null && now - stall.since > 1.1 * mostWindowMs;
}

/**
 * When to probe next: at the end of a known window; otherwise when windows often open, which is at a full minute of the
 * clock or a full minute after the last opening. A quota opens at midnight somewhere, or after a day.
 */
export function likelyOpening(pace: Pace, now: number, gapMs: number, roundTripMs: number): number {
  const { window } = pace;
  if (window && window.turns > 1 && window.count > 3) {
    const due = window.edge + window.ms - now + Math.max(50, 0.3 * roundTripMs);
    if (due > 0 && due < window.ms) return due;
  }
  if (gapMs < 3_000) return gapMs;
  const isLong = isLongShut(pace, now);
  const spans = isLong ? [fiveMinutesMs, dayMs] : [minuteMs, minuteMs];
  const likely = [now, now - pace.openAt].map((gone, i) => spans[i]! + 250 - (gone % spans[i]!));
  return Math.min(isLong ? fiveMinutesMs : gapMs, ...likely.filter((ms) => ms > 1_000));
}

/** Looks for the limit again, because the window holds more than it did. */
function seekMore(pace: Pace, now: number): Pace {
  const { size, ms } = pace.window!;
  const rate = clamp(Math.max(pace.rate, (size * 1_000) / ms) * 1.3);
  return { ...pace, phase: 'seek', rate, step: 1, stepUsed: pace.used, low: pace.rate, changedAt: now };
}

/**
 * Judges a stall that may have been the rest of a window. Returns the pace for the window that the openings show, or
 * one that waits to find it; null when no window explains the stall. `short`: only a window that the openings show.
 */
export function judgeOpening(pace: Pace, back: Pace, heard: Clean, short = false): Pace | null {
  const stall = pace.stall!;
  const { now, sentAt, count } = heard;
  // A time that the service names is rounded up to a second.
  const from = Math.max(stall.since, stall.asked ? stall.until - 1_100 : stall.sentAt);
  const counts = countsOf(pace, (from + sentAt) / 2);
  const opening: Reopening = { from, until: Math.max(from, sentAt), stalled: from - stall.since, counts };
  const openings = [...pace.openings, opening].slice(-4);
  const opened: Pace = { ...back, openings, openAt: sentAt, openCount: count, fromAt: sentAt, count };
  const window = windowOf(pace, heard, openings);
  if (window) {
    const isNew = !pace.window || Math.abs(window.size / pace.window.size - 1) > 0.1;
    const limit = (window.size * 1_000) / window.ms;
    return fillWindow({ ...runAt(opened, limit, isNew ? now : pace.changedAt), window }, now);
  }
  if (short) return null;
  if (isLongShut(pace, sentAt)) return afterQuota(opened, now);
  const stalled = sentAt - stall.since;
  // A window is longer than its rest, and seldom much longer.
  const spanMs = Math.min(sentAt - pace.openAt, roundSpans.find((ms) => ms >= stalled * 1.5) ?? mostWindowMs);
  const whole = (acceptedWithin(pace, heard, spanMs) * 1_000) / spanMs;
  if (stalled <= 3_000 || pace.openCount <= 8 || whole <= 1_500 / stalled) return null;
  // It may be a window: nothing more is tried until the time of one has passed.
  const limit = pace.phase === 'run' ? pace.limit! : pace.rate;
  return runAt({ ...opened, window: null, patientMs: spanMs }, Math.min(whole, limit), now);
}

/** What was known of shorter times holds again. The rest of the day says nothing about it. */
function afterQuota(opened: Pace, now: number): Pace {
  const rested = { ...opened, openings: [], patientMs: 0, sum: 0, sumFrom: now };
  if (rested.phase !== 'run') return rested;
  const next = runAt(rested, rested.limit!, now);
  return next.window ? fillWindow(next, now) : { ...next, rate: clamp(next.limit! * 0.85) };
}

/** How many were accepted in this time before now, without the requests that opened the lane. */
function acceptedWithin(pace: Pace, { sentAt, count }: Clean, ms: number): number {
  if (ms <= ringSeconds * 1_000) return acceptedSince(pace, sentAt - ms) - count;
  return ((pace.openCount - count) * ms) / Math.max(ms, sentAt - pace.openAt);
}

function windowOf(pace: Pace, heard: Clean, openings: Reopening[]): LongWindow | null {
  const known = pace.window && pace.window.turns > 0 ? pace.window.ms : 0;
  const found = lengthOf(openings, known);
  if (!found) return null;
  const { ms, edge } = found;
  const same = pace.window?.ms === ms ? pace.window : null;
  // A sliding window opens one place at a time: the few that it let through are not what it holds.
  const least = pace.window ? (pace.window.size * ms) / pace.window.ms / 2 : 0;
  const size = Math.max(sizeFrom(pace, heard, ms, edge, same), least);
  if (size < 2) return null;
  return { ms, edge, size, count: heard.count, turns: same ? same.turns + 1 : 1, calm: 0, looks: false };
}

/** The size of the window that just ended: it was full when it refused. */
function sizeFrom(pace: Pace, heard: Clean, ms: number, edge: number, same: LongWindow | null): number {
  if (ms <= minuteMs) return acceptedSince(pace, edge - ms) - acceptedSince(pace, pace.stall!.since + 500);
  if (same && same.count >= 3) return same.count;
  return (pace.openCount - heard.count) / Math.max(1, Math.round((edge - pace.openAt) / ms));
}
