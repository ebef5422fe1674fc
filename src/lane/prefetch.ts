/**
 * How many dial jobs a worker holds at a time. A job in hand is deaf to other workers: if this one dies, it stands
 * still until its lock has run out. So a worker takes what it can soon send, and what is under way.
 */
export type Prefetch = {
  /** So long it took from a token to the record of the answer. */
  note(tookMs: number): void;
  /** At a rate of so many a second, and never more than `most`. */
  hold(rate: number, most: number): number;
};

/** So much work may wait for its tokens: enough that no token waits for a job, however the queue is doing. */
const waitSeconds = 1;
/** Held until a first answer tells how long one takes. */
const firstTookMs = 500;

export function createPrefetch(): Prefetch {
  let tookMs = firstTookMs;
  return {
    note(took) {
      tookMs += (took - tookMs) * 0.1;
    },
    // Twice the mean, as some take longer than others.
    hold: (rate, most) => Math.min(most, 2 + Math.ceil(rate * (waitSeconds + (2 * tookMs) / 1_000))),
  };
}
