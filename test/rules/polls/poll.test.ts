import { array, boolean, constantFrom, double, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bins, edges, fromKept, toKept } from '../../../src/rules/polls/ages.ts';
import { type Hazard, newHazard, observe, stagesNow, warm } from '../../../src/rules/polls/hazard.ts';
import { createPlanner } from '../../../src/rules/polls/poll.ts';
import { bestWaits } from '../../../src/rules/polls/poll-plan.ts';
import { priorOf } from '../../../src/rules/polls/prior.ts';
import { assert } from '../../support/property.ts';
import { seeded } from '../../support/random.ts';

/** When to poll a call. */
const age = double({ min: 0, max: 3_000, noNaN: true });
const status = constantFrom('queued', 'ringing', 'in-progress');
const watched = array(tuple(age, age, boolean(), status), { maxLength: 60 });

function learn(seen: readonly (readonly [number, number, boolean, string])[]): Hazard {
  const hazard = newHazard();
  for (const [one, other, ended, status] of seen)
    see(hazard, { from: Math.min(one, other), to: Math.max(one, other), ended, status });
  return hazard;
}

/** A poll that saw the same status as before, or the end. */
function see(hazard: Hazard, seen: { from: number; to: number; status: string; ended: boolean }) {
  const { from, to, status, ended } = seen;
  observe(hazard, { from, to, status, next: ended ? null : status });
}

/** The chance of ending in the next second, by bin. */
function chances(hazard: Hazard, status: string): Float64Array {
  const { stages, unknown } = stagesNow(hazard);
  return stages.find((stage) => stage.status === status)?.ends ?? unknown;
}

const watchedIn = (hazard: Hazard) =>
  [...hazard.counted.values()].reduce((sum, { watched }) => sum + total(watched), 0);
const endedIn = (hazard: Hazard) =>
  [...hazard.counted.values()].reduce((sum, { ended }) => sum + total(ended), 0);

const total = (counts: Float64Array) => counts.reduce((sum, each) => sum + each, 0);

describe('the hazard of a call', () => {
  it('is above zero and finite at every age, whatever was seen', () => {
    assert(
      property(watched, status, (seen, status) => {
        const odd = [...chances(learn(seen), status)].filter((one) => !(one > 0 && Number.isFinite(one)));
        expect(odd).toEqual([]);
      }),
    );
  });

  it('counts every watched second once', () => {
    assert(
      property(array(tuple(age, age, status), { maxLength: 40 }), (spans) => {
        const hazard = learn(spans.map(([one, other, status]) => [one, other, false, status] as const));
        const seconds = spans.reduce((sum, [one, other]) => sum + Math.abs(one - other), 0);
        expect(watchedIn(hazard)).toBeCloseTo(seconds, 3);
        expect(hazard.events).toBe(0);
      }),
    );
  });

  it('counts every ending once, in total and under its status, and no more seconds than were watched', () => {
    assert(
      property(watched, (seen) => {
        const hazard = learn(seen);
        const endings = seen.filter(([, , ended]) => ended).length;
        const seconds = seen.reduce((sum, [one, other]) => sum + Math.abs(one - other), 0);
        expect(hazard.events).toBe(endings);
        expect(endedIn(hazard)).toBeCloseTo(endings, 6);
        expect(watchedIn(hazard)).toBeLessThanOrEqual(seconds + 1e-6);
      }),
    );
  });

  it('keeps its sums when it drops old endings', () => {
    const hazard = newHazard();
    const random = seeded(8);
    let apart = 0;
    for (let i = 0; i < 5_000; i++) {
      const end = 5 + random() * 50;
      see(hazard, { from: 0, to: end / 2, status: 'queued', ended: false });
      see(hazard, { from: end / 2, to: end + 2, status: i % 3 ? 'ringing' : 'in-progress', ended: true });
      if (hazard.sights.length !== hazard.events) apart += 1;
    }
    expect(apart).toBe(0);
    expect(hazard.events).toBeLessThanOrEqual(2_000);
    expect(endedIn(hazard)).toBeCloseTo(hazard.events, 3);
    for (const [status, alive] of hazard.alive) {
      for (const [bin, seconds] of alive.entries())
        expect(hazard.counted.get(status)!.watched[bin]).toBeGreaterThanOrEqual(seconds - 1e-9);
    }
  });

  it('rises where calls end and falls where they continue', () => {
    const before = chances(newHazard(), 'ringing');
    const hazard = newHazard();
    for (let i = 0; i < 200; i++) {
      see(hazard, { from: 0, to: 15, status: 'ringing', ended: false });
      see(hazard, { from: 15, to: 24, status: 'ringing', ended: i % 2 === 0 });
    }
    const after = chances(hazard, 'ringing');
    const at = (seconds: number) => edges.findIndex((edge) => edge > seconds) - 1;
    expect(after[at(20)]!).toBeGreaterThan(before[at(20)]!);
    expect(after[at(10)]!).toBeLessThan(before[at(10)]!);
    expect(after[at(100)]! / before[at(100)]!).toBeGreaterThan(0.5);
    expect(after[at(100)]! / before[at(100)]!).toBeLessThan(2);
  });

  it('tells calls apart by the status they were seen with', () => {
    const hazard = newHazard();
    for (let i = 0; i < 300; i++) {
      see(hazard, { from: 20, to: 22, status: 'ringing', ended: true });
      see(hazard, { from: 20, to: 60, status: 'in-progress', ended: false });
    }
    const at = edges.findIndex((edge) => edge > 21) - 1;
    expect(chances(hazard, 'ringing')[at]!).toBeGreaterThan(10 * chances(hazard, 'in-progress')[at]!);
  });

  it('keeps only a few statuses, however many names a service invents', () => {
    const hazard = newHazard();
    for (let i = 0; i < 1_000; i++) see(hazard, { from: 0, to: 5, status: `step-${i}`, ended: i % 2 === 0 });
    expect(hazard.counted.size).toBeLessThan(50);
    expect(hazard.events).toBe(500);
  });

  it('knows from the status at a poll what was likely before it', () => {
    const hazard = newHazard();
    // All talk after 10 s, whether a poll saw it or not; only those who talk end.
    for (let i = 0; i < 400; i++) {
      observe(hazard, { from: 0, to: 9.8, status: 'ringing', next: 'ringing' });
      observe(hazard, { from: 9.8, to: 10.2, status: 'ringing', next: 'in-progress' });
      observe(hazard, { from: 10.2, to: 40, status: 'in-progress', next: i % 2 ? 'in-progress' : null });
    }
    const before = endedIn(hazard);
    observe(hazard, { from: 0, to: 40, status: 'ringing', next: null });
    expect(endedIn(hazard)).toBeCloseTo(before + 1, 6);
    const ringing = hazard.counted.get('ringing')!;
    const talking = hazard.counted.get('in-progress')!;
    expect(total(ringing.moved.get('in-progress')!)).toBeGreaterThan(400.9);
    expect(total(ringing.ended)).toBeLessThan(0.1);
    expect(total(talking.ended)).toBeGreaterThan(200.9);
  });

  it('is the same when it is kept and read again', () => {
    assert(
      property(
        array(tuple(age, age, constantFrom('queued', 'ringing', null), status), { maxLength: 40 }),
        (seen) => {
          const hazard = newHazard();
          for (const [one, other, next, status] of seen)
            observe(hazard, { from: Math.min(one, other), to: Math.max(one, other), status, next });
          const read = fromKept(JSON.parse(JSON.stringify(toKept(hazard.counted))));
          for (const [status, ages] of hazard.counted) {
            expect(total(read.get(status)?.ended ?? new Float64Array())).toBeCloseTo(total(ages.ended), 1);
            for (const [next, counts] of ages.moved)
              expect(total(read.get(status)?.moved.get(next) ?? new Float64Array())).toBeCloseTo(
                total(counts),
                1,
              );
          }
        },
      ),
    );
  });

  it('follows a campaign whose calls have become longer', () => {
    const hazard = newHazard();
    for (let i = 0; i < 60_000; i++) see(hazard, { from: 8, to: 10, status: '', ended: true });
    for (let i = 0; i < 60_000; i++) see(hazard, { from: 8, to: 12, status: '', ended: false });
    const at = edges.findIndex((edge) => edge > 9) - 1;
    expect(chances(hazard, '')[at]!).toBeLessThan(0.2);
  });
});

/** Makes a planner poll each call at the best time, and never early. */
const never = () => 1;

describe('the next poll', () => {
  const chance = seeded(4);

  it('comes after a quarter of a second to five minutes', () => {
    assert(
      property(
        watched,
        age,
        status,
        double({ min: 0, max: 1_000, noNaN: true }),
        (seen, at, status, worth) => {
          const seconds = createPlanner(learn(seen), chance).nextIn(at, status, worth);
          expect(seconds).toBeGreaterThanOrEqual(0.25);
          expect(seconds).toBeLessThanOrEqual(300);
        },
      ),
    );
  });

  it('follows a plan whose cost no change of a single wait can lower', () => {
    const rates = Float64Array.from(priorOf());
    for (const worth of [0.1, 1, 5, 20]) {
      const waits = bestWaits([], rates, worth).unknown;
      const costs = costsOf(rates, worth, waits);
      for (let from = 0; from < bins; from += 7) {
        for (let to = from + 1; to <= bins; to += 3) {
          const other = costFrom(from, edges[to]! - edges[from]!, rates, worth, costs);
          expect(other).toBeGreaterThanOrEqual(costs[from]! - 1e-6);
        }
      }
    }
  });

  it('follows the square root rule where the chance is constant', () => {
    const rates = new Float64Array(bins).fill(0.01);
    const waits = bestWaits([], rates, 0.5).unknown;
    const at = edges.findIndex((edge) => edge > 60);
    // Near sqrt(2 * 0.5 / 0.01); a little more, because a call that has ended is not polled twice.
    expect(waits[at]!).toBeGreaterThan(9);
    expect(waits[at]!).toBeLessThan(12.5);
  });

  it('does not wait past the time at which most calls end', () => {
    const hazard = newHazard();
    for (let i = 0; i < 500; i++) {
      see(hazard, { from: 0, to: 25, status: 'ringing', ended: false });
      see(hazard, { from: 25, to: 30, status: 'ringing', ended: true });
    }
    const at = 5;
    expect(at + createPlanner(hazard, never).nextIn(at, 'ringing', 2)).toBeLessThan(32);
  });

  it('does not come before any call can have ended', () => {
    const hazard = newHazard();
    for (let i = 0; i < 500; i++) {
      see(hazard, { from: 0, to: 20, status: 'queued', ended: false });
      see(hazard, { from: 20, to: 26, status: 'queued', ended: true });
    }
    expect(createPlanner(hazard, never).nextIn(0, 'queued', 2)).toBeGreaterThan(20);
  });

  it('does not wait long at an age that no call has reached, when all others were short', () => {
    const slow = createPlanner(newHazard(), never).nextIn(3, 'in-progress', 1);
    const hazard = newHazard();
    for (let i = 0; i < 30; i++) see(hazard, { from: 0.3, to: 0.5, status: 'ringing', ended: true });
    expect(createPlanner(hazard, never).nextIn(3, 'in-progress', 1)).toBeLessThan(slow / 2);
  });

  it('learns that calls last half as long as assumed, even when all have ended at each poll', () => {
    // One in five fails at once: so there is an early poll, then one after the assumed end of all others.
    const lengths = endings(2_500, 0.2).map((length) => length / 2);
    const known = newHazard();
    for (const length of lengths) {
      see(known, { from: 0, to: length - 0.1, status: '', ended: false });
      see(known, { from: length - 0.1, to: length, status: '', ended: true });
    }
    const knower = createPlanner(known, never);
    const best = follow(lengths.slice(2_000), (at) => knower.nextIn(at, '', 1));
    const hazard = newHazard();
    const learner = createPlanner(hazard, seeded(3));
    follow(lengths.slice(0, 2_000), (at) => learner.nextIn(at, '', 1), hazard);
    const later = follow(lengths.slice(2_000), (at) => learner.nextIn(at, '', 1), hazard);
    // A poll costs a second here.
    const cost = ({ polls, meanLag }: typeof best) => polls / 500 + meanLag;
    expect(cost(later)).toBeLessThan(cost(best) * 1.2);
  });

  it('follows a change to shorter calls, however much was known of the longer ones', () => {
    const earlier = newHazard();
    const lengths = endings(6_000);
    const before = createPlanner(earlier, seeded(5));
    follow(lengths.slice(0, 3_000), (at) => before.nextIn(at, '', 1), earlier);
    const shorter = lengths.slice(3_000).map((length) => length / 2);
    const later = (hazard: Hazard) => {
      const planner = createPlanner(hazard, seeded(3));
      follow(shorter.slice(0, 2_000), (at) => planner.nextIn(at, '', 1), hazard);
      return follow(shorter.slice(2_000), (at) => planner.nextIn(at, '', 1), hazard);
    };
    const cold = later(newHazard());
    const warmed = newHazard();
    warm(warmed, fromKept(toKept(earlier.counted)));
    expect(warmed.events).toBeGreaterThan(100);
    const told = later(warmed);
    expect(told.meanLag).toBeLessThan(cold.meanLag * 1.25);
    expect(told.polls).toBeLessThan(cold.polls * 1.25);
  });

  it('soon forgets what was known of calls that were nothing like these', () => {
    const atOnce = newHazard();
    for (let i = 0; i < 1_000; i++) see(atOnce, { from: 0, to: 0.02, status: '', ended: true });
    const lengths = endings(3_000);
    const later = (hazard: Hazard) => {
      const planner = createPlanner(hazard, seeded(3));
      follow(lengths.slice(0, 1_000), (at) => planner.nextIn(at, '', 3), hazard);
      return follow(lengths.slice(1_000), (at) => planner.nextIn(at, '', 3), hazard);
    };
    const warmed = newHazard();
    warm(warmed, fromKept(toKept(atOnce.counted)));
    const cold = later(newHazard());
    const misled = later(warmed);
    const cost = ({ polls, meanLag }: typeof cold) => (3 * polls) / 2_000 + meanLag;
    expect(cost(misled)).toBeLessThan(cost(cold) * 1.05);
  });

  it('costs fewer polls than a fixed interval for the same lag', () => {
    const lengths = endings(2_000);
    const hazard = newHazard();
    const planner = createPlanner(hazard, seeded(3));
    const planned = follow(lengths, (at) => planner.nextIn(at, '', 2), hazard);
    let interval = 1;
    let fixed = follow(lengths, () => interval);
    for (; fixed.meanLag < planned.meanLag; interval += 0.1) fixed = follow(lengths, () => interval);
    expect(planned.polls).toBeLessThan(fixed.polls * 0.75);
  });
});

/** The cost from each age on, with these waits. */
function costsOf(rates: Float64Array, worth: number, waits: Float64Array): Float64Array {
  const costs = new Float64Array(bins + 1);
  for (let from = bins - 1; from >= 0; from--)
    costs[from] = costFrom(from, waits[from]!, rates, worth, costs);
  return costs;
}

/** The cost from one age on with this wait there; `costs` are those of the later ages, which it does not change. */
function costFrom(
  from: number,
  wait: number,
  rates: Float64Array,
  worth: number,
  costs: Float64Array,
): number {
  let alive = 1;
  let delay = 0;
  let to = from;
  while (to < bins && edges[to]! - edges[from]! < wait - 1e-9) {
    const width = edges[to + 1]! - edges[to]!;
    const stays = alive * Math.exp(-rates[to]! * width);
    delay += (1 - alive) * width + ((alive - stays) * width) / 2;
    alive = stays;
    to += 1;
  }
  return worth + delay + alive * costs[to]!;
}

/** A third never answered, a quarter voicemail, the rest conversations with a long tail; of the first, some fail at once. */
function endings(count: number, failing = 0): number[] {
  const random = seeded(11);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, () => {
    const kind = random();
    if (kind < failing) return 1 + random() * 3;
    if (kind < 0.35) return 25 + random() * 5;
    if (kind < 0.6) return 20 + random() * 20;
    return 15 + 60 * Math.exp(0.8 * normal());
  });
}

function follow(lengths: readonly number[], next: (age: number) => number, hazard?: Hazard) {
  let polls = 0;
  let lag = 0;
  for (const length of lengths) {
    let at = 0;
    for (;;) {
      const seen = at;
      at += next(at);
      polls += 1;
      if (hazard) see(hazard, { from: seen, to: at, status: '', ended: at >= length });
      if (at >= length) break;
    }
    lag += at - length;
  }
  return { polls, meanLag: lag / lengths.length };
}
