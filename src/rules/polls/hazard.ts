import {
  add,
  binOf,
  bins,
  type CountsByStatus,
  countsFor,
  edges,
  endingsIn,
  middleOf,
  movesOf,
  newCounts,
  scale,
  widthOf,
} from './ages.ts';
import { priorOf } from './prior.ts';
import { retrace, type Sight, type Stage, type StageRates, stageOf } from './stages.ts';

/** Learns when calls end, only from polls: the chance of an ending, and of another status, by age and status. */
export type Hazard = {
  /** The counts from the sights, including `base`. */
  readonly counted: CountsByStatus;
  /** The counts known before the first poll, and how many endings they hold: see `warm`. */
  readonly base: CountsByStatus;
  baseEvents: number;
  /** Endings and changes of status as they were seen; the time of each is estimated again as more becomes known. */
  sights: Sight[];
  /** The seconds in which calls certainly had a status. */
  readonly alive: Map<string, Float64Array>;
  /** How many endings are known. */
  events: number;
  /** How many were known when all were last estimated again. */
  judgedAt: number;
  /** The rates assumed if little was seen. */
  prior: readonly number[];
  /** The stages by which new sights are judged, and how many endings were known when it was made. */
  stages: StageRates;
  stagesAt: number;
};

/** The prior weighs as much as this many watched calls. */
const trust = 5;
/** Ages this close to each other share their counts: a share of the age, and less as more is known. */
const reach = 0.08;
const reachEvents = 600;
/** A service may choose its own statuses, but only this many are told apart; the others count as one. */
const mostStatuses = 8;
const mostLetters = 60;
const otherStatus = '(other)';
/** Beyond this number old endings fade, so that a changing campaign is followed. */
const mostEvents = 2_000;
/** How many endings are enough for a first judgement. */
const firstJudgement = 10;
/** All are judged again after this growth; a new sight is judged by rates that are no older than this. */
const judgeGrowth = 1.2;
const stagesGrowth = 1.05;
/** Counts that others learned weigh at most this many endings, and less once the campaign itself has seen so many. */
const mostWarm = 200;
const trustedUntil = 100;
/** The rate of a change of status that was hardly seen: one in this many seconds. */
const rareMove = new Float64Array(bins).fill(0.01);

export function newHazard(): Hazard {
  return {
    counted: new Map(),
    base: new Map(),
    baseEvents: 0,
    sights: [],
    alive: new Map(),
    events: 0,
    judgedAt: 0,
    prior: priorOf(),
    stages: [],
    stagesAt: 0,
  };
}

/** Starts from what was learned from other calls of the same kind. */
export function warm(hazard: Hazard, counted: CountsByStatus): void {
  const endings = endingsIn(counted);
  if (endings === 0) return;
  scale(counted, Math.min(1, mostWarm / endings));
  for (const [status, ages] of counted) {
    const own = countsFor(hazard.base, nameOf(hazard, status));
    countsFor(hazard.counted, nameOf(hazard, status));
    add(own.watched, ages.watched);
    add(own.ended, ages.ended);
    for (const [next, counts] of ages.moved) add(movesOf(own, nameOf(hazard, next)), counts);
  }
  const weight = Math.min(mostWarm, endings);
  hazard.baseEvents += weight;
  hazard.events += weight;
  rejudge(hazard);
}

/** Returns the sight with the status by which it is known. */
export function observe(hazard: Hazard, seen: Sight): Sight {
  const next = seen.next === null ? null : nameOf(hazard, seen.next);
  const sight = { ...seen, status: nameOf(hazard, seen.status), next };
  const own = countsFor(hazard.counted, sight.status);
  if (next === sight.status) {
    watch(own.watched, sight);
    watch(aliveOf(hazard.alive, sight.status), sight);
    return sight;
  }
  hazard.sights.push(sight);
  if (next !== null) {
    countsFor(hazard.counted, next);
    if (!own.moved.has(next)) {
      movesOf(own, next);
      hazard.stages = [];
    }
  } else hazard.events += 1;
  const { events, judgedAt } = hazard;
  if (hazard.stages.length !== hazard.counted.size || events > hazard.stagesAt * stagesGrowth)
    setCourse(hazard);
  retrace(hazard.stages, sight, hazard.counted);
  if (next !== null) return sight;
  if (events >= firstJudgement && events >= judgedAt * judgeGrowth) rejudge(hazard);
  if (hazard.events > mostEvents) fade(hazard);
  return sight;
}

/** The rates from what is known now; `unknown` are those of a status that was never seen. */
export function stagesNow(hazard: Hazard): { stages: StageRates; unknown: Float64Array } {
  const near = reach * Math.min(1, Math.sqrt(reachEvents / Math.max(1, hazard.events)));
  const { watched, ended } = totalOf(hazard.counted);
  const all = blend(ended, watched, hazard.prior, near);
  const numbers = new Map([...hazard.counted.keys()].map((status, i) => [status, i]));
  const stages = [...hazard.counted].map(([status, own]): Stage => {
    const moves = [...own.moved].map(([next, counts]) => ({
      to: numbers.get(next)!,
      rates: blend(counts, own.watched, rareMove, near),
    }));
    return stageOf(status, blend(own.ended, own.watched, all, near), moves);
  });
  return { stages, unknown: all };
}

export function aliveOf(alive: Map<string, Float64Array>, status: string): Float64Array {
  const known = alive.get(status);
  if (known) return known;
  const made = newCounts();
  alive.set(status, made);
  return made;
}

/** Seconds in which the call certainly had its status. */
export function watch(seconds: Float64Array, { from, to }: Sight): void {
  for (let bin = binOf(from); bin < bins && edges[bin]! < to; bin++) {
    seconds[bin]! += Math.max(0, Math.min(to, edges[bin + 1]!) - Math.max(from, edges[bin]!));
  }
}

/** The rates from the counts of neighbouring ages, near `before` where little was seen. */
function blend(
  counts: Float64Array,
  watched: Float64Array,
  before: ArrayLike<number>,
  near: number,
): Float64Array {
  const rates = new Float64Array(bins);
  let low = 0;
  let high = 0;
  let sum = 0;
  let seconds = 0;
  for (let bin = 0; bin < bins; bin++) {
    const middle = middleOf(bin);
    const span = middle * near;
    for (; high < bins && (high <= bin || middleOf(high) - middle <= span); high++) {
      sum += counts[high]!;
      seconds += watched[high]!;
    }
    for (; low < bin && middle - middleOf(low) > span; low++) {
      sum -= counts[low]!;
      seconds -= watched[low]!;
    }
    const weight = trust * (2 * span + widthOf(bin));
    // Sums of what comes and goes are not exact and may end a little below zero.
    rates[bin] = (before[bin]! * weight + Math.max(0, sum)) / (weight + Math.max(0, seconds));
  }
  return rates;
}

/** The name under which a status counts. */
export function nameOf(hazard: Hazard, status: string): string {
  const name = status.slice(0, mostLetters);
  return hazard.counted.has(name) || hazard.counted.size < mostStatuses ? name : otherStatus;
}

function totalOf(counted: CountsByStatus): { watched: Float64Array; ended: Float64Array } {
  const total = { watched: newCounts(), ended: newCounts() };
  for (const { watched, ended } of counted.values()) {
    add(total.watched, watched);
    add(total.ended, ended);
  }
  return total;
}

function setCourse(hazard: Hazard): void {
  hazard.stages = stagesNow(hazard).stages;
  hazard.stagesAt = hazard.events;
}

/**
 * A wrong guess of the first endings' times would stay for ever: if it is too late, polls come too late and show
 * nothing against it. So all are estimated again by what is known now.
 */
function rejudge(hazard: Hazard): void {
  hazard.judgedAt = hazard.events;
  rescale(hazard);
  setCourse(hazard);
  scale(hazard.counted, 0);
  const faith = Math.min(1, trustedUntil / Math.max(1, hazard.events - hazard.baseEvents)) ** 2;
  for (const [status, { watched, ended, moved }] of hazard.base) {
    const own = countsFor(hazard.counted, status);
    add(own.watched, watched, faith);
    add(own.ended, ended, faith);
    for (const [next, counts] of moved) add(movesOf(own, next), counts, faith);
  }
  for (const [status, seconds] of hazard.alive) add(countsFor(hazard.counted, status).watched, seconds);
  for (const sight of hazard.sights) retrace(hazard.stages, sight, hazard.counted);
  setCourse(hazard);
}

/**
 * Calls of one service may be much shorter than those of another, at every age. Once half of them are seen to end,
 * including those in flight, the prior for the ages not yet seen is scaled to that half.
 */
function rescale(hazard: Hazard): void {
  const { watched, ended } = totalOf(hazard.counted);
  let alive = 1;
  for (let bin = 0; bin < bins; bin++) {
    if (watched[bin]! === 0) continue;
    alive *= Math.exp((-ended[bin]! / watched[bin]!) * widthOf(bin));
    if (alive > 0.5) continue;
    hazard.prior = priorOf(Math.max(widthOf(0), middleOf(bin)));
    return;
  }
}

/** Drops the older half of what was seen. */
function fade(hazard: Hazard): void {
  const gone = hazard.sights.splice(0, Math.floor(hazard.sights.length / 2));
  hazard.events -= gone.filter(({ next }) => next === null).length;
  for (const seconds of hazard.alive.values()) {
    for (let bin = 0; bin < bins; bin++) seconds[bin]! /= 2;
  }
  rejudge(hazard);
}
