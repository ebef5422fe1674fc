import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, by folder or name, longest first. The order only decides when the last one ends. */
const longest = [
  'test/chaos/chaos',
  'test/journeys/',
  'test/ledger/silent',
  'test/package',
  'test/tutorial',
  'test/cli/call',
  'test/embedded/',
  'test/api/page',
  'test/engine/',
  'test/contract/',
];

/** Vitest starts with the largest files when it knows nothing else, but some of the longest tests are in tiny files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.includes(path));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * No test waits for the clock to judge what it tests: these limits only end one that hangs. They are as long as they
 * are because a machine with two busy cores takes ten times as long as an idle one.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    // The tests wait more than they work, so that a third worker pays on two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
