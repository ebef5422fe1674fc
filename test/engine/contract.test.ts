import { expect, test } from 'vitest';
import { workerDefaults } from '../../src/engine/contract.ts';

/** The guarantees of every worker's settings, on any engine. */
test('a dead worker’s job is found within 15 seconds, and never runs again by itself', () => {
  const { lockDuration, stalledInterval, maxStalledCount } = workerDefaults({ concurrency: 100 });
  expect(lockDuration + stalledInterval).toBeLessThanOrEqual(15_000);
  expect(maxStalledCount).toBe(0);
});
