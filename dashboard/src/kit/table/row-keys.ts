import { useEffect, useRef, useState } from 'react';
import { isTyping } from '../keys.ts';

/** `j` and `k` move the focus over rows, Enter or `o` opens the row, `x` selects it; a page may add letters of its own. */
export type RowKeys = {
  count: number;
  onOpen?: ((at: number) => void) | undefined;
  onSelect?: ((at: number) => void) | undefined;
  onMove?: ((at: number) => void) | undefined;
  onLetter?: ((letter: string, at: number) => boolean) | undefined;
};

/** A row that was out of sight is drawn with the next frame. */
function focusRow(at: number): void {
  const row = () => document.querySelector<HTMLElement>(`tr[data-index="${at}"]`);
  const found = row();
  if (found) found.focus();
  else requestAnimationFrame(() => row()?.focus());
}

export function useRowKeys(keys: RowKeys): number | null {
  const [cursor, setCursor] = useState<number | null>(null);
  const latest = useRef({ ...keys, cursor });
  latest.current = { ...keys, cursor };
  useEffect(() => {
    const take = (event: KeyboardEvent) => {
      const { count, onOpen, onSelect, onMove, onLetter, cursor: at } = latest.current;
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
      const move = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      if (move !== 0) {
        const to = at === null ? 0 : Math.min(count - 1, Math.max(0, at + move));
        setCursor(to);
        onMove?.(to);
        focusRow(to);
      } else if (at !== null && at < count && (event.key === 'Enter' || event.key === 'o')) {
        if (event.target instanceof HTMLElement && event.target.closest('a, button, summary')) return;
        onOpen?.(at);
      } else if (at !== null && at < count && event.key === 'x') onSelect?.(at);
      else if (at !== null && at < count && onLetter?.(event.key, at)) event.preventDefault();
    };
    window.addEventListener('keydown', take);
    return () => window.removeEventListener('keydown', take);
  }, []);
  return cursor;
}
