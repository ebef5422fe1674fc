import type { Random } from '../../src/base/clock.ts';

/** Chance that comes out the same each time: a test that fails once fails again. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    // A linear congruential step, its high bits only: enough for jitter.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}
