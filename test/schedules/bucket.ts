import type { Bucket, TokenRate } from '../../src/engine/bucket.ts';

/** The engine's tokens in memory, by the simulated time: the same contract as both engines', without their round trip. */
type Kept = { pace: TokenRate; dueAt: number; restUntil: number };

export function createSimBucket(now: () => number, isAway: () => boolean): Bucket & { flush(): void } {
  const kept = new Map<string, Kept>();
  const states = new Map<string, { version: number; value: unknown }>();
  const of = (lane: string, pace: TokenRate): Kept => {
    const found = kept.get(lane) ?? { pace, dueAt: now() + 1_000 / pace.rate, restUntil: 0 };
    kept.set(lane, found);
    return found;
  };
  const reach = () => {
    if (isAway()) throw new Error('the engine is away');
  };
  return {
    flush() {
      kept.clear();
      states.clear();
    },
    async take(lane, want, horizonMs, pace) {
      reach();
      const own = of(lane, pace);
      const spacing = 1_000 / own.pace.rate;
      const delays: number[] = [];
      const earliest = Math.max(now(), own.restUntil);
      // Idle time gathers tokens up to the burst.
      own.dueAt = Math.max(own.dueAt, now() - (own.pace.burst - 1) * spacing);
      while (delays.length < want) {
        const at = Math.max(own.dueAt, earliest);
        if (at - now() > horizonMs) break;
        delays.push(at - now());
        own.dueAt = Math.max(own.dueAt, earliest - (own.pace.burst - 1) * spacing) + spacing;
      }
      const waitMs = delays.length > 0 ? 0 : Math.max(1, Math.ceil(Math.max(own.dueAt, earliest) - now()));
      return { delays, waitMs };
    },
    async rest(lane, ms) {
      reach();
      const own = of(lane, { rate: 1, burst: 1 });
      own.restUntil = Math.max(own.restUntil, now() + ms);
    },
    async wake(lane) {
      reach();
      const own = kept.get(lane);
      if (own) own.restUntil = 0;
    },
    async setRate(lane, pace) {
      reach();
      of(lane, pace).pace = pace;
    },
    async read(lane) {
      reach();
      const own = kept.get(lane);
      if (!own) return null;
      const restMs = Math.max(0, Math.ceil(own.restUntil - now()));
      return { ...own.pace, restMs, waitMs: Math.max(restMs, Math.ceil(own.dueAt - now()), 0) };
    },
    async readState(lane) {
      reach();
      return states.get(lane) ?? { version: 0, value: null };
    },
    async writeState(lane, version, value) {
      reach();
      if ((states.get(lane)?.version ?? 0) !== version) return false;
      states.set(lane, { version: version + 1, value });
      return true;
    },
  };
}
