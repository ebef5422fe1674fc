import type { Random } from '../../base/clock.ts';
import { binOf, bins, edges, widthOf } from './ages.ts';
import { type Hazard, nameOf, stagesNow } from './hazard.ts';
import { bestWaits, type Waits } from './poll-plan.ts';

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
const freshShare = 0.05;
/** Worths closer to each other than this share a plan. */
const worthStep = 1.15;

/**
 * Some polls are sent early, at any time before the planned one: polls that always come at one age show nothing about
 * earlier ages, and a wrong estimate would stay. They get fewer as more is known, but never stop, because calls change.
 */
const leastScouts = 0.01;
const mostScouts = 0.2;
const scoutsUntil = 15;

/**
 * While hardly any ending is known, a poll counts as this much cheaper: calls may be far shorter than the prior says,
 * and all calls in flight would wait for polls that were planned by it.
 */
const leastCurious = 0.1;
const curiousUntil = 20;

export function createPlanner(hazard: Hazard, random: Random): Planner {
  let madeAt = -1;
  const plans = new Map<number, Waits>();

  const planFor = (worth: number): Waits => {
    if (madeAt < 0 || Math.abs(hazard.events - madeAt) >= Math.max(freshEvents, hazard.events * freshShare)) {
      plans.clear();
      madeAt = hazard.events;
    }
    const step = Math.round(Math.log(Math.max(worth, 1e-3)) / Math.log(worthStep));
    const known = plans.get(step);
    if (known) return known;
    const { stages, unknown } = stagesNow(hazard);
    const plan = bestWaits(stages, unknown, worthStep ** step);
    plans.set(step, plan);
    return plan;
  };

  return {
    nextIn(age, status, worth) {
      const curious = Math.min(1, Math.max(leastCurious, hazard.events / curiousUntil));
      const { byStatus, unknown } = planFor(worth * curious);
      const waits = byStatus.get(nameOf(hazard, status)) ?? unknown;
      const bin = binOf(age);
      const into = Math.min(1, (age - edges[bin]!) / widthOf(bin));
      const next = waits[Math.min(bins - 1, bin + 1)]!;
      // The poll's time is interpolated between two ages with a known wait.
      const wait = edges[bin]! + waits[bin]! + into * (widthOf(bin) + next - waits[bin]!) - age;
      const scouts = Math.min(mostScouts, Math.max(leastScouts, scoutsUntil / Math.max(1, hazard.events)));
      const early = random() < scouts ? random() : 1;
      return Math.min(mostInterval, Math.max(leastInterval, wait * early));
    },
  };
}
