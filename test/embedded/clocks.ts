import type { Clock } from '../../src/base/clock.ts';

/** A clock on which every wait is over at once, and which counts how much was waited. */
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
