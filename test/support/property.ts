import * as fc from 'fast-check';

/** How many cases a property draws: more by FUZZ_RUNS, which `npm run fuzz` sets. */
export function runs(usual: number): number {
  const { FUZZ_RUNS: times = '1' } = process.env;
  if (!(Number(times) > 0)) throw new Error(`FUZZ_RUNS must be a number above 0, not ${times}`);
  return Math.ceil(usual * Number(times));
}

/**
 * Judges a property at once. fast-check's own `assert` answers a promise for properties that wait; the linter cannot
 * tell the two apart, and would take each use for a promise that nobody awaits.
 */
export function assert<T>(property: fc.IProperty<T>, settings?: fc.Parameters<T>): void {
  fc.assert(property, settings);
}
