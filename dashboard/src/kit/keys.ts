import { useEffect, useRef } from 'react';
import { keep, readKept } from './kept.ts';

/** Keys that work on every page. A page's own keys come first: it prevents their default. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || isInDialog();
}

function isInDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

/** Single keys can be switched off, for those whose software types for them; Ctrl K stays. */
const storeName = 'carillon-keys';

export const areKeysOn = () => readKept(storeName) !== 'off';
export const switchKeys = (on: boolean) => keep(storeName, on ? null : 'off');

export type ShellKeys = {
  search(): void;
  help(): void;
  stop(): void;
  create(): void;
  /** Opens one of the needs, by its number from 1. */
  need(nth: number): void;
  go(letter: string): void;
};

const goMs = 1_500;
/** When `g` was pressed: the letter after it names a page. */
let wentAt = 0;

export function listenForKeys({ search, help, stop, create, need, go }: ShellKeys): () => void {
  const take = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'k' && (event.ctrlKey || event.metaKey) && !isInDialog()) {
      event.preventDefault();
      search();
      return;
    }
    if (event.defaultPrevented || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!areKeysOn()) return;
    const follows = Date.now() - wentAt < goMs;
    wentAt = 0;
    if (follows) go(key);
    else if (key === 'g') wentAt = Date.now();
    else if (key === '?') help();
    else if (key === 'S') stop();
    else if (key === 'c') create();
    else if (/^[1-9]$/.test(key)) need(Number(key));
    else if (key === '/') {
      event.preventDefault();
      search();
    }
  };
  window.addEventListener('keydown', take);
  return () => window.removeEventListener('keydown', take);
}

/** A page's own letters, which come before those of every page. */
export function usePageKeys(keys: Readonly<Record<string, () => void>>): void {
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
