import { createStream } from '../../simulator/random.ts';
import { newHazard, observe } from '../../src/rules/polls/hazard.ts';
import { createPlanner } from '../../src/rules/polls/poll.ts';
import { bestWaits } from '../../src/rules/polls/poll-plan.ts';
import { priorOf } from '../../src/rules/polls/prior.ts';
import { seeded } from '../../test/support/random.ts';
import { atEqualPolls, byWaits, follow, type Life, livesOf, type Policy } from '../support/lives.ts';
import { median } from '../support/report.ts';

/**
 * The schedule to poll by before anything was seen: our prior, or the schedule whose cost is the same whenever a call
 * ends (Keller 1974); each without learning, and until twenty endings were seen.
 */
const beat = 10;
const deadline = 7_200;
/** The first calls of a list: later ones have learned from them, whatever came first. */
const first = 300;
const enoughEndings = 20;

type Kind = { name: string; lives(calls: number, seed: number): Life[] };

const longer = (factor: number) => (calls: number, seed: number) =>
  livesOf(calls, seed).map(({ end, changes }) => ({
    end: end * factor,
    changes: changes.map(({ at, status }) => ({ at: at * factor, status })),
  }));

const drawn = (draw: (random: () => number) => number) => (calls: number, seed: number) => {
  const random = createStream(seed, 'cold start');
  return Array.from({ length: calls }, () => ({ end: draw(random), changes: [{ at: 0, status: 'queued' }] }));
};

const kinds: Kind[] = [
  { name: 'calls of the simulated service', lives: livesOf },
  { name: 'the same, a quarter as long', lives: longer(0.25) },
  { name: 'the same, half as long', lives: longer(0.5) },
  { name: 'the same, three times as long', lives: longer(3) },
  {
    name: 'one chance at every age, a minute on average',
    lives: drawn((random) => -60 * Math.log(1 - random())),
  },
  { name: 'any length up to two minutes', lives: drawn((random) => 120 * random()) },
  { name: 'any length up to ten minutes', lives: drawn((random) => 600 * random()) },
  { name: 'all within a second of 45 s', lives: drawn((random) => 44.5 + random()) },
];

/** Starts by name. Each gets the length of the longest call, and uses it only if its name has one star. */
const starts: Record<string, (longest: number, seed: number) => (worth: number) => Policy> = {
  prior: () => byPrior,
  'minimax*': (longest) => minimax(longest),
  'minimax**': () => minimax(deadline),
  'prior, learns': (_, seed) => (worth) => learner(worth, seed, null),
  'minimax*, l.': (longest, seed) => (worth) => learner(worth, seed, minimax(longest)(worth)),
  'minimax**, l.': (_, seed) => (worth) => learner(worth, seed, minimax(deadline)(worth)),
};

export function measureColdStart(seeds: number, say: (line: string) => void) {
  say(
    `\nThe first ${first} calls of a list, with as many polls as every ${beat} s: mean lag, that beat's being 1`,
  );
  say(row('calls', ...Object.keys(starts)));
  const rows = kinds.map(({ name, lives: make }) => {
    const runs = Array.from({ length: seeds }, (_, i) => {
      const lives = make(first, i + 1);
      const longest = Math.max(...lives.map(({ end }) => end));
      const fixed = follow(lives, { next: () => beat });
      return Object.values(starts).map((start) => {
        const policyAt = start(longest, i + 1);
        return atEqualPolls(fixed.polls, (worth) => follow(lives, policyAt(worth))).lag / fixed.lag;
      });
    });
    const ratios = Object.keys(starts).map((_, at) => median(runs.map((run) => run[at]!)));
    say(row(name, ...ratios.map((each) => each.toFixed(2))));
    return { name, ...Object.fromEntries(Object.keys(starts).map((start, at) => [start, ratios[at]])) };
  });
  say('* told how long the longest of these calls is. ** told only the deadline of a call, two hours.');
  return rows;
}

function byPrior(worth: number): Policy {
  const { unknown } = bestWaits([], Float64Array.from(priorOf()), worth);
  return byWaits(() => unknown);
}

/** Polls this far apart cost the same whenever a call ends before `longest`: see docs/internals/polls.md. */
function minimax(longest: number) {
  return (worth: number): Policy => ({
    next: (age) => Math.max(0.25, 2 * Math.sqrt(worth * Math.max(0, longest - age))),
  });
}

function learner(worth: number, seed: number, start: Policy | null): Policy {
  const hazard = newHazard();
  const planner = createPlanner(hazard, seeded(seed));
  return {
    next: (age, status, nth) =>
      start && hazard.events < enoughEndings
        ? start.next(age, status, nth)
        : planner.nextIn(age, status, worth),
    saw: (from, to, status, next) => observe(hazard, { from, to, status, next }),
  };
}

function row(name: string, ...cells: string[]): string {
  return name.padEnd(46) + cells.map((cell) => cell.padStart(15)).join('');
}
