import type { Random } from '../../src/base/clock.ts';

/** Seeded randomness: a test that fails once fails again. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    // A linear congruential step, only its high bits: enough for jitter.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}
