import { decideScript, defaultShares, type Script } from '../../simulator/fates.ts';
import { binOf, bins, type CountsByStatus, countsFor, edges, movesOf } from '../../src/rules/polls/ages.ts';
import { watch } from '../../src/rules/polls/hazard.ts';
import { type StageRates, stageOf } from '../../src/rules/polls/stages.ts';
import { createHeap } from '../measure/worlds/play.ts';

/** Calls in virtual time: how each ends, and how late a polling schedule learns of it. */

/** Times in seconds of its age: when its status changes, and when it ends. */
export type Life = { end: number; changes: readonly { at: number; status: string }[] };

export type Policy = {
  next(age: number, status: string, nth: number): number;
  /** `after` is null when the call had ended. */
  saw?(from: number, to: number, status: string, after: string | null): void;
};

export type Score = { polls: number; lag: number; p95: number };

/** How many calls start per second: the first ones can teach only the later ones. */
const startsPerSecond = 5;

/** The calls that the simulated service would make from such a list. */
export function livesOf(calls: number, seed: number): Life[] {
  const fortune = { seed, shares: defaultShares, forced: { phones: {}, endings: {} } };
  return Array.from({ length: calls }, (_, i) => lifeOf(decideScript(fortune, `+1415${5_550_000 + i}`, 0)));
}

function lifeOf({ queueMs, ringMs, talkMs }: Script): Life {
  const rings = queueMs / 1_000;
  const talks = rings + ringMs / 1_000;
  const talk = talkMs > 0 ? [{ at: talks, status: 'in-progress' }] : [];
  const changes = [{ at: 0, status: 'queued' }, { at: rings, status: 'ringing' }, ...talk];
  return { end: talks + talkMs / 1_000, changes };
}

export function follow(lives: readonly Life[], policy: Policy): Score {
  type Event = { at: number; life: Life; start: number; seen: number; status: string; nth: number };
  const timeline = createHeap<Event>();
  const lags: number[] = [];
  let polls = 0;
  for (const [i, life] of lives.entries()) {
    const start = i / startsPerSecond;
    timeline.push({ at: start, life, start, seen: -1, status: life.changes[0]!.status, nth: 0 });
  }
  while (timeline.length() > 0) {
    const event = timeline.pop();
    const { at, life, start, seen, status, nth } = event;
    const age = at - start;
    if (seen < 0) {
      timeline.push({ ...event, at: at + policy.next(0, status, 0), seen: 0 });
      continue;
    }
    polls += 1;
    const after = age >= life.end ? null : life.changes.findLast((change) => change.at <= age)!.status;
    policy.saw?.(seen, age, status, after);
    if (after === null) lags.push(age - life.end);
    else
      timeline.push({
        ...event,
        at: at + policy.next(age, after, nth + 1),
        seen: age,
        status: after,
        nth: nth + 1,
      });
  }
  lags.sort((a, b) => a - b);
  return {
    polls: polls / lives.length,
    lag: lags.reduce((sum, lag) => sum + lag, 0) / lags.length,
    p95: lags[Math.floor(lags.length * 0.95)]!,
  };
}

/** The course of these calls, by bins. */
export function courseOf(lives: readonly Life[]): StageRates {
  const counted: CountsByStatus = new Map();
  for (const { end, changes } of lives) {
    for (const [i, { at, status }] of changes.entries()) {
      const next = changes[i + 1];
      const own = countsFor(counted, status);
      watch(own.watched, { from: at, to: next?.at ?? end, status, next: status });
      if (next) movesOf(own, next.status)[binOf(next.at)]! += 1;
      else own.ended[binOf(end)]! += 1;
    }
  }
  const numbers = new Map([...counted.keys()].map((status, i) => [status, i]));
  return [...counted].map(([status, { watched, ended, moved }]) => {
    // Bins in which nobody was seen alive have no data: a call is taken to end soon there.
    const rate = (counts: Float64Array) =>
      counts.map((count, bin) => (watched[bin]! > 0 ? count / watched[bin]! : 0));
    const ends = rate(ended).map((each, bin) => (watched[bin]! > 0 ? each : lastRate));
    const moves = [...moved].map(([next, counts]) => ({ to: numbers.get(next)!, rates: rate(counts) }));
    return stageOf(status, ends, moves);
  });
}

const lastRate = 0.02;

/**
 * The worth of a request decides how many are spent: found by bisection. A mix of the two nearest worths spends exactly
 * as many.
 */
export function atEqualPolls(polls: number, run: (worth: number) => Score, rounds = 10): Score {
  let low = 0.02;
  let high = 200;
  let more: Score | undefined;
  let fewer: Score | undefined;
  for (let i = 0; i < rounds || (i < 40 && (!more || !fewer)); i++) {
    const middle = Math.sqrt(low * high);
    const score = run(middle);
    if (score.polls > polls) {
      low = middle;
      more = score;
    } else {
      high = middle;
      fewer = score;
    }
  }
  if (!fewer || !more) return fewer ?? { polls: Number.NaN, lag: Number.NaN, p95: Number.NaN };
  const part = (polls - fewer.polls) / (more.polls - fewer.polls);
  const mix = (pick: (score: Score) => number) => pick(fewer) + part * (pick(more) - pick(fewer));
  return { polls, lag: mix((score) => score.lag), p95: mix((score) => score.p95) };
}

/** A schedule that depends only on age and status. */
export function byWaits(waitsOf: (status: string) => ArrayLike<number>): Policy {
  return {
    next(age, status) {
      const waits = waitsOf(status);
      const bin = binOf(age);
      const next = waits[Math.min(bins - 1, bin + 1)]!;
      const width = edges[bin + 1]! - edges[bin]!;
      const into = Math.min(1, (age - edges[bin]!) / width);
      return Math.max(0.25, edges[bin]! + waits[bin]! + into * (width + next - waits[bin]!) - age);
    },
  };
}
