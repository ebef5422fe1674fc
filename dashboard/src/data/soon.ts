import { useSyncExternalStore } from 'react';
import type { Problem } from '../api/ask.ts';
import { sendSoon, showToast } from '../kit/toast.tsx';
import { refreshEverything, tellProblem } from './queries.ts';

/** Acts that are told as done at once and sent when no undo can come; one that is undone, or fails, is taken back. */
export function createSoon<Value>() {
  let told: ReadonlyMap<string, Value> = new Map();
  const listeners = new Set<() => void>();
  const change = (by: (now: Map<string, Value>) => void) => {
    const now = new Map(told);
    by(now);
    told = now;
    for (const tell of listeners) tell();
  };
  const listen = (tell: () => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  };
  return {
    use: (): ReadonlyMap<string, Value> => useSyncExternalStore(listen, () => told),
    /** `send` answers the words that are told at the end, if there are any. */
    tell(key: string, value: Value, text: string, send: () => Promise<string | null>): void {
      const before = told.get(key);
      const takeBack = () => change((now) => (before === undefined ? now.delete(key) : now.set(key, before)));
      change((now) => now.set(key, value));
      sendSoon(text, {
        undone: takeBack,
        async send() {
          try {
            const words = await send();
            if (words) showToast({ kind: 'done', text: words });
            refreshEverything();
          } catch (error) {
            takeBack();
            tellProblem(error as Problem);
          }
        },
      });
    },
  };
}
