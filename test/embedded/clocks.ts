import type { Clock } from '../../src/base/clock.ts';

/** A clock on which every wait ends at once, and which adds up the waits. */
export function createFastClock(): Clock & { waited(): number } {
  let at = 0;
  return {
    now: () => at,
    monotonic: () => at,
    async sleep(ms) {
      at += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    waited: () => at,
  };
}
