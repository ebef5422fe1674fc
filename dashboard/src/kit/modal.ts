import { useEffect, useRef } from 'react';
import { createStore } from './store.ts';

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
