import type { Clock } from '../base/clock.ts';

/**
 * Watches the creates of one lane that are under way here. A service that has stopped answering is found out when its
 * first answers are overdue, not when the first request times out half a minute later; and one that fails, before the
 * ledger has written it down. What is sent until then may all be unknown.
 */
export type Overdue = {
  /** True when another create had better not leave yet. A probe is kept by nothing but other answers that are due. */
  isDue(probe?: boolean): boolean;
  /** Sends, and takes note of how long the answer takes; `reads` tells whether it is one. */
  follow<T>(send: () => Promise<T>, reads: (answer: T) => boolean): Promise<T>;
};

/** What a service usually takes is not known at first: an answer may then take this long before it is overdue. */
const firstMs = 3_000;
const leastMs = 1_000;
/** An answer is overdue when it takes so many times as long as the others did. */
const times = 5;

/** So long the ledger may take to close the lane after the last of many failures; from then on it alone is asked. */
const writingMs = 2_000;

/** `most` creates that are overdue at once are an outage; fewer are bad luck. */
export function createOverdue(most: number, clock: Clock): Overdue {
  const sent = new Set<{ at: number }>();
  let usualMs: number | null = null;
  let heardAt = Number.NEGATIVE_INFINITY;
  /** When creates failed since the last good answer. */
  let failed: number[] = [];

  return {
    isDue(probe = false) {
      const limitMs = usualMs === null ? firstMs : Math.max(leastMs, usualMs * times);
      const now = clock.monotonic();
      let overdue = 0;
      // One that left before another that was answered waits for a reason of its own.
      for (const { at } of sent) if (at > heardAt && now - at > limitMs) overdue += 1;
      if (!probe) overdue += failed.filter((at) => now - at < writingMs).length;
      return overdue >= most;
    },
    async follow(send, reads) {
      const own = { at: clock.monotonic() };
      sent.add(own);
      try {
        const answer = await send();
        if (reads(answer)) {
          const tookMs = clock.monotonic() - own.at;
          usualMs = usualMs === null ? tookMs : usualMs * 0.9 + tookMs * 0.1;
          heardAt = Math.max(heardAt, own.at);
          failed = [];
        } else failed = [...failed, clock.monotonic()].slice(-most);
        return answer;
      } finally {
        sent.delete(own);
      }
    },
  };
}
