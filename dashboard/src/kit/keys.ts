import { useEffect, useRef } from 'react';
import { keep, readKept } from './store.ts';

/** Keys that work on every page. A page's own keys come first: it prevents their default. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const takesLetters = target.isContentEditable || target.closest('input, textarea, select, [role=menu]');
  return Boolean(takesLetters) || isInDialog();
}

/** A letter alone, and not one of a text that is typed. */
const isPlain = (event: KeyboardEvent) =>
  !(isTyping(event) || event.ctrlKey || event.metaKey || event.altKey);

const isInDialog = (): boolean => document.querySelector('dialog[open]') !== null;

/** Single keys can be switched off, for those whose software types for them; Ctrl K stays. */
const storeName = 'carillon-keys';

export const areKeysOn = () => readKept(storeName) !== 'off';
export const switchKeys = (on: boolean) => keep(storeName, on ? null : 'off');

type Keys = Readonly<Record<string, () => void>>;

const goMs = 1_500;
/** When `g` was pressed: the letter after it names a page. */
let wentAt = 0;

export function listenForKeys(keys: Keys, go: (letter: string) => void): () => void {
  const take = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'k' && (event.ctrlKey || event.metaKey) && !isInDialog()) {
      event.preventDefault();
      keys['/']?.();
      return;
    }
    if (event.defaultPrevented || !isPlain(event) || !areKeysOn()) return;
    const follows = Date.now() - wentAt < goMs;
    wentAt = 0;
    if (follows) go(key);
    else if (key === 'g') wentAt = Date.now();
    else if (keys[key]) {
      event.preventDefault();
      keys[key]();
    }
  };
  window.addEventListener('keydown', take);
  return () => window.removeEventListener('keydown', take);
}

/** Takes each key that is pressed alone while one does not type. `first`: before the shell, which listens for the same event. */
export function usePlainKeys(take: (event: KeyboardEvent) => void, first = false): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => isPlain(event) && latest.current(event);
    window.addEventListener('keydown', listen, first);
    return () => window.removeEventListener('keydown', listen, first);
  }, [first]);
}

/** A page's own letters, which come before those of every page. */
export function usePageKeys(keys: Keys): void {
  usePlainKeys((event) => {
    if (Date.now() - wentAt < goMs) return;
    const act = areKeysOn() ? keys[event.key] : undefined;
    // Space and Enter press what has the focus.
    const isPress =
      /^(?: |Enter)$/.test(event.key) && (event.target as Element).closest('button, a, summary');
    if (!act || isPress) return;
    event.preventDefault();
    act();
  }, true);
}
