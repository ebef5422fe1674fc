import type { Dice } from './dice.ts';
import { callEnds, type DrawnOdds } from './odds.ts';
import type { Openings } from './openings.ts';
import { createTimeline } from './timeline.ts';

/** One simulated run of the rest of a campaign, in steps of time: how many calls start in each, and how they end. */
export const limiters = ['rate', 'window', 'calls', 'credit', 'policy', 'number', 'refused'] as const;
export type Limiter = (typeof limiters)[number];

/** People of one group who have had this many attempts. */
type Crowd = { group: number; attempts: number; n: number };

/** How many caller numbers there are, the most calls of each in 24 hours, and when their calls of that time were made. */
export type NumberDays = { most: number; numbers: number; used: readonly { at: number; n: number }[] };

export type Situation = {
  now: number;
  stepMs: number;
  groups: readonly Openings[];
  /** Due now, in any order. */
  ready: readonly Crowd[];
  /** Due later; `held` by a contact rule. */
  later: readonly (Crowd & { at: number; held: boolean })[];
  /** Calls that are under way. */
  calling: number;
  maxAttempts: number;
  /** Seconds from the end of an attempt to the next, by outcome, as the order has them. */
  retry: Readonly<Record<string, readonly number[]>>;
  /** The least milliseconds from one attempt to the next, and between two attempts by the contact rules. */
  leastMs: number;
  gapMs: number;
  maxCalls: number | null;
  /** Null where the order has no limit of them. */
  numbers: NumberDays | null;
};

/** The draws of one run: its odds, and how many calls may start in a second. */
type Draw = { odds: DrawnOdds; callsPerSecond: number };

export type Simulated = {
  endsAt: number;
  calls: number;
  byEnd: number[];
  /** People without a call whose hours never open again. */
  uncalled: number;
  limits: Record<Exclude<Limiter, 'credit' | 'refused'>, number>;
};

/** A run that is not over after this many steps is taken never to end. */
const mostSteps = 20_000;
/** The most different lengths that are drawn for calls that start together; fewer if a step is longer than a call. */
const mostLengths = 5;
const dayMs = 86_400_000;

/** Null when it does not end. */
export function simulate(given: Situation, draw: Draw, dice: Dice): Simulated | null {
  const run = newRun(given, draw, dice);
  for (let rounds = 0; rounds < mostSteps; rounds++) {
    run.inFlight -= run.free.take(run.step);
    run.due.take(run.step, run.ready);
    run.held.take(run.step);
    run.left += run.counting.take(run.step);
    const { open, closed, opensAt } = lookAround(run);
    if (open > 0 && run.left > 0) {
      dialStep(run, open);
      run.step += 1;
      continue;
    }
    if (open > 0) {
      const free = run.counting.next();
      run.limits.number += free - run.step;
      run.tokens = 0;
      run.step = free;
      continue;
    }
    const opening =
      closed > 0 ? Math.ceil((opensAt - given.now) / given.stepMs - 0.5) : Number.POSITIVE_INFINITY;
    const next = Math.min(opening, run.due.next());
    if (next === Number.POSITIVE_INFINITY) {
      const { lastEnd: endsAt, calls, byEnd, uncalled, limits } = run;
      return { endsAt, calls, byEnd, uncalled, limits };
    }
    const to = Math.max(run.step + 1, next);
    // Everybody waits. Hours and contact rules share the limit by how many people each holds back.
    const held = run.held.size() / Math.max(1, closed + run.due.size());
    run.limits.policy += (to - run.step) * held;
    run.limits.window += (to - run.step) * (1 - held);
    run.tokens = 0;
    run.step = to;
  }
  return null;
}

type Run = ReturnType<typeof newRun>;

function newRun(given: Situation, { odds, callsPerSecond }: Draw, dice: Dice) {
  const { now, stepMs, groups, maxAttempts: depth, numbers } = given;
  const run = {
    given,
    odds,
    dice,
    due: createTimeline(groups.length * depth),
    /** Ends of calls, if the number of calls at once is limited. */
    free: createTimeline(1),
    /** People by attempts and group. */
    ready: new Float64Array(groups.length * depth),
    isOpen: groups.map(() => false),
    limits: { rate: 0, window: 0, calls: 0, policy: 0, number: 0 } as Simulated['limits'],
    byEnd: callEnds.map(() => 0),
    lastEnd: now,
    calls: 0,
    uncalled: 0,
    inFlight: given.calling,
    /** The part of `due` that a contact rule holds back. */
    held: createTimeline(1),
    /** Calls that the caller numbers may make today, and when those that they made count no longer. */
    left: numbers ? numbers.most * numbers.numbers : Number.POSITIVE_INFINITY,
    counting: createTimeline(1),
    tokens: 0,
    /** Calls that the flow allows to start. */
    flow: 0,
    perStep: (callsPerSecond * stepMs) / 1_000,
    /** Calls that end within a step for each call in progress; steps with many lengths see only this flow. */
    turnover: stepMs / 1_000 / odds.mean,
    step: 0,
  };
  const slotOf = ({ group, attempts }: Crowd) => Math.min(attempts, depth - 1) * groups.length + group;
  for (const crowd of given.ready) run.ready[slotOf(crowd)]! += crowd.n;
  for (const crowd of given.later) {
    run.due.add(stepOf(run, crowd.at), slotOf(crowd), crowd.n);
    if (crowd.held) run.held.add(stepOf(run, crowd.at), 0, crowd.n);
  }
  for (const { at, n } of numbers?.used ?? []) {
    run.counting.add(stepOf(run, at + dayMs), 0, n);
    run.left -= n;
  }
  if (given.calling > 0) {
    const shares = new Float64Array(groups.length);
    shares[groups.length - 1] = given.calling;
    endCalls(run, now, 0, 0, given.calling, shares, false);
  }
  return run;
}

function stepOf({ given }: { given: Situation }, at: number): number {
  return Math.max(0, Math.floor((at - given.now) / given.stepMs));
}

/** How many of those who are due may be called in this step, and when the others may. */
function lookAround(run: Run): { open: number; closed: number; opensAt: number } {
  const { groups, now, stepMs } = run.given;
  // The middle of the step stands for all of it.
  const at = now + (run.step + 0.5) * stepMs;
  let open = 0;
  let closed = 0;
  let opensAt = Number.POSITIVE_INFINITY;
  for (let group = 0; group < groups.length; group++) {
    let here = 0;
    for (let slot = group; slot < run.ready.length; slot += groups.length) here += run.ready[slot]!;
    run.isOpen[group] = false;
    if (here === 0) continue;
    const stretch = groups[group]!.at(at);
    if (stretch && stretch.from <= at) {
      open += here;
      run.isOpen[group] = true;
    } else if (stretch) {
      closed += here;
      opensAt = Math.min(opensAt, stretch.from);
    } else {
      // Nobody of this group is ever called again. Those without an attempt stand first.
      run.uncalled += run.ready[group]!;
      for (let slot = group; slot < run.ready.length; slot += groups.length) run.ready[slot] = 0;
    }
  }
  return { open, closed, opensAt };
}

/** Starts as many calls as rate, calls at once and numbers allow, of every open group in proportion. */
function dialStep(run: Run, open: number): void {
  const { groups, maxCalls, now, stepMs, numbers } = run.given;
  run.tokens = Math.min(run.tokens, Math.max(1, run.perStep)) + run.perStep;
  const headroom = maxCalls === null ? Number.POSITIVE_INFINITY : headroomOf(run, maxCalls);
  const capacity = Math.floor(Math.min(run.tokens, headroom, run.left));
  const n = Math.min(open, capacity);
  const used = n < open ? 1 : n / Math.max(1, capacity);
  const isFlow = run.left >= Math.min(run.tokens, headroom);
  run.limits[isFlow ? (headroom < run.tokens ? 'calls' : 'rate') : 'number'] += used;
  if (n === 0) return;
  run.tokens -= n;
  run.flow -= n;
  run.calls += n;
  run.inFlight += n;
  run.left -= n;
  if (numbers) run.counting.add(run.step + Math.ceil(dayMs / stepMs), 0, n);
  const at = now + run.step * stepMs;
  let left = n;
  let pool = open;
  for (let slot = 0; slot < run.ready.length && left > 0; slot += groups.length) {
    const taken = new Float64Array(groups.length);
    let here = 0;
    for (let group = 0; group < groups.length; group++) {
      const waiting = run.isOpen[group] ? run.ready[slot + group]! : 0;
      if (waiting === 0) continue;
      const some = Math.min(waiting, left, Math.round((left * waiting) / pool));
      pool -= waiting;
      run.ready[slot + group] = waiting - some;
      taken[group] = some;
      left -= some;
      here += some;
    }
    if (here > 0) endCalls(run, at, stepMs * used, slot / groups.length, here, taken, true);
  }
}

/** How many calls may start in a step so that at most `maxCalls` are in progress. */
function headroomOf(run: Run, maxCalls: number): number {
  if (run.turnover < 0.5) return Math.max(0, maxCalls - run.inFlight);
  run.flow = Math.min(run.flow, maxCalls * run.turnover) + maxCalls * run.turnover;
  return run.flow;
}

/** Ends calls that start within a part of a step: how and when they end, and who is tried again when. */
function endCalls(
  run: Run,
  from: number,
  spanMs: number,
  attempts: number,
  n: number,
  groups: Float64Array,
  isNew: boolean,
): void {
  const { given, odds, dice } = run;
  const shares = odds.byNumber[Math.min(attempts, odds.byNumber.length - 1)]!;
  const mayRetry = attempts + 1 < given.maxAttempts;
  let left = n;
  let shareLeft = 1;
  for (let o = 0; o < callEnds.length && left > 0; o++) {
    const k = dice.binomial(left, shares[o]! / Math.max(1e-9, shareLeft));
    shareLeft -= shares[o]!;
    left -= k;
    if (k === 0) continue;
    if (isNew) run.byEnd[o]! += k;
    const delays = mayRetry ? given.retry[callEnds[o]!] : undefined;
    const delay = delays?.[Math.min(attempts, delays.length - 1)];
    const mean = odds.seconds[o]! * 1_000;
    const parts = Math.min(k, given.stepMs > 2 * mean ? 2 : mostLengths);
    for (let part = 0; part < parts; part++) {
      const some = Math.floor((k * (part + 1)) / parts) - Math.floor((k * part) / parts);
      const whole = mean * Math.exp(odds.sigma * dice.normal() - odds.sigma ** 2 / 2);
      const end = from + dice.uniform() * spanMs + (isNew ? whole : whole * dice.uniform());
      run.lastEnd = Math.max(run.lastEnd, end);
      // A call ends in the middle of its step, on average.
      if (given.maxCalls !== null)
        run.free.add(stepOf(run, end + (dice.uniform() - 0.5) * given.stepMs), 0, some);
      if (delay === undefined) continue;
      const wanted = Math.max(delay * 1_000, given.leastMs);
      const again = stepOf(run, end + Math.max(wanted, given.gapMs));
      sendBack(run, again, attempts + 1, some, groups, n);
      if (given.gapMs > wanted) run.held.add(again, 0, some);
    }
  }
}

/** Makes people of the groups due again, in proportion. */
function sendBack(
  run: Run,
  step: number,
  attempts: number,
  n: number,
  groups: Float64Array,
  total: number,
): void {
  let left = n;
  let pool = total;
  for (let group = 0; group < groups.length && left > 0; group++) {
    if (groups[group] === 0) continue;
    const exact = (left * groups[group]!) / pool;
    const some = Math.min(left, Math.floor(exact + run.dice.uniform()));
    pool -= groups[group]!;
    if (some > 0) run.due.add(step, attempts * groups.length + group, some);
    left -= some;
  }
}
