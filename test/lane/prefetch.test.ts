import { describe, expect, it } from 'vitest';
import { createPrefetch } from '../../src/lane/lane.ts';

describe('how many dial jobs a worker takes', () => {
  it('is about a second of work when answers come at once', () => {
    const prefetch = createPrefetch();
    for (let i = 0; i < 50; i++) prefetch.note(20);
    expect(prefetch.jobsAt(20, 100)).toBeGreaterThanOrEqual(22);
    expect(prefetch.jobsAt(20, 100)).toBeLessThanOrEqual(25);
    expect(prefetch.jobsAt(0.1, 100)).toBe(3);
  });

  it('grows with the time that an answer takes, so that no token waits for a job', () => {
    const prefetch = createPrefetch();
    for (let i = 0; i < 50; i++) prefetch.note(3_000);
    // Sixty are in progress at a time.
    expect(prefetch.jobsAt(20, 1_000)).toBeGreaterThanOrEqual(80);
  });

  it('is never more than the worker is allowed', () => {
    expect(createPrefetch().jobsAt(100_000, 100)).toBe(100);
  });
});
