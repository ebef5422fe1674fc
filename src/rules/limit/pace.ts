import { cycleOf, isPatient, rateOn, runAt, stepOf } from './pace-curve.ts';
import { judgeRefusal } from './pace-refusal.ts';
import { type Busy, type Clean, clamp, type Pace } from './pace-state.ts';
import { countWindow, fillWindow, judgeOpening, likelyOpening, noteSeconds } from './pace-window.ts';

/**
 * The governor's rule: finds the pace of a lane with an unpublished limit, only from its answers. Pure, over a small
 * state that any number of processes share.
 */
const coldFactor = 1.45;
const mostFactor = 2;
/** Nothing refused although this many times the limit was sent: it has risen. */
const risen = 1.7;
/** A lane that was unused for this long must find its limit again. */
const longIdleMs = 600_000;
const mostAskedMs = 6 * 3_600_000;
/** The longest that a lane goes without a probe when the service names no time. */
const mostGapMs = 60_000;
/** An early stall that lasts this many requests of the limit shows that it has fallen. */
const fallRequests = 4;
const longStallMs = 1_500;
/** A service that names whole seconds names two at most for a limit by the second. */
const longAskedMs = 2_500;
/** A stall that lasts fewer requests of the limit than this is no long one. */
const longStallRequests = 3;
/** The cut of a rate that is not found yet, after a stall in which probes were refused too. */
const shutCut = 0.9;
/** A limit is taken to have fallen to this part of it at most. */
const mostFall = 6;
/** The weight of the newest stall in what stalls cost and how long they last. */
const newStallShare = 0.2;
/** Patience fades with each short stall, and is over below this. */
const patienceDecay = 0.98;
const leastPatientMs = 2_000;

/** The rate that the bucket may grant, a second. */
export function paceRate({ stall, rate }: Pace): number {
  return isShut(stall) ? 1_000 / (stall.gapMs * 1.6) : rate;
}

/** Refused again after a refusal: only single probes are sent. */
export function isShut(stall: Pace['stall']): stall is NonNullable<Pace['stall']> {
  return stall !== null && stall.probes > 0;
}

/** Requests were accepted: a stalled lane opens, an open one moves along its curve while it is fully used. */
export function afterClean(before: Pace, heard: Clean): Pace {
  const { now, count, eager, sentAt } = heard;
  let pace = countWindow(noteSeconds(before, heard), heard);
  pace = { ...pace, count: pace.count + count, openCount: pace.openCount + count };
  if (pace.stall) return sentAt > pace.cutAt ? reopen(pace, heard) : pace;
  const passed = Math.max(0, now - pace.heardAt);
  pace.heardAt = Math.max(now, pace.heardAt);
  if (passed > longIdleMs) return afterIdle(pace, now);
  if (!eager) return pace;
  // Requests that it could have sent count only as far as they were sent.
  const used = Math.min((passed / 1_000) * pace.rate, Math.max(count * 1.25, 1));
  pace.used += used;
  switch (pace.phase) {
    case 'seek':
      return seek(pace);
    case 'settle':
      return settle(pace, now);
    case 'run':
      return run(pace, used, now);
  }
}

/** A 429: the lane stalls, and its limit is judged once per stall, however many 429s it brings. */
export function afterBusy(pace: Pace, heard: Busy): Pace {
  const { now, sentAt, retryAfterMs, random } = heard;
  // A service that says "at once" has just shown that it does not mean it.
  const askedMs = retryAfterMs ? Math.min(retryAfterMs, mostAskedMs) : 0;
  const { stall } = pace;
  if (sentAt <= pace.cutAt) {
    if (!stall) return pace;
    const until = Math.max(stall.until, askedMs > 0 ? now + askedMs : 0);
    return {
      ...pace,
      stall: { ...stall, refusals: stall.refusals + 1, until, asked: stall.asked || askedMs > 0 },
    };
  }
  const asked = askedMs > 0 ? askedMs + random() * 20 : 0;
  if (stall) return { ...pace, cutAt: now, stall: { ...stall, ...probe(pace, heard, asked) } };
  const early = pace.phase === 'run' && pace.used < 0.8 * cycleOf(pace, now);
  const judged = judgeRefusal(pace, heard);
  const until = now + (asked || 1_000 / judged.rate);
  const first = { since: now, sentAt, gapMs: 0, until, refusals: 1, probes: 0, early, asked: asked > 0 };
  return { ...judged, count: 0, cutAt: now, stall: first };
}

function probe(pace: Pace, { now, sentAt, random }: Busy, asked: number) {
  const stall = pace.stall!;
  const roundTripMs = Math.max(1, now - sentAt);
  const gapMs = isShut(stall)
    ? Math.min(mostGapMs, stall.gapMs * (stall.gapMs < 4_000 ? 1.8 : 1.4))
    : Math.max(roundTripMs, 1_500 / pace.rate);
  const wait = asked || likelyOpening(pace, now, gapMs * (0.9 + 0.2 * random()), roundTripMs);
  const asks = stall.asked || asked > 0;
  return {
    sentAt,
    gapMs,
    refusals: stall.refusals + 1,
    probes: stall.probes + 1,
    until: now + wait,
    asked: asks,
  };
}

/** Nothing shows where the limit is: the rate rises until something does. */
function seek(pace: Pace): Pace {
  const { window, rate } = pace;
  if (window && window.count < window.size && rate > (2 * window.size * 1_000) / window.ms) return pace;
  if (pace.used - pace.stepUsed < stepOf(rate)) return pace;
  const factor = pace.limit === null ? coldFactor : Math.min(mostFactor, 1 + 0.3 * 2 ** pace.step);
  return { ...pace, rate: clamp(rate * factor), step: pace.step + 1, stepUsed: pace.used, low: rate };
}

/** The limit is between two bounds, which come closer with each step that holds. */
function settle(pace: Pace, now: number): Pace {
  const { rate, high } = pace;
  if (pace.used - pace.stepUsed < stepOf(rate)) return pace;
  if (high / rate < 1.08) return { ...runAt(pace, rate * 1.01, now), count: 0, fromAt: now };
  const next = clamp(Math.sqrt(rate * high));
  // A few requests may have passed by chance.
  const proven = rate >= 5 ? rate : 0;
  return { ...pace, low: rate, proven, rate: next, step: pace.step + 1, stepUsed: pace.used };
}

function run(pace: Pace, used: number, now: number): Pace {
  if (pace.window) return fillWindow(pace, now);
  const limit = pace.limit!;
  const extra = pace.rate > limit ? pace.extra + used * (1 - limit / pace.rate) : pace.extra;
  const next = { ...pace, extra, rate: rateOn(pace, now) };
  if (extra > 4 + 0.02 * pace.used && next.rate > limit * risen) {
    return { ...next, phase: 'seek', step: 1, stepUsed: pace.used, low: limit, changedAt: now };
  }
  return next;
}

/** A request was accepted after a refusal: how long that took tells what the limit is like. */
function reopen(pace: Pace, heard: Clean): Pace {
  const stall = pace.stall!;
  const { now, sentAt } = heard;
  const stalled = Math.max(1, sentAt - stall.since);
  const limit = pace.phase === 'run' ? pace.limit! : pace.rate;
  const fresh = { used: 0, extra: 0, step: 0, stepUsed: 0 };
  const back: Pace = { ...pace, ...fresh, stall: null, heardAt: now, fromAt: stall.since };

  const isLong =
    stalled > Math.max(stall.asked ? longAskedMs : longStallMs, (longStallRequests * 1_000) / limit);
  if (isLong && (stall.asked || isShut(stall))) {
    return judgeOpening(pace, back, heard) ?? settleAfter(pace, back, heard, limit);
  }
  if (pace.phase !== 'run') return isShut(stall) ? { ...back, rate: clamp(back.rate * shutCut) } : back;
  const mayBeWindow = isShut(stall) && (pace.patientMs > 0 || pace.window);
  const opened = mayBeWindow ? judgeOpening(pace, back, heard, true) : null;
  if (opened) return opened;
  // A limit like this would have refused for less long: it has fallen.
  const hasFallen = stall.early && stall.probes > 1 && stalled * limit > fallRequests * 1_000;
  if (hasFallen && !isPatient(pace, now)) {
    const fallen = Math.sqrt(limit * Math.max(limit / mostFall, Math.min(limit, 2_000 / stalled)));
    return { ...runAt(back, fallen, now), sum: 0, streak: 1, sumFrom: stall.since };
  }
  back.cost = pace.cost + (stall.refusals - pace.cost) * newStallShare;
  back.stallMs = pace.stallMs + (stalled - pace.stallMs) * newStallShare;
  back.patientMs = pace.patientMs > leastPatientMs ? pace.patientMs * patienceDecay : 0;
  return { ...back, rate: rateOn(back, now) };
}

/** Refused for long, and no window explains it: the limit has fallen far. */
function settleAfter(pace: Pace, back: Pace, { now, sentAt, count }: Clean, limit: number): Pace {
  const low = Math.min(limit * 0.8, 1_000 / (sentAt - pace.stall!.since));
  const high = Math.max(low * 1.2, pace.phase === 'run' ? limit : pace.high);
  const rate = clamp(Math.sqrt(low * high));
  const opened = { openAt: sentAt, openCount: count, fromAt: sentAt, count, sum: 0, sumFrom: sentAt };
  return { ...back, ...opened, window: null, phase: 'settle', low, high, proven: 0, rate, changedAt: now };
}

/** After a long idle time the limit may have changed: it is approached from below, and looked for soon. */
function afterIdle(pace: Pace, now: number): Pace {
  const fresh = { ...pace, count: 0, fromAt: now, openAt: now, openCount: 0, openings: [], window: null };
  if (pace.limit === null) return { ...fresh, rate: Math.min(pace.rate, 2), phase: 'seek', low: 0 };
  return { ...runAt(fresh, pace.limit, now), rate: clamp(pace.limit * 0.85) };
}
