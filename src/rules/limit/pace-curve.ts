import { clamp, newPace, type Pace } from './pace-state.ts';

/**
 * How a lane looks for its limit: it stays just below the believed limit for a while, crosses it slowly, and then rises
 * in steps that double while nothing is refused.
 */
const depth = 0.02;
/** One look, and so one refusal, in this many requests; more often after a change. */
const perRefusal = 230;
const soonPerRefusal = 60;
const soonMs = 120_000;
const leastSeconds = 9;
const soonSeconds = 6;
/** A limit that was just found is looked at after this many requests, then twice as many, and so on. */
const firstLook = 24;
/**
 * Below this rate one refusal in so many requests costs too much time: a look comes after at least this share of them.
 */
const slowRate = 5;
const leastSlowShare = 0.5;
/** A refusal costs at most one part in this many of the time, up to a limit. */
const perStall = 60;
const mostStallSeconds = 120;
/** The limit is crossed over this share of the cycle, by this much. */
const crossShare = 0.2;
const crossLeast = 6;
const cross = 0.023;
const firstStep = 0.03;
/** A smaller step shows nothing with a long window. */
const patientStep = 0.08;
const mostSteps = 8;
const mostRise = 3;

/** Whether the limit moved a short while ago, and so may soon move again. */
function isSoon(pace: Pace, now: number): boolean {
  return now - pace.changedAt < soonMs;
}

/** How many requests there are to one look, and so to one refusal: fewer while the limit moves. */
export function lookEvery(pace: Pace, now: number): number {
  return isSoon(pace, now) ? soonPerRefusal : perRefusal;
}

/** The requests from the bottom of the curve to the believed limit. */
export function cycleOf(pace: Pace, now: number): number {
  const limit = pace.limit!;
  const soon = isSoon(pace, now);
  const slow = Math.max(leastSlowShare, Math.min(1, limit / slowRate));
  const share = soon ? Math.max(0.6, slow) : slow;
  const byCost = lookEvery(pace, now) * share * Math.max(1, pace.cost);
  const byStall = Math.min(((limit * pace.stallMs) / 1_000) * perStall, limit * mostStallSeconds);
  const usual = Math.max(limit * (soon ? soonSeconds : leastSeconds), byCost, byStall);
  const fresh = Math.max(firstLook * 2 ** pace.events, limit);
  return Math.max(Math.min(usual, fresh), (limit * pace.patientMs) / 1_000);
}

/** While a long window is suspected, nothing before its end speaks against the limit. */
export function isPatient({ patientMs, openAt }: Pace, now: number): boolean {
  return patientMs > 0 && now - openAt < patientMs;
}

/** A step of a search takes a second, and at least three requests. */
export function stepOf(rate: number): number {
  return Math.max(3, rate);
}

/**
 * A window over the last minute admits what it admitted a minute before, however unevenly. So while such a window is
 * suspected, several refusals in a row lower the rate for a moment, but not the limit.
 */
export function easeOf({ patientMs, streak, limit, used }: Pace): number {
  if (patientMs === 0 || streak < 2) return 1;
  const least = Math.max(0.02, 0.5 ** streak);
  return Math.min(1, least * 1.5 ** (used / Math.max(3, limit! * least)));
}

/** The rate at this place of the cycle. */
export function rateOn(pace: Pace, now: number): number {
  const limit = pace.limit! * easeOf(pace);
  const cycle = cycleOf(pace, now);
  const x = pace.used / cycle;
  if (x < 1) return clamp(limit * (1 - depth * (1 - x) ** 2));
  // The rate crosses the limit slowly, so that a refusal shows exactly where it is.
  const slow = Math.max(crossShare * cycle, crossLeast);
  const over = pace.used - cycle;
  if (over < slow) return clamp(limit * (1 + (cross * over) / slow));
  const size = Math.max(stepOf(limit), (limit * pace.patientMs * 1.02) / 1_000);
  const step = Math.min(mostSteps, Math.floor((over - slow) / size));
  const first = pace.patientMs > 0 ? patientStep : firstStep;
  return clamp(limit * (1 + cross + Math.min(mostRise, first * (2 ** (step + 1) - 1))));
}

/** Begins at a limit that the service has published, or looks for it. */
export function firstPace(now: number, published: number | null): Pace {
  const pace = newPace(now);
  return published === null ? pace : runAt(pace, published, now);
}

/** Begins to run at a limit that was just found. */
export function runAt(pace: Pace, limit: number, now: number): Pace {
  const at = clamp(limit);
  const next: Pace = {
    ...pace,
    phase: 'run',
    limit: at,
    floor: at * 0.95,
    ceil: clamp(Number.POSITIVE_INFINITY),
    tried: false,
    used: 0,
    extra: 0,
    events: 0,
    changedAt: now,
  };
  return { ...next, rate: rateOn(next, now) };
}
