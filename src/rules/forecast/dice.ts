import type { Random } from '../../base/clock.ts';

/** Drawn numbers for simulated runs, from one seed: the same situation has the same forecast at every look. */
export type Dice = {
  uniform: Random;
  /** A number with mean 0 and deviation 1. */
  normal(): number;
  /** A number with this shape and scale 1. */
  gamma(shape: number): number;
  /** How many of `n` tries succeed. */
  binomial(n: number, chance: number): number;
};

/** Below this many tries each one is drawn. */
const fewTries = 24;

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

  /** The method of Marsaglia and Tsang. */
  const gamma = (shape: number): number => {
    if (shape < 1) return gamma(shape + 1) * (1 - uniform()) ** (1 / shape);
    const d = shape - 1 / 3;
    for (;;) {
      const x = normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  };

  const binomial = (n: number, chance: number) => {
    if (n <= 0 || chance <= 0) return 0;
    if (chance >= 1) return n;
    if (n < fewTries) {
      let hits = 0;
      for (let i = 0; i < n; i++) if (uniform() < chance) hits += 1;
      return hits;
    }
    const drawn = Math.round(n * chance + normal() * Math.sqrt(n * chance * (1 - chance)));
    return Math.min(n, Math.max(0, drawn));
  };
  return { uniform, normal, gamma, binomial };
}
