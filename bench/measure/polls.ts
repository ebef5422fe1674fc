import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decideScript, defaultShares, type Script } from '../../simulator/fates.ts';
import { edges } from '../../src/rules/polls/ages.ts';
import { newHazard, observe } from '../../src/rules/polls/hazard.ts';
import { bestWaits, createPlanner } from '../../src/rules/polls/poll.ts';
import { seeded } from '../../test/support/random.ts';
import { describeMachine, median, spread } from '../support/report.ts';
import { results } from '../support/stage.ts';
import { createTimeline } from '../support/timeline.ts';

/** How late results are known at equal polls: our planner against published schedules, in virtual time. */
export type PollsOptions = { calls: number; seeds: number };

/** A call's status and end, in seconds of its age. */
type Life = { end: number; statusAt(age: number): string };
type Policy = {
  next(age: number, status: string, nth: number): number;
  saw?(from: number, to: number, status: string, ended: boolean): void;
};
type Score = { polls: number; lag: number; p95: number; worst: number };

/** How many calls start a second: what the first ones teach can help only the later ones. */
const startsPerSecond = 5;

/** Published schedules. The planner is compared with each at the same number of polls a call. */
const peers: Record<string, (random: () => number) => Policy> = {
  'long-running operation, 5 s x 1.5 up to 45 s': () => ({
    next: (_, __, nth) => Math.min(45, 5 * 1.5 ** nth),
  }),
  'waiter, random up to a doubling 2-120 s': (random) => ({
    next: (_, __, nth) => 2 + random() * (Math.min(120, 2 * 2 ** nth) - 2),
  }),
  'doubling, 1-60 s': () => ({ next: (_, __, nth) => Math.min(60, 2 ** nth) }),
  'every 5 s': () => ({ next: () => 5 }),
  'every 10 s': () => ({ next: () => 10 }),
  'every 30 s': () => ({ next: () => 30 }),
};

export function measurePolls(options: PollsOptions): void {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${options.calls} calls a run, ${options.seeds} seeds; at equal polls a call`);
  say('');
  say(
    `${'schedule'.padEnd(46)}${'polls'.padStart(7)}${'its lag'.padStart(9)}${'ours'.padStart(8)}${'ratio'.padStart(8)}` +
      `${'its p95'.padStart(9)}${'ours'.padStart(8)}${'no learning needed'.padStart(20)}`,
  );
  const rows = Object.entries(peers).map(([name, make]) => {
    const runs = Array.from({ length: options.seeds }, (_, i) => runOnce(make, options.calls, i + 1));
    const of = (pick: (run: (typeof runs)[number]) => number) => median(runs.map(pick));
    const ratio = spread(runs.map((run) => run.ours.lag / run.peer.lag));
    say(
      `${name.padEnd(46)}${of((r) => r.peer.polls)
        .toFixed(2)
        .padStart(7)}${seconds(of((r) => r.peer.lag)).padStart(9)}` +
        `${seconds(of((r) => r.ours.lag)).padStart(8)}${ratio.median.toFixed(2).padStart(8)}` +
        `${seconds(of((r) => r.peer.p95)).padStart(9)}${seconds(of((r) => r.ours.p95)).padStart(8)}` +
        `${seconds(of((r) => r.known.lag)).padStart(20)}`,
    );
    return { schedule: name, ratio, runs };
  });
  say(
    '\nlag: mean seconds from the end of a call to the poll that sees it. "no learning needed": the same planner,',
  );
  say('if it knew from the start how long these calls last.');
  const path = join(results, 'polls.json');
  writeFileSync(path, `${JSON.stringify({ machine: describeMachine(), ...options, rows }, null, 2)}\n`);
  say(`\nWritten to ${path}`);
}

function runOnce(make: (random: () => number) => Policy, calls: number, seed: number) {
  const lives = livesOf(calls, seed);
  const peer = follow(lives, make(seeded(seed)));
  const ours = atEqualPolls(peer.polls, (worth) => follow(lives, learner(worth, seeded(seed))));
  const rates = ratesOf(lives);
  const known = atEqualPolls(peer.polls, (worth) => follow(lives, knower(rates, worth)));
  return { seed, peer, ours, known };
}

/** The worth of a request decides how many are spent: found by halving. */
function atEqualPolls(polls: number, run: (worth: number) => Score): Score {
  let low = 1e-3;
  let high = 500;
  let best = run(low);
  for (let i = 0; i < 18; i++) {
    const middle = Math.sqrt(low * high);
    const score = run(middle);
    if (score.polls > polls) low = middle;
    else {
      high = middle;
      best = score;
    }
  }
  return best;
}

/** As in the program: it learns about these calls only from its own polls. */
function learner(worth: number, random: () => number): Policy {
  const hazard = newHazard();
  const planner = createPlanner(hazard, random);
  return {
    next: (age, status) => planner.nextIn(age, status, worth),
    saw: (from, to, status, ended) => observe(hazard, { from, to, status, ended }),
  };
}

function knower(rates: Float64Array, worth: number): Policy {
  const waits = bestWaits(rates, worth);
  return {
    next(age) {
      const bin = edges.findIndex((edge) => edge > age) - 1;
      return Math.max(0.25, waits[Math.max(0, bin)]!);
    },
  };
}

function ratesOf(lives: readonly Life[]): Float64Array {
  const ends = lives.map((life) => life.end).sort((a, b) => a - b);
  let passed = 0;
  const rates = new Float64Array(edges.length - 1);
  for (let bin = 0; bin < rates.length; bin++) {
    const alive = ends.length - passed;
    while (passed < ends.length && ends[passed]! < edges[bin + 1]!) passed += 1;
    const stay = ends.length - passed;
    const width = edges[bin + 1]! - edges[bin]!;
    rates[bin] = alive === 0 ? 1 : -Math.log(Math.max(stay, 0.5) / alive) / width;
  }
  return rates;
}

function follow(lives: readonly Life[], policy: Policy): Score {
  const timeline = createTimeline<{ life: Life; start: number; seen: number; status: string; nth: number }>();
  const lags: number[] = [];
  let polls = 0;
  for (const [i, life] of lives.entries()) {
    const start = i / startsPerSecond;
    timeline.at(start, { life, start, seen: -1, status: 'queued', nth: 0 });
  }
  for (let event = timeline.next(); event; event = timeline.next()) {
    const { at, what } = event;
    const { life, start, seen, status, nth } = what;
    const age = at - start;
    if (seen < 0) {
      timeline.at(at + policy.next(0, status, 0), { ...what, seen: 0 });
      continue;
    }
    polls += 1;
    const ended = age >= life.end;
    policy.saw?.(seen, age, status, ended);
    if (ended) lags.push(age - life.end);
    else {
      const now = life.statusAt(age);
      timeline.at(at + policy.next(age, now, nth + 1), { ...what, seen: age, status: now, nth: nth + 1 });
    }
  }
  lags.sort((a, b) => a - b);
  return {
    polls: polls / lives.length,
    lag: lags.reduce((sum, lag) => sum + lag, 0) / lags.length,
    p95: lags[Math.floor(lags.length * 0.95)]!,
    worst: lags.at(-1)!,
  };
}

/** The calls that the simulated service would make of such a list. */
function livesOf(calls: number, seed: number): Life[] {
  const fortune = { seed, shares: defaultShares, forced: { phones: {}, endings: {} } };
  return Array.from({ length: calls }, (_, i) => lifeOf(decideScript(fortune, `+1415${5_550_000 + i}`, 0)));
}

function lifeOf({ queueMs, ringMs, talkMs }: Script): Life {
  const rings = queueMs / 1_000;
  const talks = rings + ringMs / 1_000;
  return {
    end: talks + talkMs / 1_000,
    statusAt: (age) => (age < rings ? 'queued' : age < talks || talkMs === 0 ? 'ringing' : 'in-progress'),
  };
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}
