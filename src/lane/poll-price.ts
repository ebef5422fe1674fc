/**
 * The price of a request on one lane, in seconds of delay of a result. While people wait to be called it is high; on
 * a lane with tokens to spare it is low; and where even so more polls are due than the limit lets through, it rises
 * until they fit, so that no line of polls grows without end and creates keep their share.
 */
export type PollPrice = {
  /** `resultDelay` is what the campaign's owner holds a request to be worth while people wait, if anything was said. */
  worth(resultDelay: number | null, busy: boolean): number;
  /** The next poll of a call was put this far ahead, while the lane was busy or not. */
  planned(seconds: number, busy: boolean): void;
  /** A poll came so long after its time, before it so much as waited for a token. */
  late(seconds: number): void;
  /** Once a round: how many calls are in flight, and how many requests a second the lane may send. */
  weigh(inFlight: number, rate: number, busy: boolean): void;
};

/** So that nineteen of twenty results are less than half a minute late, as calls usually go. */
export const busyWorth = 3;
const idleWorth = 0.2;
/** The part of the lane that polls may take at most. */
const busyShare = 0.8;
const idleShare = 0.95;
const mostPressure = 10_000;
/** Where there are more polls than can be carried they all are late: that is want, and must not pass for haste. */
const mostLate = 1;
/**
 * Some calls wait many times longer than most: a mean over few waits sways, and each time it sways low it would look as
 * if there were too many polls. So it is taken over many times as many as there are calls in flight, within bounds.
 */
const memoryShare = 8;
const leastMemory = 50;
const mostMemory = 500;
/** No longer ago than this, as calls and what is known of them change. */
const memorySeconds = 30;

export function createPollPrice(): PollPrice {
  let pressure = 1;
  /** The mean wait at a worth of 1, as waits go with its root: so the mean holds while the price moves. */
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
      // A call is in flight until it is asked, which is a little later than was planned.
      const wait = evenWait * root(busy) + meanLate;
      const share = inFlight / wait / rate / (busy ? busyShare : idleShare);
      // Polls a second go with the root of the price; small steps, as what was put off comes back late.
      const step = Math.min(2, Math.max(0.5, share ** 2));
      pressure = Math.min(mostPressure, Math.max(1, pressure * step));
    },
  };
}
