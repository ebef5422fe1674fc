import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLimiter, type Limit, limiterKinds, windowAllowance } from '../../simulator/limits.ts';
import { createHandClock } from './support.ts';

const limits: fc.Arbitrary<Limit> = fc.record({
  kind: fc.constantFrom(...limiterKinds),
  rate: fc.integer({ min: 1, max: 200 }),
  burst: fc.integer({ min: 1, max: 50 }),
  windowMs: fc.constantFrom(1000, 2500, 60_000),
});

/** The most that this limiter may admit within any `span` milliseconds. */
function mostWithin(limit: Limit, span: number): number {
  if (limit.kind === 'token') return limit.burst + Math.floor((span * limit.rate) / 1000 + 1e-6);
  const windows = limit.kind === 'sliding' ? 1 : 2;
  return windows * windowAllowance(limit);
}

describe('every limiter', () => {
  test('admits no more than its limit, however the requests arrive', () => {
    fc.assert(
      fc.property(limits, fc.array(fc.nat({ max: 400 }), { maxLength: 400 }), (limit, gaps) => {
        const clock = createHandClock();
        const limiter = createLimiter(limit, clock);
        const admitted: number[] = [];
        for (const gap of gaps) {
          clock.pass(gap);
          if (limiter.take() === 0) admitted.push(clock.monotonic());
        }
        const span = limit.kind === 'token' ? 1000 : limit.windowMs;
        for (const [first, at] of admitted.entries()) {
          const count = admitted.slice(first).filter((other) => other < at + span).length;
          expect(count).toBeLessThanOrEqual(mostWithin(limit, span));
        }
      }),
    );
  });

  test('admits a request that waited as long as asked, and not earlier', () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 500 }), (limit, pressed) => {
        const clock = createHandClock();
        const limiter = createLimiter(limit, clock);
        let wait = 0;
        for (let i = 0; i < pressed && wait === 0; i++) wait = limiter.take();
        if (wait === 0) return;
        clock.pass(wait * 0.9);
        expect(limiter.take()).toBeGreaterThan(0);
        clock.pass(wait * 0.1 + 0.001);
        expect(limiter.take()).toBe(0);
      }),
    );
  });

  test('does not charge a refused request', () => {
    for (const kind of limiterKinds) {
      const clock = createHandClock(1_750_000_000_000);
      const limiter = createLimiter({ kind, rate: 2, burst: 2, windowMs: 1000 }, clock);
      for (let i = 0; i < 50; i++) limiter.take();
      clock.pass(1000);
      expect([limiter.take(), limiter.take()], kind).toEqual([0, 0]);
      expect(limiter.take(), kind).toBeGreaterThan(0);
    }
  });
});

test('a bucket admits its burst at once and then one request per interval', () => {
  const clock = createHandClock();
  const limiter = createLimiter({ kind: 'token', rate: 4, burst: 3, windowMs: 1000 }, clock);
  expect([1, 2, 3].map(() => limiter.take())).toEqual([0, 0, 0]);
  expect(limiter.take()).toBeCloseTo(250);
  clock.pass(250);
  expect(limiter.take()).toBe(0);
  expect(limiter.take()).toBeCloseTo(250);
});

test('a fixed window opens again when the clock’s own minute begins', () => {
  const clock = createHandClock(Date.UTC(2025, 0, 1, 12, 0, 50));
  const limiter = createLimiter({ kind: 'fixed', rate: 0.05, burst: 1, windowMs: 60_000 }, clock);
  expect([1, 2, 3].map(() => limiter.take())).toEqual([0, 0, 0]);
  expect(limiter.take()).toBe(10_000);
  clock.pass(10_000);
  expect(limiter.take()).toBe(0);
});

test('a sliding window frees each place a window after it was taken', () => {
  const clock = createHandClock();
  const limiter = createLimiter({ kind: 'sliding', rate: 2, burst: 1, windowMs: 1000 }, clock);
  expect(limiter.take()).toBe(0);
  clock.pass(600);
  expect(limiter.take()).toBe(0);
  expect(limiter.take()).toBe(400);
  clock.pass(400);
  expect(limiter.take()).toBe(0);
  expect(limiter.take()).toBe(600);
});
