import { defineConfig } from 'vitest/config';

/**
 * No test waits for the clock to judge what it tests: these limits only end one that hangs. They are as long as they
 * are because a machine with two busy cores takes ten times as long as an idle one.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
  },
});
