import { createPortal } from 'react-dom';
import { Button, Mark } from './basics.tsx';
import { usePageKeys } from './keys.ts';
import { createStore, openDialogs } from './store.ts';
import { useTick } from './values.tsx';
import { classes } from './words.ts';

/** The outcome of an act, told in a corner; a failure stays until it is closed, and an act that waits can be undone. */
type Toast = {
  id: number;
  kind: 'done' | 'failed' | 'waits';
  text: string;
  more?: string;
  /** When an act that waits is sent, and what takes it back. */
  sentAt?: number;
  undo?: () => void;
};

const toasts = createStore<readonly Toast[]>([]);
let last = 0;
const shownMs = 6_000;
const undoMs = 5_000;

function show(toast: Omit<Toast, 'id'>): number {
  last += 1;
  const id = last;
  // Failures stay; of what is done, and of what waits, only the newest is told.
  const others = toasts.get().filter(({ kind }) => kind === 'failed' || kind !== toast.kind);
  toasts.set([...others.slice(-3), { ...toast, id }]);
  return id;
}

export function showToast(toast: { kind: 'done' | 'failed'; text: string; more?: string }): void {
  const id = show(toast);
  if (toast.kind === 'done') setTimeout(() => close(id), shownMs);
}

let sendWaiting: (() => void) | undefined;

/** Sends an act in five seconds, unless it is undone before: nothing has left until then. The next one sends it at once. */
export function sendSoon(text: string, act: { send(): void; undone(): void }): void {
  sendWaiting?.();
  const end = (run: () => void) => () => {
    clearTimeout(timer);
    sendWaiting = undefined;
    close(id);
    run();
  };
  sendWaiting = end(act.send);
  const timer = setTimeout(sendWaiting, undoMs);
  const id = show({ kind: 'waits', text, sentAt: Date.now() + undoMs, undo: end(act.undone) });
}

function close(id: number): void {
  toasts.set(toasts.get().filter((each) => each.id !== id));
}

/** In the topmost dialog, where one is open: below it nobody could read or close them. */
export function Toasts() {
  const shown = toasts.use();
  const place = openDialogs.use().at(-1) ?? document.body;
  usePageKeys({ z: () => shown.find(({ undo }) => undo)?.undo?.() });
  return createPortal(
    <div
      role="status"
      aria-live="polite"
      className="toasts fixed z-50 flex flex-col items-end gap-2 text-base text-text"
    >
      {shown.map(({ id, kind, text, more, sentAt, undo }) => (
        <div
          key={id}
          className={classes(
            'flex w-full max-w-md items-center gap-3 rounded-lg border border-line bg-raised px-4 py-3 text-sm shadow-float',
            kind === 'failed' && 'border-l-[3px] border-l-bad-fill',
          )}
        >
          <Mark
            shape={kind === 'failed' ? 'up' : 'check'}
            className={kind === 'failed' ? 'text-bad' : 'text-good'}
          />
          <div className="min-w-0 flex-1">
            <p className={classes('font-medium', kind === 'failed' && 'text-bad')}>
              {text} {sentAt !== undefined && <Left until={sentAt} />}
            </p>
            {more && <p className="max-h-60 overflow-y-auto text-quiet">{more}</p>}
          </div>
          {undo ? (
            <Button small onClick={undo}>
              Undo <kbd className="key-in-button">Z</kbd>
            </Button>
          ) : (
            <button
              type="button"
              onClick={() => close(id)}
              className="text-quiet"
              aria-label="Dismiss this message"
            >
              <Mark shape="cross" />
            </button>
          )}
        </div>
      ))}
    </div>,
    place,
  );
}

function Left({ until }: { until: number }) {
  const now = useTick();
  return <span className="text-quiet">It is sent in {Math.max(0, Math.ceil((until - now) / 1_000))} s.</span>;
}
