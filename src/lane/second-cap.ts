import type { Clock } from '../base/clock.ts';

/**
 * Lets no second of one process hold more requests than its lane's limit, and its burst on top. Tokens are evenly
 * spaced, but a busy machine bunches what was spaced; some services count every second of their own.
 */
export type SecondCap = {
  /** Resolves when one more request keeps every second within the limit; call what it answers when it leaves. */
  pass(): Promise<() => void>;
  /**
   * Null, or resolves when at most one stands before it. Until then whoever wants to come had better wait where polls go
   * first: here nobody does.
   */
  crowd(): Promise<void> | null;
};

/** The way to the service is not equally long for all: a second here is a little longer than there. */
const jitterMs = 25;
/** Beyond this a lane is as good as unlimited, and remembering every request would cost more than it saves. */
const mostRate = 2_000;
/** One may stand ready, so that no place in a second is left empty. */
const mostStanding = 1;

/** `burst` is how many the service takes at once after idleness, on top of what a second brings. */
export function createSecondCap(limit: () => number, clock: Clock, burst = 1): SecondCap {
  /** When requests left, or were let through and have not left yet; in order. */
  const sent: { at: number }[] = [];
  let line: Promise<unknown> = Promise.resolve();
  let standing = 0;
  const watchers: (() => void)[] = [];

  const wait = async (): Promise<() => void> => {
    const rate = limit();
    const most = Math.max(1, Math.ceil(rate)) + Math.ceil(burst) - 1;
    const windowMs = Math.max(1_000, (Math.max(1, Math.ceil(rate)) / rate) * 1_000) + jitterMs;
    for (;;) {
      const now = clock.monotonic();
      while (sent.length > 0 && sent[0]!.at <= now - windowMs) sent.shift();
      if (sent.length < most) {
        const own = { at: now };
        sent.push(own);
        // A busy process writes later than it was let through, and what follows is counted from then.
        return () => {
          const place = sent.lastIndexOf(own);
          if (place >= 0) sent.splice(place, 1);
          own.at = clock.monotonic();
          sent.push(own);
        };
      }
      await clock.sleep(sent[sent.length - most]!.at + windowMs - now);
    }
  };

  return {
    pass() {
      if (limit() > mostRate) return Promise.resolve(() => undefined);
      standing += 1;
      const passed = line.then(wait).then((onSent) => {
        standing -= 1;
        if (standing <= mostStanding) for (const tell of watchers.splice(0)) tell();
        return onSent;
      });
      line = passed;
      return passed;
    },
    crowd() {
      return standing <= mostStanding ? null : new Promise((resolve) => watchers.push(resolve));
    },
  };
}
