import { cycleOf, easeOf, isPatient, runAt } from './pace-curve.ts';
import { type Busy, clamp, type Pace } from './pace-state.ts';

/**
 * The first refusal after accepted requests shows about where the limit is. The rate then falls to one of these shares
 * of the limit: the first if the refusal was expected, the second if it came early.
 */
const expectedCut = 0.9;
const earlyCut = 0.6;
/** Fewer requests than this are hardly a measure. */
const few = 10;
/** Refusals that each follow a few requests are measured together from this many in a row. */
const streakFrom = 2;
const streakMargin = 1.15;
/**
 * Between two bounds: after this many accepted requests their mean is a measure, and after the second number the limit.
 */
const settleMean = 5;
const settleEnd = 24;
/** A limit that moved by more than this is looked at again soon. */
const drift = 0.085;
/** A rate that was refused soon may be tried again a little later. */
const relax = 1.006;
const earlyFall = 0.02;

export function judgeRefusal(pace: Pace, { now }: Busy): Pace {
  switch (pace.phase) {
    case 'seek': {
      // The limit is between the step before, which a full bucket may have made too easy, and this one.
      const low = Math.max(pace.low / (pace.step > 1 ? 1.2 : 1.5), pace.rate / 4);
      const rate = clamp(Math.sqrt(low * pace.rate));
      return { ...pace, phase: 'settle', low, high: pace.rate, proven: 0, sum: 0, sumFrom: now, rate };
    }
    case 'settle':
      return settleAgain(pace, now);
    case 'run':
      return weighRun(pace, now);
  }
}

function settleAgain(pace: Pace, now: number): Pace {
  const low = pace.rate / pace.low < 1.06 ? pace.low * 0.75 : pace.low;
  const proven = pace.rate < pace.proven * 1.06 ? pace.proven * 0.8 : pace.proven;
  const sum = pace.sum + pace.count;
  // A bucket admits its rate from one refusal to the next, and a window at most its rate.
  const mean = (sum * 1_000) / Math.max(1, now - pace.sumFrom);
  const next = { ...pace, low, high: pace.rate, sum, proven };
  if (sum >= settleEnd) {
    const limit = Math.min(pace.rate, Math.max(mean, proven * 0.98));
    return { ...runAt(next, limit, now), rate: clamp(limit * expectedCut) };
  }
  const rate =
    sum >= settleMean
      ? Math.min(pace.rate * 0.95, Math.max(pace.rate * 0.4, mean * 1.02, proven * 1.01))
      : Math.sqrt(low * pace.rate);
  return { ...next, low: Math.min(low, rate * 0.95), rate: clamp(rate) };
}

function weighRun(pace: Pace, now: number): Pace {
  const x = pace.used / cycleOf(pace, now);
  const isShort = x < 0.9 && pace.count < few;
  const sum = isShort ? pace.sum + Math.max(0.3, pace.count) : 0;
  const sumFrom = isShort && pace.streak > 0 ? pace.sumFrom : pace.fromAt;
  const streak = isShort ? pace.streak + 1 : 0;
  if (streak >= streakFrom && isPatient(pace, now)) {
    // An even window may admit requests as unevenly as it was used, so the limit is not in question.
    return { ...pace, streak, sum, sumFrom, rate: clamp(pace.limit! * easeOf({ ...pace, streak, used: 0 })) };
  }
  if (streak >= streakFrom) {
    // The refusals together show what is admitted.
    const mean = (sum * 1_000) / Math.max(1, now - sumFrom);
    const limit = Math.max(pace.limit! * 0.5, Math.min(pace.limit! * 0.97, mean * streakMargin));
    const changedAt = limit < pace.limit! * 0.9 ? now : pace.changedAt;
    return { ...runAt(pace, limit, changedAt), streak, sum, sumFrom, rate: clamp(limit * earlyCut) };
  }
  const events = x >= 0.9 ? pace.events + 1 : pace.events;
  const next: Pace = { ...pace, events, streak, sum, sumFrom, ...weigh(pace, x, now) };
  if (Math.abs(next.limit! / pace.limit! - 1) > drift) next.changedAt = now;
  return { ...next, rate: clamp(next.limit! * (x > 0.8 ? expectedCut : earlyCut)) };
}

type Weighed = Pick<Pace, 'floor' | 'ceil' | 'tried'> & { limit: number };

/**
 * A bucket admits its rate from one refusal to the next, however unevenly; a window refuses as soon as the pace is
 * above it. The limit is between the two. More than is proven is tried; if that is soon refused, the limit goes halfway
 * back.
 */
function weigh(pace: Pace, x: number, now: number): Weighed {
  const limit = pace.limit!;
  const trust = Math.min(1, pace.count / 20);
  const measured = (Math.max(0.5, pace.count) * 1_000) / Math.max(1, now - pace.fromAt);
  const mean = trust * Math.log(measured) + (1 - trust) * Math.log(limit * 0.985);
  if (x >= 0.9) {
    let ceil = clamp(pace.ceil * relax);
    // A rate above the ceiling held for a while.
    if (pace.extra > 3 && (pace.rate + 2 * limit) / 3 > ceil) ceil = pace.rate;
    const between = Math.exp((mean + Math.log(pace.rate)) / 2) * 1.001;
    const next = clamp(Math.max(limit * 0.98, Math.min(between, pace.rate, Math.sqrt(limit * ceil))));
    return { limit: next, floor: Math.min(limit, next), ceil, tried: next > limit * 1.004 };
  }
  if (pace.tried && x < 0.7) {
    const back = pace.count >= few ? limit * 0.975 : Math.sqrt(pace.floor * limit);
    const next = clamp(Math.max(pace.floor, limit * 0.7, back < pace.floor * 1.02 ? 0 : back));
    return {
      limit: next,
      floor: pace.floor,
      ceil: Math.min(pace.ceil, limit),
      tried: next > pace.floor * 1.004,
    };
  }
  const refusedAt = Math.log(Math.min(limit, pace.rate));
  const least = limit * (pace.count < few ? 0.97 : 0.9);
  const between = Math.exp((mean + refusedAt) / 2) * (1 - earlyFall * (1 - x));
  const next = clamp(Math.min(limit, Math.max(least, between)));
  return { limit: next, floor: Math.min(pace.floor, next), ceil: limit, tried: false };
}
