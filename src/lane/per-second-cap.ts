import type { Clock } from '../base/clock.ts';

/**
 * Keeps each second of one process within its lane's limit, plus its burst. Tokens are evenly spaced, but a busy
 * machine bunches the requests, and some services count each second.
 */
export type SecondCap = {
  /** Resolves when one more request keeps each second within the limit. Call the function when it leaves. */
  pass(): Promise<() => void>;
  /**
   * Null, or a promise that resolves when at most one request waits here. Until then a new request should wait in the
   * pacer, where polls go first: here they do not.
   */
  crowd(): Promise<void> | null;
};

/**
 * Requests do not all reach the service equally fast, so a second counted here is a little longer than the service's.
 */
const jitterMs = 25;
/** Above this a lane is practically unlimited, and remembering every request would cost more than it saves. */
const mostRate = 2_000;
/**
 * A create that was let through and has not left by then takes no slot until it does. A create that is too late after
 * its commit never leaves, and on a slow lane it would make the next one too late as well.
 */
const leaveMs = 2_000;
/** One request may wait, so that no slot in a second is left empty. */
const mostWaiting = 1;

/** `burst` is how many requests the service accepts at once after idle time, on top of its rate. */
export function createSecondCap(limit: () => number, clock: Clock, burst = 1): SecondCap {
  /** The times at which requests left, or were let through if they have not left yet; in order. */
  const sent: { at: number; left: boolean }[] = [];
  let line: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const watchers: (() => void)[] = [];

  const forget = (until: number) => {
    for (let i = sent.length - 1; i >= 0; i--) {
      if (!sent[i]!.left && sent[i]!.at <= until) sent.splice(i, 1);
    }
  };

  const wait = async (): Promise<() => void> => {
    const rate = limit();
    const most = Math.max(1, Math.ceil(rate)) + Math.ceil(burst) - 1;
    const windowMs = Math.max(1_000, (Math.max(1, Math.ceil(rate)) / rate) * 1_000) + jitterMs;
    for (;;) {
      const now = clock.monotonic();
      while (sent.length > 0 && sent[0]!.at <= now - windowMs) sent.shift();
      if (sent.length >= most) forget(now - leaveMs);
      if (sent.length < most) {
        const own = { at: now, left: false };
        sent.push(own);
        // A busy process sends a request later than it was let through, so it counts from when it was sent.
        return () => {
          const place = sent.lastIndexOf(own);
          if (place >= 0) sent.splice(place, 1);
          own.at = clock.monotonic();
          own.left = true;
          sent.push(own);
        };
      }
      const { at, left } = sent[sent.length - most]!;
      await clock.sleep(at + (left ? windowMs : Math.min(windowMs, leaveMs)) - now);
    }
  };

  return {
    pass() {
      if (limit() > mostRate) return Promise.resolve(() => undefined);
      waiting += 1;
      const passed = line.then(wait).then((onSent) => {
        waiting -= 1;
        if (waiting <= mostWaiting) for (const tell of watchers.splice(0)) tell();
        return onSent;
      });
      line = passed;
      return passed;
    },
    crowd() {
      return waiting <= mostWaiting ? null : new Promise((resolve) => watchers.push(resolve));
    },
  };
}
