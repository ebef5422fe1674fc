/**
 * The price of a request on one lane, in seconds of result delay. It is high while people wait to be called, and low on
 * a lane with tokens to spare. When more polls are due than the limit lets through, it rises until they fit, so that
 * polls do not pile up and creates keep their share.
 */
export type PollPrice = {
  /** `resultDelay` is what a request is worth to the campaign's owner while people wait; null when not set. */
  worth(resultDelay: number | null, busy: boolean): number;
  /** A call's next poll was planned this far ahead, on a lane that was busy or not. */
  planned(seconds: number, busy: boolean): void;
  /** A poll was this late before it even waited for a token. */
  late(seconds: number): void;
  /** Once a round: how many calls are in flight, and how many requests a second the lane may send. */
  weigh(inFlight: number, rate: number, busy: boolean): void;
};

/** Nineteen of twenty results of usual calls are less than half a minute late. */
export const busyWorth = 3;
const idleWorth = 0.2;
/** The largest share of the lane that polls may take. */
const busyShare = 0.8;
const idleShare = 0.95;
const mostPressure = 10_000;
/** If there are too many polls, all are late: that delay must not count as room for more. */
const mostLate = 1;
/**
 * Some calls wait many times longer than most, so a mean over few waits varies, and a low one would look like too many
 * polls. So the mean covers several times as many waits as there are calls in flight, within bounds.
 */
const memoryShare = 8;
const leastMemory = 50;
const mostMemory = 500;
/** Older waits are left out, because calls and what is known of them change. */
const memorySeconds = 30;

export function createPollPrice(): PollPrice {
  let pressure = 1;
  /** The mean wait at a worth of 1. Waits grow with the root of the worth, so it holds while the price changes. */
  let evenWait = 5;
  let meanLate = 0;
  let memory = leastMemory;
  let counted = 10;
  const root = (busy: boolean) => Math.sqrt((busy ? busyWorth : idleWorth) * pressure);
  return {
    worth: (resultDelay, busy) =>
      (busy ? (resultDelay ?? busyWorth) : Math.min(resultDelay ?? busyWorth, idleWorth)) * pressure,
    planned(seconds, busy) {
      counted = Math.min(memory, counted + 1);
      evenWait += (seconds / root(busy) - evenWait) / counted;
    },
    late(seconds) {
      meanLate += (Math.min(mostLate, Math.max(0, seconds)) - meanLate) / 50;
    },
    weigh(inFlight, rate, busy) {
      memory = Math.max(leastMemory, Math.min(mostMemory, memorySeconds * rate, memoryShare * inFlight));
      // A call is in flight until it is polled, which is a little later than planned.
      const wait = evenWait * root(busy) + meanLate;
      const share = inFlight / wait / rate / (busy ? busyShare : idleShare);
      // Polls a second fall with the root of the price. The steps are small, because postponed polls come back late.
      const step = Math.min(2, Math.max(0.5, share ** 2));
      pressure = Math.min(mostPressure, Math.max(1, pressure * step));
    },
  };
}
