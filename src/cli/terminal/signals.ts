import { setMaxListeners } from 'node:events';

/** Ctrl-C once: stop dialling, finish what has begun, say how to resume. Twice: exit at once. */
export type Signals = { signal: AbortSignal; stop(): void };

/**
 * `hangUpStops`: closing the terminal stops it too, unless SIGHUP reloads its keys. `atOnce` says what is left behind,
 * before the second Ctrl-C ends the process.
 */
export function watchSignals(hangUpStops = true, atOnce: () => void = () => undefined): Signals {
  const names = ['SIGINT', 'SIGTERM', ...(hangUpStops ? (['SIGHUP'] as const) : [])] as const;
  const controller = new AbortController();
  // Each request of each key listens to it; Node takes more than ten for a leak and warns on the terminal.
  setMaxListeners(0, controller.signal);
  const onSignal = () => {
    if (controller.signal.aborted) {
      atOnce();
      process.exit(130);
    }
    controller.abort();
  };
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
