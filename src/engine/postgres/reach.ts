/**
 * Where a search for jobs begins: behind those that this process knows to be over. While a transaction of somebody else
 * keeps a snapshot, the ones that are over can neither be removed nor skipped, and each search walked over all of them.
 */
export type Reach = {
  /** The place in the queue and the due time behind which a search begins. */
  of(queue: string): { after: bigint | number; since: number };
  /** What a search found: the places of the jobs, and that none due before `now` is left. */
  saw(queue: string, places: readonly number[], now: number, tookMs: number): void;
};

/** A place counts as over a while after it was seen: a job's place is older than its commit. */
const settleMs = 1_000;
/** A job whose commit took longer is found by a search from the beginning. */
const wholeMs = 5_000;

/** How soon to search from the beginning again: it may take a hundredth of the time at most. */
export const pauseAfter = (tookMs: number, leastMs: number) => Math.max(leastMs, 100 * tookMs);

/** Before every place and time. */
const beginning = { after: -(2n ** 63n), since: 0 };

type Known = {
  wholeAt: number;
  isWhole: boolean;
  turnedAt: number;
  seen: { after: bigint | number; since: number };
  over: { after: bigint | number; since: number };
};

export function createReach(clock: () => number): Reach {
  const queues = new Map<string, Known>();
  return {
    of(queue) {
      const known = queues.get(queue) ?? {
        wholeAt: Number.NEGATIVE_INFINITY,
        isWhole: false,
        turnedAt: clock(),
        seen: beginning,
        over: beginning,
      };
      queues.set(queue, known);
      known.isWhole = clock() >= known.wholeAt;
      if (clock() - known.turnedAt >= settleMs) {
        known.over = known.seen;
        known.turnedAt = clock();
      }
      return known.isWhole ? beginning : known.over;
    },
    saw(queue, places, now, tookMs) {
      const known = queues.get(queue)!;
      const after = places.length > 0 ? Math.max(...places) : known.seen.after;
      if (known.isWhole) {
        known.wholeAt = clock() + pauseAfter(tookMs, wholeMs);
        // A server that was restored counts from an earlier place.
        if (after < known.over.after) known.over = beginning;
        known.seen = { after, since: now };
      } else known.seen = { after: after > known.seen.after ? after : known.seen.after, since: now };
    },
  };
}
