import { expect, test } from 'vitest';
import { workerDefaults } from '../../src/engine/contract.ts';

/** What the settings of every worker promise, whatever the engine. */
test('what a dead worker held is found within 15 seconds, and never runs again by itself', () => {
  const { lockDuration, stalledInterval, maxStalledCount } = workerDefaults({ concurrency: 100 });
  expect(lockDuration + stalledInterval).toBeLessThanOrEqual(15_000);
  expect(maxStalledCount).toBe(0);
});
