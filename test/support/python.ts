import { hasPython } from '../../bench/support/independent.ts';

/** Whether tests that need Python can run here. Skipped tests are printed; with CI_REQUIRE_ALL=1 that is a failure. */
export function canUsePython(what: string): boolean {
  if (hasPython()) return true;
  const line = `${what}: python3 is not on the PATH; install it (apt-get install python3, brew install python3)`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}
