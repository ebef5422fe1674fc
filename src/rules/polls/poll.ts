import type { Random } from '../../base/clock.ts';
import { binOf, bins, edges, widthOf } from './ages.ts';
import { chances, type Hazard } from './hazard.ts';

/** When to poll a call: when its ending is likely, and no more often than an answer is worth. Pure. */
export type Planner = {
  /**
   * Seconds until the next poll of a call of this age and status. `worth` is how many seconds of result delay
   * one request is worth.
   */
  nextIn(age: number, status: string, worth: number): number;
};

const leastInterval = 0.25;
const mostInterval = 300;
/** A plan is made again after this many new endings. */
const freshEvents = 20;
const freshShare = 0.02;
/** Worths closer to each other than this share a plan. */
const worthStep = 1.15;

/**
 * Some polls are sent early, at any time before the planned one: polls always at one age show nothing about earlier
 * ages, and a wrong estimate would stay. Fewer of them as more is known, but always some, because calls change.
 */
const leastScouts = 0.02;
const mostScouts = 0.2;
const scoutsUntil = 15;

export function createPlanner(hazard: Hazard, random: Random): Planner {
  let madeAt = -1;
  const plans = new Map<string, Float64Array>();

  const planFor = (status: string, worth: number): Float64Array => {
    if (madeAt < 0 || Math.abs(hazard.events - madeAt) >= Math.max(freshEvents, hazard.events * freshShare)) {
      plans.clear();
      madeAt = hazard.events;
    }
    const step = Math.round(Math.log(Math.max(worth, 1e-3)) / Math.log(worthStep));
    const key = `${step} ${status}`;
    const known = plans.get(key);
    if (known) return known;
    const plan = bestWaits(chances(hazard, status), worthStep ** step);
    plans.set(key, plan);
    return plan;
  };

  return {
    nextIn(age, status, worth) {
      // While little is known, poll more often to learn faster.
      const curious = Math.min(1, Math.max(0.1, hazard.events / 20));
      const waits = planFor(status, worth * curious);
      const bin = binOf(age);
      const into = Math.min(1, (age - edges[bin]!) / widthOf(bin));
      const next = waits[Math.min(bins - 1, bin + 1)]!;
      // Between two ages with a known wait, the time of the poll is between theirs.
      const wait = edges[bin]! + waits[bin]! + into * (widthOf(bin) + next - waits[bin]!) - age;
      const scouts = Math.min(mostScouts, Math.max(leastScouts, scoutsUntil / Math.max(1, hazard.events)));
      const early = random() < scouts ? random() : 1;
      return Math.min(mostInterval, Math.max(leastInterval, wait * early));
    },
  };
}

/**
 * The best wait at each age, found from the oldest age back. A poll costs `worth` seconds; a call that has ended costs
 * a second for each second until it is polled; one that has not is polled again, at the best cost from there on. When
 * the chance h is constant, this is the known sqrt(2 * worth / h); before a peak it waits for the peak to pass.
 */
export function bestWaits(rates: ArrayLike<number>, worth: number): Float64Array {
  const waits = new Float64Array(bins);
  const costs = new Float64Array(bins + 1);
  for (let from = bins - 1; from >= 0; from--) {
    let alive = 1;
    let delay = 0;
    let best = Number.POSITIVE_INFINITY;
    for (let to = from + 1; to <= bins; to++) {
      const width = widthOf(to - 1);
      const stays = alive * Math.exp(-rates[to - 1]! * width);
      delay += (1 - alive) * width + ((alive - stays) * width) / 2;
      alive = stays;
      const cost = worth + delay + alive * costs[to]!;
      if (cost < best) {
        best = cost;
        waits[from] = edges[to]! - edges[from]!;
      }
      // The delay only grows from here on.
      if (worth + delay > best) break;
    }
    costs[from] = best;
  }
  return waits;
}
