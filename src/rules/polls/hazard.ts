import { binOf, bins, edges, middleOf, widthOf } from './ages.ts';
import { priorOf } from './prior.ts';

/** Learns when calls end, only from polls: the chance of an ending by age, and by the last status seen. */
export type Hazard = {
  readonly all: Tally;
  readonly byStatus: Map<string, Tally>;
  /** How many endings are kept. */
  readonly events: number;
  /** The rates assumed where little was seen, and how many endings were known when they were last judged. */
  prior: readonly number[];
  judgedAt: number;
  /** The endings as they were seen; the time of each is estimated again as more is known. */
  readonly ends: Sight[];
};

/**
 * Endings, and seconds of calls that were alive, by age. Calls in flight count for the seconds they were watched.
 * `alive`: the part of these in which they certainly were.
 */
export type Tally = {
  readonly ended: Float64Array;
  readonly watched: Float64Array;
  readonly alive: Float64Array;
};

/** A poll: the call was alive at age `from`, with this status, and was polled at age `to`. */
export type Sight = {
  from: number;
  to: number;
  status: string;
  /** It had ended by then, somewhere between the two. */
  ended: boolean;
};

/** The prior weighs as much as this many watched calls. */
const trust = 5;
/** Ages within 8 % of each other share their counts. */
const reach = 0.08;
/** A service may choose its own statuses, but only this many are told apart. */
const mostStatuses = 20;
/** Beyond this number old endings fade, so that a changing campaign is followed. */
const mostEvents = 2_000;
/** How many endings are enough for a first judgement. */
const firstJudgement = 10;

export function newHazard(): Hazard {
  const ends: Sight[] = [];
  return {
    all: newTally(),
    byStatus: new Map(),
    get events() {
      return ends.length;
    },
    prior: priorOf(),
    judgedAt: 0,
    ends,
  };
}

export function observe(hazard: Hazard, sight: Sight): void {
  const tallies = talliesOf(hazard, sight.status);
  const { from, to, ended } = sight;
  if (!ended) {
    watch(tallies, from, to);
    return;
  }
  hazard.ends.push(sight);
  spread((bin) => rateOf(hazard.all, hazard.prior, bin), tallies, from, to);
  if (hazard.events >= firstJudgement && hazard.events >= hazard.judgedAt * 1.2) rejudge(hazard);
  if (hazard.events > mostEvents) fade(hazard);
}

/** The chance of ending in the next second, by bin, of calls that were last seen with this status. */
export function chances(hazard: Hazard, status: string): Float64Array {
  const all = blend(hazard.all, hazard.prior);
  const own = hazard.byStatus.get(status);
  return own ? blend(own, all) : all;
}

/**
 * A call ended somewhere between two polls: its ending is spread over the bins by what is known so far, and each second
 * counts as watched by the chance that the call was alive then.
 */
function spread(rateAt: (bin: number) => number, tallies: Tally[], from: number, to: number): void {
  const first = binOf(from);
  const last = binOf(to);
  const inBin = (bin: number) =>
    Math.max(0, Math.min(to, edges[bin + 1]!) - Math.max(from, edges[bin]!)) || (first === last ? 1e-9 : 0);
  const parts: number[] = [];
  let alive = 1;
  for (let bin = first; bin <= last; bin++) {
    const stays = Math.exp(-rateAt(bin) * inBin(bin));
    parts.push(alive * (1 - stays));
    alive *= stays;
  }
  const total = parts.reduce((sum, part) => sum + part, 0);
  let left = 1;
  for (let bin = first; bin <= last; bin++) {
    const part = total > 0 ? parts[bin - first]! / total : 1 / parts.length;
    left = Math.max(0, left - part);
    for (const tally of tallies) {
      tally.ended[bin]! += part;
      tally.watched[bin]! += inBin(bin) * (left + part / 2);
    }
  }
}

function watch(tallies: Tally[], from: number, to: number): void {
  for (let bin = binOf(from); bin < bins && edges[bin]! < to; bin++) {
    const seconds = Math.min(to, edges[bin + 1]!) - Math.max(from, edges[bin]!);
    if (seconds <= 0) continue;
    for (const tally of tallies) {
      tally.watched[bin]! += seconds;
      tally.alive[bin]! += seconds;
    }
  }
}

/** The rates from the counts of neighbouring ages, near `before` where little was seen. */
function blend(tally: Tally, before: ArrayLike<number>): Float64Array {
  const rates = new Float64Array(bins);
  for (let bin = 0; bin < bins; bin++) rates[bin] = rateOf(tally, before, bin);
  return rates;
}

function rateOf(tally: Tally, before: ArrayLike<number>, bin: number): number {
  const span = middleOf(bin) * reach;
  let ended = 0;
  let watched = 0;
  for (let near = bin; near >= 0 && middleOf(bin) - middleOf(near) <= span; near--) {
    ended += tally.ended[near]!;
    watched += tally.watched[near]!;
  }
  for (let near = bin + 1; near < bins && middleOf(near) - middleOf(bin) <= span; near++) {
    ended += tally.ended[near]!;
    watched += tally.watched[near]!;
  }
  const weight = trust * (2 * span + widthOf(bin));
  return (before[bin]! * weight + ended) / (weight + watched);
}

function talliesOf(hazard: Hazard, status: string): Tally[] {
  const known = hazard.byStatus.get(status);
  if (known) return [hazard.all, known];
  if (hazard.byStatus.size >= mostStatuses) return [hazard.all];
  const made = newTally();
  hazard.byStatus.set(status, made);
  return [hazard.all, made];
}

function newTally(): Tally {
  return {
    ended: new Float64Array(bins),
    watched: new Float64Array(bins),
    alive: new Float64Array(bins),
  };
}

/**
 * The times of the first endings were a guess that would stay for ever: with a guess that is too late, polls come too
 * late, and show nothing against it. So all endings are spread again by what is known now.
 */
function rejudge(hazard: Hazard): void {
  hazard.judgedAt = hazard.events;
  rescale(hazard);
  const rates = blend(hazard.all, hazard.prior);
  for (const tally of [hazard.all, ...hazard.byStatus.values()]) {
    tally.ended.fill(0);
    tally.watched.set(tally.alive);
  }
  for (const { from, to, status } of hazard.ends) {
    spread((bin) => rates[bin]!, talliesOf(hazard, status), from, to);
  }
}

/**
 * Calls of one service may be much shorter than those of another, at every age. Once half of them are seen to end,
 * including those in flight, the prior for the ages not yet seen is scaled to that half.
 */
function rescale(hazard: Hazard): void {
  const { ended, watched } = hazard.all;
  let alive = 1;
  for (let bin = 0; bin < bins; bin++) {
    if (watched[bin]! === 0) continue;
    alive *= Math.exp((-ended[bin]! / watched[bin]!) * widthOf(bin));
    if (alive > 0.5) continue;
    hazard.prior = priorOf(Math.max(widthOf(0), middleOf(bin)));
    return;
  }
}

/** Drops the older half of the endings, and half of the watched time. */
function fade(hazard: Hazard): void {
  hazard.ends.splice(0, Math.floor(hazard.ends.length / 2));
  for (const tally of [hazard.all, ...hazard.byStatus.values()]) {
    for (let bin = 0; bin < bins; bin++) tally.alive[bin]! /= 2;
  }
  rejudge(hazard);
}
