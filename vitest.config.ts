import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, by folder or name, longest first. The order only decides when the last one ends. */
const longest = [
  'test/journeys/',
  'test/embedded/',
  'test/cli/call',
  'test/browser/',
  'test/engine/',
  'test/contract/',
];

/**
 * Whole campaigns with waits as long as those of users, storms, and what installs the package: `npm run test:long` plays
 * them, and CI does after `npm test`. Longest first.
 */
const long = [
  'chaos/chaos',
  'journeys/restore',
  'journeys/pooler',
  'journeys/spans',
  'recipes',
  'journeys/cluster',
  'journeys/redis-access',
  'journeys/campaign.postgres',
  'journeys/up',
  'journeys/silence',
  'journeys/keys',
  'journeys/campaign.redis',
  'journeys/dry-run',
  'package',
  'journeys/orders',
  'journeys/budget',
  'journeys/limits',
  'journeys/doubts',
  'journeys/resume',
  'tutorial',
  'journeys/outage',
  'ledger/silent',
  'api/mcp/retry',
  'journeys/services',
  'rules/limit/worst',
  'journeys/callback',
  'journeys/money',
].map((name) => `test/${name}.test.ts`);

/**
 * Vitest starts with the largest files when it knows nothing else, but some of the longest tests are in tiny files. Those
 * that are apart come first, as a worker that ran one of them is not used again.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      if (project.name === 'long') return long.findIndex((path) => moduleId.endsWith(path));
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
  setupFiles: ['test/support/seed.ts', 'test/support/afresh.ts'],
  // Times are told to people on their own clock.
  env: { TZ: 'UTC' },
  testTimeout: 600_000,
  hookTimeout: 300_000,
  // With KEEP=1 the databases stay until Ctrl-C (test/support/postgres.ts).
  teardownTimeout: process.env.KEEP === '1' ? 86_400_000 : 120_000,
  expect: { poll: { timeout: 120_000 } },
  unstubEnvs: true,
  unstubGlobals: true,
};

/**
 * These have a process for each file: they change what belongs to a whole process, count what all of it does, or start so
 * many others that theirs counts for nothing. All other files share the process of their worker, which loads the program once: to load it took
 * longer than most of the tests.
 */
const apart = ['embedded', 'schedules', 'workers']
  .map((folder) => `test/${folder}/**/*.test.ts`)
  .concat('test/option.test.ts', 'test/api/bounds.test.ts');

export default defineConfig({
  test: {
    globalSetup: ['test/setup.ts'],
    // The tests wait more than they work, so that a third worker pays on two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    teardownTimeout: common.teardownTimeout,
    projects: [
      {
        test: { ...common, name: 'apart', include: apart, exclude: long },
      },
      {
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...apart, ...long],
          isolate: false,
        },
      },
      {
        test: { ...common, name: 'long', include: long },
      },
    ],
  },
});
