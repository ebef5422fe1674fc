import { afterBusy, afterClean } from './pace.ts';
import { runAt } from './pace-curve.ts';
import { type Busy, type Clean, newPace, type Pace } from './pace-state.ts';

/**
 * A lane's knowledge of limits that hold for creates only: a number of calls at once, or a rate of creates. A 429 for
 * the lane's own rate refuses whatever comes next; one of these refuses creates while polls pass. Pure.
 */
export type Creates = {
  /** Recent creates and polls, and how many of each were refused; older ones fade. */
  made: number;
  madeRefused: number;
  polls: number;
  pollsRefused: number;
  /** Polls that passed since the last refused create. */
  passed: number;
  /**
   * When the last refusal that began an event was heard, and its kind: requests sent before then belong to the event.
   */
  cutAt: number;
  event: 'create' | 'poll' | null;
  /** Events in a row that began with a refused create and refused polls too. */
  mixed: number;
  /** Which creates were accepted, and which refused. */
  outcomes: Outcome[];
  /** When the last create that was accepted left. */
  acceptedAt: number;
  /** Accepted creates a second, averaged over some seconds: the recent speed, and the fastest. */
  speed: number;
  fastest: number;
  heardAt: number;
  kind: 'none' | 'cap' | 'rate';
  /** Calls at once, as the ledger counts them. */
  most: number;
  step: number;
  /** Requests accepted since a create was refused. */
  accepted: number;
  /** The creates' own pace. */
  pace: Pace | null;
};

type Outcome = {
  ok: boolean;
  /** Calls in progress when this one was sent, and the time since a create was last accepted. */
  calls: number;
  gapMs: number;
};

/**
 * `isNews`: it left after the last refusal was known. Only one of several requests that left together says something.
 */
type News = { isNews: boolean };
type CreateRefusal = Busy & News & { inFlight: number };

const fade = 0.99;
const kept = 24;
/** How much better a limit of their own must explain the creates' refusals, as a logarithm. */
const proof = 3;
/** More calls at once are tried after this many accepted requests. */
const tryAfter = 100;
/** Creates have no limit of their own that matters after this many requests without a refused create. */
const forgetAfter = 3_000;
/** This many events in a row that refused polls too show that creates have no limit of their own. */
const mostMixed = 3;
/** The seconds over which a speed is taken, and after which the fastest is half forgotten. */
const speedSeconds = 5;
const fastestHalf = 1_800;
const never = 1e9;

export function newCreates(now: number): Creates {
  return {
    ...{ made: 0, madeRefused: 0, polls: 0, pollsRefused: 0, passed: 0 },
    ...{ cutAt: 0, event: null, mixed: 0 },
    ...{ outcomes: [], acceptedAt: 0, speed: 0, fastest: 0, heardAt: now },
    ...{ kind: 'none', most: 0, step: 1, accepted: 0, pace: null },
  };
}

/** How many calls at once are allowed now. */
export function capNow({ kind, most, step, accepted }: Creates): number | null {
  if (kind !== 'cap') return null;
  return Math.max(1, Math.floor(accepted >= tryAfter ? most + step : most));
}

/** The cap as it is shown to people: without the tries. */
export function capOf({ kind, most }: Creates): number | null {
  return kind === 'cap' ? Math.max(1, Math.floor(most)) : null;
}

/** Whether it is worth counting the calls in progress when creates are accepted. */
export function watchesCalls({ kind, madeRefused }: Creates): boolean {
  return kind === 'cap' || madeRefused > 0.2;
}

export function noteClean(
  before: Creates,
  heard: Clean & { creates: number; inFlight: number | null; createdAt?: number },
): Creates {
  const { now, sentAt, count, creates, inFlight, createdAt = sentAt } = heard;
  const next = noteShares(noteShares(before, 'poll', true, count - creates), 'create', true, creates);
  next.accepted += count;
  // Polls that left before the last refusal was known say nothing about what was refused after it.
  if (sentAt > next.cutAt) next.passed += count - creates;
  const seconds = Math.max(0, now - next.heardAt) / 1_000;
  const weight = 1 - Math.exp(-seconds / speedSeconds);
  if (seconds > 0) next.speed += (creates / seconds - next.speed) * weight;
  // One create in a second is not yet a speed.
  const shown = next.speed * speedSeconds >= 2 ? next.speed : 0;
  next.fastest = Math.max(next.fastest * 0.5 ** (seconds / fastestHalf), shown);
  next.heardAt = now;
  if (next.kind !== 'none' && next.accepted > forgetAfter) return newCreates(now);
  if (creates === 0) return next;
  const gapMs = next.acceptedAt > 0 ? Math.max(0, createdAt - next.acceptedAt) / creates : never;
  next.acceptedAt = Math.max(next.acceptedAt, createdAt);
  if (inFlight !== null)
    next.outcomes = [...next.outcomes, { ok: true, calls: inFlight - 1, gapMs }].slice(-kept);
  // There were more calls at once than before, and no refusal for a while.
  if (next.kind === 'cap' && inFlight !== null && next.accepted >= tryAfter + 10 && inFlight > next.most) {
    const most = inFlight;
    Object.assign(next, {
      most,
      step: Math.min(most / 4 + 1, next.step * 2),
      accepted: tryAfter,
    });
  }
  if (next.pace) next.pace = afterClean(next.pace, { now, sentAt, count: creates, eager: true });
  return next;
}

/** Judges a refused create. `own` says that it met a limit of the creates, and not the lane's rate. */
export function noteBusy(before: Creates, refusal: CreateRefusal): { creates: Creates; own: boolean } {
  const { now, sentAt, inFlight, isNews } = refusal;
  let next = { ...before };
  if (isNews) {
    // A refusal with no call in progress cannot mean a cap. Refused creates mean one only if polls pass between them.
    const counts = inFlight > 0 && next.passed > 0;
    if (counts) next = noteShares(next, 'create', false, 1);
    // Nothing has shown that the last event met polls too.
    if (next.event === 'create') next.mixed = 0;
    Object.assign(next, { cutAt: now, event: counts ? 'create' : null });
    next.passed = 0;
    const gapMs = next.acceptedAt > 0 ? Math.max(0, sentAt - next.acceptedAt) : never;
    next.outcomes = [...next.outcomes, { ok: false, calls: inFlight, gapMs }].slice(-kept);
  }
  const isUnknown = next.kind === 'none' && ownOdds(next) < proof;
  const isFarBelow = next.kind === 'cap' && inFlight < next.most * 0.6 - 1;
  if (isUnknown || isFarBelow) return { creates: next, own: false };
  const kind = kindOf(next);
  if (kind !== next.kind)
    Object.assign(next, { kind, pace: null, most: Math.max(1, inFlight), step: 1, mixed: 0 });
  return { creates: kind === 'cap' ? lower(next, refusal) : slower(next, refusal), own: true };
}

function lower(creates: Creates, { inFlight, isNews }: Pick<CreateRefusal, 'inFlight' | 'isNews'>): Creates {
  const { most, accepted } = creates;
  const tried = accepted >= tryAfter;
  let next = most;
  if (inFlight < most) next = Math.max(inFlight, most * 0.9);
  // Calls that have ended count until a poll has shown it: the number is never exact.
  else if (!tried && isNews) next = most - Math.max(0.34, 0.01 * most);
  next = Math.max(1, next);
  return { ...creates, most: next, step: Math.max(1, 0.015 * next), accepted: 0 };
}

function slower(creates: Creates, refusal: CreateRefusal): Creates {
  const { now } = refusal;
  const pace = creates.pace ?? runAt(newPace(now), rateFrom(creates), now);
  return { ...creates, accepted: 0, pace: afterBusy(pace, refusal) };
}

function noteShares(creates: Creates, kind: 'create' | 'poll', ok: boolean, count: number): Creates {
  if (count === 0) return { ...creates };
  const keep = fade ** count;
  const next = { ...creates };
  next.made *= keep;
  next.madeRefused *= keep;
  next.polls *= keep;
  next.pollsRefused *= keep;
  next[kind === 'create' ? 'made' : 'polls'] += count;
  if (!ok) next[kind === 'create' ? 'madeRefused' : 'pollsRefused'] += count;
  return next;
}

/**
 * Judges a refused poll. If it left before a create's refusal was known, it met the same limit as that create, which
 * was then not a limit of creates: a fast lane has many requests on their way, and which is heard first is chance.
 */
export function notePollBusy(before: Creates, { now, isNews }: Pick<Busy, 'now'> & News): Creates {
  if (isNews) return { ...noteShares(before, 'poll', false, 1), cutAt: now, event: 'poll' };
  if (before.event !== 'create') return before;
  const next = noteShares(before, 'poll', false, 1);
  Object.assign(next, {
    madeRefused: Math.max(0, next.madeRefused - 1),
    event: 'poll',
    mixed: next.mixed + 1,
  });
  return next.kind !== 'none' && next.mixed >= mostMixed ? newCreates(now) : next;
}

/** Log-likelihood of two shares of refused requests, one for creates and one for polls, against one for both. */
export function ownOdds({ made, madeRefused, polls, pollsRefused }: Creates): number {
  if (made < 2 || polls < 2 || madeRefused / made <= pollsRefused / polls) return 0;
  return gainOfTwo(madeRefused, made, pollsRefused, polls);
}

/** The service said that there are too many calls at once: only the number is left to find out. */
export function noteFull(
  before: Creates,
  { now, sentAt, inFlight }: { now: number; sentAt: number; inFlight: number },
): Creates {
  const isNews = sentAt > before.cutAt;
  const outcomes = [...before.outcomes, { ok: false, calls: inFlight, gapMs: never }].slice(-kept);
  const next: Creates = { ...before, cutAt: now, event: 'create', passed: 0, mixed: 0, outcomes };
  if (before.kind !== 'cap')
    return { ...next, kind: 'cap', pace: null, most: Math.max(1, inFlight), step: 1, accepted: 0 };
  return lower(next, { inFlight, isNews });
}

/**
 * A cap on calls at once refuses from the same number on; a rate of creates refuses at any number, and accepts more
 * later. The ledger's number lags behind, because an end is known only once it is polled.
 */
function kindOf(creates: Creates): 'cap' | 'rate' {
  const { kind, outcomes } = creates;
  const refused = outcomes.filter(({ ok }) => !ok).map(({ calls }) => calls);
  const accepted = outcomes.filter(({ ok }) => ok).map(({ calls }) => calls);
  if (kind === 'rate' || refused.length < 4 || accepted.length === 0) return kind === 'rate' ? 'rate' : 'cap';
  const low = refused.sort((a, b) => a - b)[refused.length >> 2]!;
  const most = Math.max(...accepted);
  if (most > 1.5 * low + 2) return 'rate';
  // Creates were accepted faster before: a rate would have refused them.
  if (rateFrom(creates) < 0.7 * creates.fastest) return 'cap';
  const byCalls = leastErrors(outcomes.map(({ calls, ok }) => ({ value: -calls, ok })));
  const byGap = leastErrors(outcomes.map(({ gapMs, ok }) => ({ value: gapMs, ok })));
  return byGap <= 2 && byGap * 3 + 2 <= byCalls ? 'rate' : 'cap';
}

/** The fewest values that any threshold puts on the wrong side, if values at or above it should be accepted. */
function leastErrors(seen: readonly { value: number; ok: boolean }[]): number {
  const errors = [...seen.map(({ value }) => value), never * 2].map(
    (from) => seen.filter(({ value, ok }) => ok !== value >= from).length,
  );
  return Math.min(...errors);
}

/** Creates a second, from the shorter gaps between accepted creates: the longer gaps waited for something else. */
function rateFrom({ outcomes }: Creates): number {
  const gaps = outcomes.filter(({ ok, gapMs }) => ok && gapMs < never).map(({ gapMs }) => gapMs);
  const short = gaps.sort((a, b) => a - b)[gaps.length >> 2] ?? 1_000;
  return Math.min(100, Math.max(0.02, 1_000 / Math.max(1, short)));
}

/**
 * The logarithm of how much better two shares of refused requests explain what was seen than one share for all. Pure.
 */
function gainOfTwo(refused: number, all: number, otherRefused: number, otherAll: number): number {
  const together = likelihood(refused + otherRefused, all + otherAll);
  return likelihood(refused, all) + likelihood(otherRefused, otherAll) - together;
}

function likelihood(refused: number, all: number): number {
  const share = refused / all;
  const part = (count: number, of: number) => (count > 0 ? count * Math.log(of) : 0);
  return part(refused, share) + part(all - refused, 1 - share);
}
