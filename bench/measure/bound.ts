/**
 * The shortest time in which a list of calls can be made and followed to its end, if everything is known in advance:
 * each call's length, each change of the limit, and when there is credit. No schedule is faster: each call needs one
 * create while there is credit and one poll after its end, and the limit must admit each of these requests.
 */
export type Stretch = {
  /** Seconds from the start; holds until the next stretch begins. */
  from: number;
  /** Requests a second; the service saves up at most one second of it, and has all of that when the limit changes. */
  rate: number;
  credit: boolean;
};

export type Bound = {
  seconds: number;
  /** The time that the requests take under the limit, without waiting for any call. */
  requests: number;
  /** The time to make all calls, longest first, and to wait for each. */
  calls: number;
};

/** `requestsPerCall` above two gives the bound for a schedule that also makes polls in vain. */
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
  throw new Error('the limit admits nothing');
}

/** The moments at which one more request is admitted, if every earlier one was used. */
export function* chancesOf(stretches: readonly Stretch[]): Generator<{ at: number; credit: boolean }> {
  for (const [i, { from, rate, credit }] of stretches.entries()) {
    const until = stretches[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    const isNew = stretches[i - 1]?.rate !== rate;
    for (let n = isNew ? Math.floor(rate) : 0; n > 0; n--) yield { at: from, credit };
    for (let at = from + 1 / rate; at < until; at += 1 / rate) yield { at, credit };
  }
}
