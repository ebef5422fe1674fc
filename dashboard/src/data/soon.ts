import type { Problem } from '../api/ask.ts';
import { createStore } from '../kit/store.ts';
import { sendSoon, showToast } from '../kit/toast.tsx';
import { refreshEverything, tellProblem } from './queries.ts';

/** Acts that are told as done at once and sent when no undo can come; one that is undone, or fails, is taken back. */
export function createSoon<Value>() {
  const told = createStore<ReadonlyMap<string, Value>>(new Map());
  const change = (by: (now: Map<string, Value>) => void) => {
    const now = new Map(told.get());
    by(now);
    told.set(now);
  };
  return {
    use: told.use,
    /** What was done already. */
    keep: (key: string, value: Value) => change((now) => now.set(key, value)),
    /** `send` answers the words that are told at the end, if there are any. */
    tell(key: string, value: Value, text: string, send: () => Promise<string | null>): void {
      const before = told.get().get(key);
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
