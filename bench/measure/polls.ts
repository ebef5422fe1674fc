import { fromKept, type KeptCounts, toKept } from '../../src/rules/polls/ages.ts';
import { newHazard, observe, warm } from '../../src/rules/polls/hazard.ts';
import { createPlanner } from '../../src/rules/polls/poll.ts';
import { bestWaits } from '../../src/rules/polls/poll-plan.ts';
import type { StageRates } from '../../src/rules/polls/stages.ts';
import { seeded } from '../../test/support/random.ts';
import { atEqualPolls, byWaits, courseOf, follow, livesOf, type Policy } from '../support/lives.ts';
import { keep, median, say, spread } from '../support/report.ts';

/** How late results are known at equal polls: our planner compared with published schedules, in virtual time. */
export type PollsOptions = { calls: number; seeds: number };

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

/** The bound knows how these calls end: other calls of the same service than those that are followed. */
const knownCalls = 50_000;
/** The worth of a request in an earlier campaign of the agent, which taught the lessons: the default. */
const usualWorth = 3;
const otherSeed = 1_000;

export function measurePolls(options: PollsOptions): void {
  say(`${options.calls} calls a run, ${options.seeds} seeds; at equal polls a call`);
  say('');
  say(
    row(
      'schedule',
      'polls',
      'its lag',
      'cold',
      'ratio',
      'spread',
      'warm',
      'ratio',
      'spread',
      'bound',
      'ratio',
    ),
  );
  const truth = courseOf(livesOf(knownCalls, otherSeed));
  const seeds = Array.from({ length: options.seeds }, (_, i) => i + 1);
  const lessons = seeds.map((seed) => learned(options.calls, seed + otherSeed));
  const rows = Object.entries(peers).map(([name, make]) => {
    const runs = seeds.map((seed, i) => runOnce(make, options.calls, seed, truth, lessons[i]!));
    type Run = (typeof runs)[number];
    const of = (pick: (run: Run) => number, digits = 2) => median(runs.map(pick)).toFixed(digits);
    const ratio = (pick: (run: Run) => number) => spread(runs.map((run) => pick(run) / run.peer.lag));
    const cold = ratio((run) => run.cold.lag);
    const warmed = ratio((run) => run.warm.lag);
    const bound = ratio((run) => run.bound.lag);
    const wide = ({ least, most }: typeof cold) => `${least.toFixed(2)}-${most.toFixed(2)}`;
    say(
      row(
        name,
        of((run) => run.peer.polls),
        of((run) => run.peer.lag),
        of((run) => run.cold.lag),
        cold.median.toFixed(3),
        wide(cold),
        of((run) => run.warm.lag),
        warmed.median.toFixed(3),
        wide(warmed),
        of((run) => run.bound.lag),
        bound.median.toFixed(3),
      ),
    );
    return { schedule: name, cold, warm: warmed, bound, runs };
  });
  say('\nlag: mean seconds from the end of a call to the poll that sees it.');
  say('cold: nothing is known when the list begins. warm: another list of this agent was called before.');
  say('bound: the best waits for one that knows how the calls of this service end.');
  keep('polls', { ...options, rows });
}

function row(name: string, ...cells: string[]): string {
  return name.padEnd(46) + cells.map((cell) => cell.padStart(11)).join('');
}

function runOnce(
  make: (random: () => number) => Policy,
  calls: number,
  seed: number,
  truth: StageRates,
  lesson: readonly KeptCounts[],
) {
  const lives = livesOf(calls, seed);
  const peer = follow(lives, make(seeded(seed)));
  const at = (policyAt: (worth: number) => Policy) =>
    atEqualPolls(peer.polls, (worth) => follow(lives, policyAt(worth)));
  return {
    seed,
    peer,
    cold: at((worth) => learner(worth, seed).policy),
    warm: at((worth) => learner(worth, seed, lesson).policy),
    bound: at((worth) => knower(truth, worth)),
  };
}

function learned(calls: number, seed: number): KeptCounts[] {
  const { hazard, policy } = learner(usualWorth, seed);
  follow(livesOf(calls, seed), policy);
  return toKept(hazard.counted);
}

/** Learns about these calls only from its own polls and from what was kept, as in the program. */
function learner(worth: number, seed: number, lesson?: readonly KeptCounts[]) {
  const hazard = newHazard();
  if (lesson) warm(hazard, fromKept(lesson));
  const planner = createPlanner(hazard, seeded(seed));
  const policy: Policy = {
    next: (age, status) => planner.nextIn(age, status, worth),
    saw: (from, to, status, next) => observe(hazard, { from, to, status, next }),
  };
  return { hazard, policy };
}

function knower(truth: StageRates, worth: number): Policy {
  const { byStatus, unknown } = bestWaits(truth, truth[0]!.ends, worth);
  return byWaits((status) => byStatus.get(status) ?? unknown);
}
