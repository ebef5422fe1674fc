/** The three kinds of rate limit that services use; one limiter per key, in wall-clock time. */
import type { Clock } from '../src/base/clock.ts';

export const limiterKinds = ['token', 'fixed', 'sliding'] as const;
export type LimiterKind = (typeof limiterKinds)[number];

export type Limit = {
  kind: LimiterKind;
  /** Requests a second, on average. */
  rate: number;
  /** The tokens that a `token` bucket holds when it is full. */
  burst: number;
  /** The window of `fixed` and `sliding`, which admit rate x window requests in it. */
  windowMs: number;
};

export type Limiter = {
  /**
   * 0 admits the request. Any other value is how many milliseconds too early it came; a refused request costs nothing.
   */
  take(): number;
};

export function createLimiter(limit: Limit, clock: Clock): Limiter {
  if (limit.kind === 'token') return createBucket(limit, clock);
  return limit.kind === 'fixed' ? createFixedWindow(limit, clock) : createSlidingWindow(limit, clock);
}

/** How many requests a window admits: at least one, or none would ever pass. */
export function windowAllowance(limit: Pick<Limit, 'rate' | 'windowMs'>): number {
  return Math.max(1, Math.floor((limit.rate * limit.windowMs) / 1000 + 1e-9));
}

function createBucket({ rate, burst }: Limit, clock: Clock): Limiter {
  const interval = 1000 / rate;
  const slack = (burst - 1) * interval;
  // When the bucket will be full again: this one number is its whole state.
  let full = Number.NEGATIVE_INFINITY;
  return {
    take() {
      const now = clock.monotonic();
      const wait = full - now - slack;
      if (wait > 1e-6) return wait;
      full = Math.max(full, now) + interval;
      return 0;
    },
  };
}

/** Windows follow the wall clock: a minute begins when the clock's minute does. */
function createFixedWindow(limit: Limit, clock: Clock): Limiter {
  const allowance = windowAllowance(limit);
  let window = Number.NaN;
  let used = 0;
  return {
    take() {
      const now = clock.now();
      const current = Math.floor(now / limit.windowMs);
      if (current !== window) {
        window = current;
        used = 0;
      }
      if (used >= allowance) return (current + 1) * limit.windowMs - now;
      used += 1;
      return 0;
    },
  };
}

function createSlidingWindow(limit: Limit, clock: Clock): Limiter {
  const allowance = windowAllowance(limit);
  const admitted: number[] = [];
  let oldest = 0;
  return {
    take() {
      const now = clock.monotonic();
      if (admitted.length < allowance) {
        admitted.push(now);
        return 0;
      }
      // The ring holds the last `allowance` admissions. Only the oldest can make room.
      const wait = (admitted[oldest] as number) + limit.windowMs - now;
      if (wait > 1e-6) return wait;
      admitted[oldest] = now;
      oldest = (oldest + 1) % allowance;
      return 0;
    },
  };
}
