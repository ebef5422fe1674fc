import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

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

/**
 * The time of the last answer while Carillon does not answer, else null. The page then shows figures of that time, and
 * its buttons are disabled.
 */
export const silence = createStore<number | null>(null);

export const offWords = 'Carillon does not answer: only Stop everything can be asked for.';

/** What this browser keeps of a choice. One that keeps nothing has the choice for this page only. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // The store is full or switched off.
  }
}

/** Widths of the window from which the columns of a table have room; a narrower one is a phone's. */
export const widths = { sm: 640, lg: 1_024, xl: 1_280, wide: 1_401 } as const;

/** The widest of them that the window has; 0 on a phone. */
export const useWidth = (): number =>
  useSyncExternalStore(listen, () => Math.max(0, ...Object.values(widths).filter((px) => innerWidth >= px)));

function listen(tell: () => void): () => void {
  addEventListener('resize', tell);
  return () => removeEventListener('resize', tell);
}

/** What is typed, once the typing rests: the API is not asked for each letter. */
export function useSettled(value: string, restMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return settled;
}

/** Those that are open, the topmost last: only what stands in it can be seen and used. */
export const openDialogs = createStore<readonly HTMLDialogElement[]>([]);

/** Opens the dialog that it is given to; when it goes, the focus is where it was before. */
export function useModal() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    openDialogs.set([...openDialogs.get(), dialog]);
    return () => {
      dialog.close();
      openDialogs.set(openDialogs.get().filter((each) => each !== dialog));
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return element;
}
