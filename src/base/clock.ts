/** Time and randomness come in through here, so that rules can be tested without waiting. */
export type Clock = {
  /** Milliseconds since the epoch, for what is stored and shown. */
  now(): number;
  /** Milliseconds that only ever grow, for measuring how long something took. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type Random = () => number;

/** The larger difference counts: a suspend stops the monotonic clock, and the wall clock may be set back. */
export function createStopwatch(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  const [steady, wall] = [clock.monotonic(), clock.now()];
  return () => Math.max(clock.monotonic() - steady, clock.now() - wall);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
};

/** Resolves after `ms`, or at once when the signal fires: the caller checks the signal itself. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    // Node rings a timer with a fraction of a millisecond too early, and then sets it again.
    const timer = setTimeout(done, Math.ceil(ms));
    signal?.addEventListener('abort', done, { once: true });
  });
}
