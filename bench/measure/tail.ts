import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busyWorth } from '../../src/lane/poll-price.ts';
import { newHazard, observe } from '../../src/rules/polls/hazard.ts';
import { createPlanner } from '../../src/rules/polls/poll.ts';
import { seeded } from '../../test/support/random.ts';
import { type Life, livesOf } from '../support/lives.ts';
import { describeMachine, median, spread } from '../support/report.ts';
import { results } from '../support/stage.ts';
import { createTimeline } from '../support/timeline.ts';
import { boundOf } from './bound.ts';

/**
 * The cost of the end of a list: the time to finish it when every token of a known limit is used and nothing disturbs,
 * in virtual time; and what would help, at what price.
 */
export type TailOptions = { calls: number; rate: number; seeds: number };

/** How much more a poll costs when so many people are still to be called. */
type Price = (left: number) => number;
type Way = { name: string; price(calls: number): Price; longestFirst?: boolean };

/** The low worth of a poll when there are spare tokens: `idleWorth` in the calls' time of the makespan benchmark. */
const idleWorth = 2;
/** Creates keep at least this share of the tokens, as in the pacer. */
const createEvery = 5;

const lastPart = (share: number, factor: number) => (calls: number) => (left: number) =>
  left < calls * share ? factor : 1;

const ways: Way[] = [
  { name: 'as it is', price: () => () => 1 },
  { name: 'polls cost 4 times as much in the last tenth', price: lastPart(0.1, 4) },
  { name: 'polls cost 20 times as much in the last tenth', price: lastPart(0.1, 20) },
  { name: 'polls cost 20 times as much in the last fifth', price: lastPart(0.2, 20) },
  { name: 'the longest calls first, which nobody knows', price: () => () => 1, longestFirst: true },
];

export function measureTail(options: TailOptions): void {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${options.calls} calls, ${options.rate} requests a second, ${options.seeds} seeds; virtual time\n`);
  say(row('', 'seconds', 'to the bound', 'spread', 'tail, s', 'polls', 'mean lag', '95 %'));
  const rows = ways.map((way) => {
    const runs = Array.from({ length: options.seeds }, (_, i) => play(way, options, i + 1));
    const of = (pick: (run: (typeof runs)[number]) => number, digits: number) =>
      median(runs.map(pick)).toFixed(digits);
    const ratio = spread(runs.map((run) => run.ratio));
    say(
      row(
        way.name,
        of((run) => run.seconds, 0),
        ratio.median.toFixed(3),
        `${ratio.least.toFixed(2)}-${ratio.most.toFixed(2)}`,
        of((run) => run.tail, 0),
        of((run) => run.polls, 2),
        of((run) => run.lag, 1),
        of((run) => run.p95, 1),
      ),
    );
    return { way: way.name, ratio, runs };
  });
  say(
    '\nTo the bound: of a schedule that knows all and polls as often. Tail: from the last create to the last result.',
  );
  const path = join(results, 'tail.json');
  writeFileSync(path, `${JSON.stringify({ machine: describeMachine(), ...options, rows }, null, 2)}\n`);
  say(`\nWritten to ${path}`);
}

type Poll = { life: Life; madeAt: number; seen: number; status: string };

/** Plays one request per token: a poll that is due, else a create. */
function play(way: Way, { calls, rate }: TailOptions, seed: number) {
  const lives = livesOf(calls, seed);
  if (way.longestFirst) lives.sort((a, b) => b.end - a.end);
  const price = way.price(calls);
  const hazard = newHazard();
  const planner = createPlanner(hazard, seeded(seed));
  const timeline = createTimeline<Poll>();
  let nextPoll = timeline.next();
  const plan = (poll: Poll, now: number) => {
    const left = calls - made;
    const worth = left > 0 ? busyWorth * price(left) : idleWorth;
    if (nextPoll) timeline.at(nextPoll.at, nextPoll.what);
    timeline.at(now + planner.nextIn(poll.seen, poll.status, worth), poll);
    nextPoll = timeline.next();
  };
  const lags: number[] = [];
  let made = 0;
  let polls = 0;
  let pollsInRow = 0;
  let now = 0;
  let lastCreate = 0;
  while (lags.length < calls) {
    now += 1 / rate;
    const mayCreate = made < calls;
    if (nextPoll && nextPoll.at <= now && !(mayCreate && pollsInRow >= createEvery - 1)) {
      const { life, madeAt, seen, status } = nextPoll.what;
      nextPoll = timeline.next();
      pollsInRow += 1;
      polls += 1;
      const age = now - madeAt;
      const next = age >= life.end ? null : life.changes.findLast(({ at }) => at <= age)!.status;
      observe(hazard, { from: seen, to: age, status, next });
      if (next === null) lags.push(age - life.end);
      else plan({ life, madeAt, seen: age, status: next }, now);
    } else if (mayCreate) {
      pollsInRow = 0;
      lastCreate = now;
      const life = lives[made]!;
      made += 1;
      plan({ life, madeAt: now, seen: 0, status: life.changes[0]!.status }, now);
    }
  }
  lags.sort((a, b) => a - b);
  const lengths = lives.map(({ end }) => end);
  const bound = boundOf(lengths, [{ from: 0, rate, credit: true }], 1 + polls / calls);
  return {
    seconds: now,
    ratio: now / bound.seconds,
    tail: now - lastCreate,
    polls: polls / calls,
    lag: lags.reduce((sum, lag) => sum + lag, 0) / calls,
    p95: lags[Math.floor(calls * 0.95)]!,
  };
}

function row(name: string, ...cells: string[]): string {
  return name.padEnd(48) + cells.map((cell) => cell.padStart(14)).join('');
}
