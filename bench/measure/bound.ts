/**
 * The least time in which so many calls can be made and followed to their end, for somebody who knows all of it in
 * advance: each call's length, each change of the limit, and when there is credit. No schedule is faster: each call
 * needs one create, while there is credit, and one poll after its end, and each request needs what the limit lets
 * through.
 */
export type Stretch = {
  /** Seconds from the start; it holds until the next one begins. */
  from: number;
  /** Requests a second; the service holds one second of it at most, and all of that when the limit changes. */
  rate: number;
  credit: boolean;
};

export type Bound = {
  seconds: number;
  /** What so many requests take that the limit lets through, though nobody waits for a call. */
  requests: number;
  /** What it takes to make all calls and to wait for each, the longest made first. */
  calls: number;
};

/** `requestsPerCall` beyond two is for who wants to know what polls in vain cost at the best. */
export function boundOf(
  lengths: readonly number[],
  stretches: readonly Stretch[],
  requestsPerCall = 2,
): Bound {
  const needed = Math.ceil(lengths.length * requestsPerCall);
  const longestFirst = [...lengths].sort((a, b) => b - a);
  let passed = 0;
  let made = 0;
  let calls = 0;
  let requests = 0;
  for (const { at, credit } of chancesOf(stretches)) {
    passed += 1;
    if (passed === needed) requests = at;
    if (credit && made < longestFirst.length) {
      calls = Math.max(calls, at + longestFirst[made]!);
      made += 1;
    }
    if (passed >= needed && made === longestFirst.length) {
      return { seconds: Math.max(requests, calls), requests, calls };
    }
  }
  throw new Error('the limit lets nothing through');
}

/** The moments at which one more request is let through, if each before was used. */
export function* chancesOf(stretches: readonly Stretch[]): Generator<{ at: number; credit: boolean }> {
  for (const [i, { from, rate, credit }] of stretches.entries()) {
    const until = stretches[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    const isNew = stretches[i - 1]?.rate !== rate;
    for (let n = isNew ? Math.floor(rate) : 0; n > 0; n--) yield { at: from, credit };
    for (let at = from + 1 / rate; at < until; at += 1 / rate) yield { at, credit };
  }
}
