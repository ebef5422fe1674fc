import { useSyncExternalStore } from 'react';
import { classes } from './words.ts';

/** The outcome of an act, told in a corner; a failure stays until it is closed. */
type Toast = { id: number; kind: 'done' | 'failed'; text: string; more?: string };

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();
const shownMs = 6_000;

function set(now: readonly Toast[]): void {
  toasts = now;
  for (const tell of listeners) tell();
}

export function showToast(toast: Omit<Toast, 'id'>): void {
  last += 1;
  const id = last;
  set([...toasts.slice(-3), { ...toast, id }]);
  if (toast.kind === 'done') setTimeout(() => close(id), shownMs);
}

function close(id: number): void {
  set(toasts.filter((each) => each.id !== id));
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => toasts,
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className="fixed right-4 bottom-4 left-4 z-50 max-md:bottom-20 flex flex-col items-end gap-2 empty:hidden sm:left-auto"
    >
      {shown.map(({ id, kind, text, more }) => (
        <div
          key={id}
          className={classes(
            'flex w-full max-w-md items-start gap-3 rounded-lg border border-line bg-raised px-4 py-3 shadow-float',
            kind === 'failed' && 'border-l-[3px] border-l-bad-fill',
          )}
        >
          <div className="min-w-0 flex-1">
            <p className={classes('font-medium', kind === 'failed' && 'text-bad')}>{text}</p>
            {more && <p className="text-sm text-quiet">{more}</p>}
          </div>
          <button
            type="button"
            onClick={() => close(id)}
            className="text-quiet"
            aria-label="Close this message"
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
