import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundOf, chancesOf, type Stretch } from '../../bench/measure/bound.ts';

/** The bound on a makespan: no schedule may beat it, and a good one must come close. */
const steady = (rate: number): Stretch[] => [{ from: 0, rate, credit: true }];

/** Makes the longest call left while there is credit, and polls calls that have ended. */
function schedule(lengths: readonly number[], stretches: readonly Stretch[]): number {
  const left = [...lengths].sort((a, b) => a - b);
  const ends: number[] = [];
  let last = 0;
  for (const { at, credit } of chancesOf(stretches)) {
    const next = credit ? left.pop() : undefined;
    if (next !== undefined) ends.push(at + next);
    else {
      const place = ends.findIndex((end) => end <= at);
      if (place < 0) continue;
      ends.splice(place, 1);
      last = at;
      if (ends.length === 0 && left.length === 0) return last;
    }
  }
  return last;
}

describe('the bound of a makespan', () => {
  it('is the time of two requests a call if calls are short', () => {
    expect(boundOf([0, 0, 0, 0], steady(1)).seconds).toBe(7);
    expect(boundOf([0, 0, 0, 0], steady(1), 3).seconds).toBe(11);
  });

  it('is the longest call if one is long', () => {
    expect(boundOf([100, 1, 1], steady(1)).seconds).toBe(100);
  });

  it('allows no call without credit and no request beyond the limit', () => {
    const outage = [
      { from: 0, rate: 1, credit: false },
      { from: 50, rate: 1, credit: true },
    ];
    expect(boundOf([1], outage).seconds).toBeGreaterThan(50);
    const slow = [
      { from: 0, rate: 1, credit: true },
      { from: 2, rate: 0.1, credit: true },
    ];
    expect(boundOf([0, 0, 0], slow).seconds).toBeGreaterThan(20);
  });

  it('is not beaten by any schedule, and a good one comes close', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.1, max: 20, noNaN: true }), { minLength: 50, maxLength: 150 }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 10 }),
        (lengths, rate, from, gap) => {
          const stretches = [
            { from: 0, rate, credit: true },
            { from, rate, credit: false },
            { from: from + gap, rate, credit: true },
            { from: from + 2 * gap, rate: rate / 2, credit: true },
            { from: from + 3 * gap, rate, credit: true },
          ];
          const bound = boundOf(lengths, stretches).seconds;
          const made = schedule(lengths, stretches);
          expect(made).toBeGreaterThanOrEqual(bound - 1e-9);
          expect(made).toBeLessThanOrEqual(bound + gap + 20 + 2 / rate);
        },
      ),
      { numRuns: 100, seed: 3 },
    );
  });
});
