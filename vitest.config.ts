import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, by folder or name, longest first. The order only decides when the last one ends. */
const longest = [
  'test/chaos/chaos',
  'test/journeys/',
  'test/package',
  'test/tutorial',
  'test/embedded/',
  'test/cli/call',
  'test/browser/',
  'test/ledger/silent',
  'test/api/page',
  'test/engine/',
  'test/contract/',
];

/**
 * Vitest starts with the largest files when it knows nothing else, but some of the longest tests are in tiny files. Those
 * that are apart come first, as a worker that ran one of them is not used again.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.includes(path));
      return (project.name === 'apart' ? 0 : longest.length + 1) + (at < 0 ? longest.length : at);
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * No test waits for the clock to judge what it tests: these limits only end one that hangs. They are as long as they
 * are because a machine with two busy cores takes ten times as long as an idle one.
 */
const common = {
  server: { deps: { external: [/\/dist\/packages\//] } },
  setupFiles: ['test/support/seed.ts', 'test/support/afresh.ts'],
  // What is told to a person is told on their clock.
  env: { TZ: 'UTC' },
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 120_000,
  expect: { poll: { timeout: 120_000 } },
  unstubEnvs: true,
  unstubGlobals: true,
};

/**
 * These have a process for each file: they change what belongs to a whole process, or start so many others that theirs
 * counts for nothing. All other files share the process of their worker, which loads the program once: to load it took
 * longer than most of the tests.
 */
const apart = ['chaos', 'embedded', 'journeys', 'sim', 'workers']
  .map((folder) => `test/${folder}/**/*.test.ts`)
  .concat('test/*.test.ts');

/**
 * The packages come from the build that `test/setup.ts` makes, one file each: a test file with a process of its own would
 * otherwise find and read a thousand small ones. Every import of a package resolves here, so that none is loaded twice.
 */
const folder = fileURLToPath(new URL('dist/packages/', import.meta.url));
const packages: Plugin = {
  name: 'carillon-packages',
  enforce: 'pre',
  resolveId(id) {
    if (!/^@?[a-z]/.test(id)) return null;
    const file = `${folder}${id.replace('@', '').replaceAll('/', '-')}.js`;
    return existsSync(file) ? file : null;
  },
};

export default defineConfig({
  test: {
    globalSetup: ['test/setup.ts'],
    // The tests wait more than they work, so that a third worker pays on two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    teardownTimeout: common.teardownTimeout,
    projects: [
      {
        plugins: [packages],
        test: { ...common, name: 'apart', include: apart },
      },
      {
        plugins: [packages],
        test: { ...common, name: 'together', include: ['test/**/*.test.ts'], exclude: apart, isolate: false },
      },
    ],
  },
});
