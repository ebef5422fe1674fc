/**
 * How many dial jobs a worker takes at a time. No other worker can take one of these: if the worker dies, they wait
 * until its lock expires. So a worker takes only the jobs that it is sending or can send soon.
 */
export type Prefetch = {
  /** Notes how long it took from a token to the record of the answer. */
  note(tookMs: number): void;
  /** How many to take at this rate a second, and never more than `most`. */
  jobsAt(rate: number, most: number): number;
};

/** How much work may wait for its tokens: enough that no token waits for a job, even with a slow queue. */
const waitSeconds = 1;
/** Assumed until a first answer shows how long one takes. */
const firstTookMs = 500;

export function createPrefetch(): Prefetch {
  let tookMs = firstTookMs;
  return {
    note(took) {
      tookMs += (took - tookMs) * 0.1;
    },
    // Twice the mean, because some take longer than others.
    jobsAt: (rate, most) => Math.min(most, 2 + Math.ceil(rate * (waitSeconds + (2 * tookMs) / 1_000))),
  };
}
