import { type Belief, newBelief } from '../../../src/rules/limit/belief.ts';

/** A bucket and its belief, for one lane or for several that share them, at the time at which a world begins. */
export const epoch = 1_699_999_980_000;

export type Budget = {
  pace: Belief['pace'];
  free: number;
  last: number;
  leased: number;
  leasedGap: number;
};

export function newBudget(): Budget {
  return { pace: newBelief(epoch).pace, free: 0, last: 0, leased: 0, leasedGap: 0 };
}
