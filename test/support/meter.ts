import type { Bucket } from '../../src/engine/bucket.ts';
import type { ManualClock } from './clock.ts';

/** A bucket on a manual clock: evenly spaced tokens, as the engines give them, and nothing learned. */
export function createMeter(clock: ManualClock, rate: number): Bucket {
  let free = 1_000 / rate;
  let gap = 1_000 / rate;
  let state: { version: number; value: unknown } = { version: 0, value: null };
  return {
    async take(_lane, want, horizonMs) {
      const now = clock.monotonic();
      const delays: number[] = [];
      while (delays.length < want && Math.max(now, free) - now <= horizonMs) {
        delays.push(Math.max(now, free) - now);
        free = Math.max(now, free) + gap;
      }
      return { delays, waitMs: delays.length > 0 ? 0 : Math.ceil(free - now) };
    },
    async rest(_lane, ms) {
      free = Math.max(free, clock.monotonic() + ms);
    },
    async wake() {},
    async setRate(_lane, pace) {
      gap = 1_000 / pace.rate;
    },
    read: async () => null,
    readState: async () => state,
    async writeState(_lane, version, value) {
      if (version !== state.version) return false;
      state = { version: version + 1, value };
      return true;
    },
  };
}
