import type { Clock } from '../../src/base/clock.ts';

/** A clock that moves only when a test says so. Sleepers wake in the order of their times. */
export type ManualClock = Clock & {
  /** Moves forward, waking sleepers one by one and letting their work settle in between. */
  advance(ms: number): Promise<void>;
  /** The machine slept: time has passed, and sleepers that were due meanwhile wake late. */
  oversleep(ms: number): Promise<void>;
  sleepers(): number;
};

type Sleeper = { at: number; wake: () => void };

export function createManualClock(start = 1_700_000_000_000): ManualClock {
  let now = start;
  const sleepers: Sleeper[] = [];
  const advance = async (ms: number) => {
    const end = now + ms;
    await settle();
    for (;;) {
      const next = sleepers.reduce<Sleeper | null>(
        (best, each) => (best && best.at <= each.at ? best : each),
        null,
      );
      if (!next || next.at > end) break;
      now = Math.max(now, next.at);
      next.wake();
      await settle();
    }
    now = end;
  };
  return {
    now: () => now,
    monotonic: () => now - start,
    sleep(ms, signal) {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper: Sleeper = { at: now + ms, wake };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    advance,
    oversleep(ms) {
      now += ms;
      return advance(0);
    },
    sleepers: () => sleepers.length,
  };
}

/** Lets every promise that can continue do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
