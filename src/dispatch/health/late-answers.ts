import type { Clock } from '../../base/clock.ts';

/**
 * Watches the creates of one lane in this process. A service that stops answering is noticed when its first answers are
 * overdue, not when the first request times out half a minute later. A service that fails is noticed before the ledger
 * has recorded it. Everything sent until then may become unknown.
 */
export type LateAnswers = {
  /** True when another create should not leave yet. A probe is held only by other answers that are overdue. */
  isDue(probe?: boolean): boolean;
  /** Sends, and notes how long the answer takes; `reads` tells whether it counts as one. */
  follow<T>(send: () => Promise<T>, reads: (answer: T) => boolean): Promise<T>;
};

/** The service's usual time is unknown at first; an answer is then overdue after this long. */
const firstMs = 3_000;
const leastMs = 1_000;
/** An answer is overdue when it takes this many times as long as the others. */
const times = 5;

/**
 * How long the ledger may take to close the lane after the last of many failures; after that only the ledger counts.
 */
const writingMs = 2_000;

/** `most` overdue creates at once are an outage; fewer are bad luck. */
export function createLateAnswers(most: number, clock: Clock): LateAnswers {
  const sent = new Set<{ at: number }>();
  let usualMs: number | null = null;
  let heardAt = Number.NEGATIVE_INFINITY;
  /** The times of creates that failed since the last good answer. */
  let failed: number[] = [];

  return {
    isDue(probe = false) {
      const limitMs = usualMs === null ? firstMs : Math.max(leastMs, usualMs * times);
      const now = clock.monotonic();
      let overdue = 0;
      // If a later create was answered, this one waits for a reason of its own.
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
