/** Waits that a caller can end, and work that ends when it takes too long. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The reason of an abort that no caller asked for. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/**
 * Work with a signal that follows the caller's and is aborted after `ms`. `AbortSignal.any` would keep every request
 * in the memory of a caller's signal that lives as long as its program.
 */
export async function within<T>(
  { signal, ms }: { signal?: AbortSignal | undefined; ms: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const follow = () => own.abort(signal!.reason);
  signal?.addEventListener('abort', follow, { once: true });
  const late = () => own.abort(new TooLate(`no answer within ${ms / 1_000} s`));
  const timer = Number.isFinite(ms) ? setTimeout(late, ms) : undefined;
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}
