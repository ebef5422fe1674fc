import { useEffect, useRef } from 'react';
import { keep, readKept } from './kept.ts';

/** Keys that work on every page. A page's own keys come first: it prevents their default. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || isInDialog();
}

const isInDialog = (): boolean => document.querySelector('dialog[open]') !== null;

/** Single keys can be switched off, for those whose software types for them; Ctrl K stays. */
const storeName = 'carillon-keys';

export const areKeysOn = () => readKept(storeName) !== 'off';
export const switchKeys = (on: boolean) => keep(storeName, on ? null : 'off');

type Keys = Readonly<Record<string, () => void>>;

const goMs = 1_500;
/** When `g` was pressed: the letter after it names a page. */
let wentAt = 0;

/** The keys of every page, Ctrl K for what `/` does, and after `g` the letter of a page. */
export function listenForKeys(keys: Keys, go: (letter: string) => void): () => void {
  const take = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'k' && (event.ctrlKey || event.metaKey) && !isInDialog()) {
      event.preventDefault();
      keys['/']?.();
      return;
    }
    if (event.defaultPrevented || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!areKeysOn()) return;
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

/** A page's own letters, which come before those of every page. */
export function usePageKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const take = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (Date.now() - wentAt < goMs) return;
      const act = areKeysOn() ? latest.current[event.key] : undefined;
      // Space and Enter press what has the focus.
      const isPress =
        /^(?: |Enter)$/.test(event.key) && (event.target as Element).closest('button, a, summary');
      if (!act || isPress) return;
      event.preventDefault();
      act();
    };
    // In the capture phase: the shell listens for the same event.
    window.addEventListener('keydown', take, true);
    return () => window.removeEventListener('keydown', take, true);
  }, []);
}
