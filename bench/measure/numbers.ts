/**
 * How soon a caller number that people stop answering is found, and how often a sound one rests for nothing: simulated
 * weeks of 20 numbers in three campaigns, whose people answer differently and by the hour, with lists that get worse.
 *
 *   npx tsx bench/measure/numbers.ts [--weeks 1000] [--collapses 1000]
 */
import { parseArgs } from 'node:util';
import {
  lookAtNumbers,
  type NumberCounts,
  type NumberTally,
  newWatch,
  noRecent,
} from '../../src/rules/number-watch.ts';

const { values } = parseArgs({
  options: { weeks: { type: 'string', default: '1000' }, collapses: { type: 'string', default: '1000' } },
});

type World = { numbers: number; callsADay: number; lookMs: number; random: () => number };
const campaigns = [0.35, 0.22, 0.12];
const day = 86_400_000;

/** Answers by the hour of the day, relative to the mean; and how a list gets worse in a week. */
const hourly = (at: number) => 1 + 0.45 * Math.sin((2 * Math.PI * (at % day)) / day);
const worse = (at: number, campaign: number) =>
  1 - (0.4 * ((at + campaign * 2 * day) % (7 * day))) / (7 * day);
const lastsOf = (campaign: number) => 0.85 - 0.1 * campaign;

/** Plays until `until`, or until `isOver`; tells each rest. `left` is what a turned number keeps of its answers. */
function play(
  { numbers, callsADay, lookMs, random }: World,
  until: number,
  turned: { number: number; at: number; answers: number; lasts: number } | null,
  onRest: (number: number, at: number, why: string) => boolean,
): void {
  const watches = Array.from({ length: numbers }, newWatch);
  const none: NumberCounts = { calls: 0, answered: 0, long: 0 };
  let tallies: NumberTally[] = campaigns.flatMap((_, c) =>
    watches.map((_, i) => ({
      campaign: String(c),
      name: String(i),
      rests: false,
      fresh: none,
      recent: noRecent,
    })),
  );
  const mean = (callsADay * lookMs) / day / campaigns.length;
  for (let at = 0; at < until; at += lookMs) {
    for (const tally of tallies) {
      tally.fresh = none;
      if (tally.rests) continue;
      const [c, i] = [Number(tally.campaign), Number(tally.name)];
      const share = campaigns[c]! * hourly(at) * worse(at, c);
      const isTurned = turned !== null && i === turned.number && at >= turned.at;
      const calls = Math.floor(mean) + (random() < mean % 1 ? 1 : 0);
      const answered = drawn(calls, share * (isTurned ? turned.answers : 1), random);
      const long = drawn(answered, lastsOf(c) * (isTurned ? turned.lasts : 1), random);
      tally.fresh = { calls, answered, long };
    }
    const looked = lookAtNumbers(tallies, (name) => watches[Number(name)]!);
    tallies = looked.tallies;
    for (const [name, { watch, why }] of looked.verdicts) {
      watches[Number(name)] = watch;
      if (why === null) continue;
      if (onRest(Number(name), at, why)) return;
      for (const tally of tallies) if (tally.name === name) tally.rests = true;
    }
  }
}

function drawn(n: number, share: number, random: () => number): number {
  let hits = 0;
  for (let i = 0; i < n; i += 1) if (random() < share) hits += 1;
  return hits;
}

/** A small generator with a seed, so that a table can be made again. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const weeks = Number(values.weeks);
const collapses = Number(values.collapses);
console.log(`False rests in ${weeks} weeks of 20 numbers, nothing wrong:`);
for (const callsADay of [400, 100]) {
  let rests = 0;
  for (let week = 0; week < weeks; week += 1)
    play({ numbers: 20, callsADay, lookMs: 900_000, random: seeded(week + 1) }, 7 * day, null, () => {
      rests += 1;
      return false;
    });
  console.log(
    `  ${callsADay} calls a day and number: ${rests}, in ${((weeks * 7 * 20 * callsADay) / 1e6).toFixed(1)} million calls`,
  );
}
console.log(`Calls of the number until it rests, of ${collapses} numbers that turn after two days:`);
for (const [name, answers, lasts] of [
  ['nobody answers', 0, 1],
  ['a tenth answers', 0.1, 1],
  ['a quarter answers', 0.25, 1],
  ['half answers', 0.5, 1],
  ['three quarters answer', 0.75, 1],
  ['calls last a tenth as often', 1, 0.1],
] as const) {
  const found: number[] = [];
  let others = 0;
  for (let i = 0; i < collapses; i += 1)
    play(
      { numbers: 20, callsADay: 400, lookMs: 60_000, random: seeded(i + 77) },
      7 * day,
      { number: 7, at: 2 * day + i * 60_000, answers, lasts },
      (number, at) => {
        if (number !== 7) {
          others += 1;
          return false;
        }
        found.push(((at - (2 * day + i * 60_000)) / day) * 400);
        return true;
      },
    );
  found.sort((a, b) => a - b);
  const q = (share: number) =>
    Math.round(found[Math.min(found.length - 1, Math.floor(share * found.length))] ?? Number.NaN);
  console.log(
    `  ${name}: found ${found.length}, median ${q(0.5)}, 90 % ${q(0.9)}, 99 % ${q(0.99)}; other numbers rested: ${others}`,
  );
}
