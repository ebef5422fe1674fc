import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { runs } from './property.ts';

/**
 * `npm test` draws the same cases each time, so that a change is judged by what it changed. `FUZZ_SEED=N` draws others,
 * `FUZZ_SEED=random` ones that nobody has seen; a property that fails names its seed.
 */
const { FUZZ_SEED: asked, FUZZ_COUNTS: counts } = process.env;
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runs(100) });
if (asked !== 'random') {
  const seed = Number(asked ?? 20_261);
  if (!Number.isSafeInteger(seed))
    throw new Error(`FUZZ_SEED must be a whole number or "random", not ${asked}`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}

/** `npm run fuzz` counts the cases of each property. */
if (counts) {
  const reporter = (told: fc.RunDetails<unknown>) => {
    const { testPath = '', currentTestName = '' } = expect.getState();
    const line = [relative(process.cwd(), testPath), currentTestName, told.numRuns];
    appendFileSync(counts, `${JSON.stringify(line)}\n`);
    if (told.failed) throw new Error(fc.defaultReportMessage(told), { cause: told.errorInstance });
  };
  fc.configureGlobal({ ...fc.readConfigureGlobal(), reporter });
}
