import { useState } from 'react';
import { usePlainKeys } from '../keys.ts';

/** `j` and `k` move the focus over rows, Enter or `o` opens the row, `x` selects it; a page may add letters of its own. */
type RowKeys = {
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

export function useRowKeys({ count, onOpen, onSelect, onMove, onLetter }: RowKeys): number | null {
  const [at, setCursor] = useState<number | null>(null);
  usePlainKeys((event) => {
    if (count === 0) return;
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
  });
  return at;
}
