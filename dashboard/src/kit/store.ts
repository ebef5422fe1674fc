import { useSyncExternalStore } from 'react';

/** A value outside of React: whoever shows it with `use` is told when another one is set. */
export function createStore<Value>(initial: Value) {
  let now = initial;
  const listeners = new Set<() => void>();
  const listen = (tell: () => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  };
  return {
    get: () => now,
    set(next: Value): void {
      now = next;
      for (const tell of listeners) tell();
    },
    use: () => useSyncExternalStore(listen, () => now),
  };
}
