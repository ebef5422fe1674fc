import { useSyncExternalStore } from 'react';

/** Whether the window is a phone's: then the row of a table is a card. */
const narrow = '(max-width: 639px)';

export const useNarrow = (): boolean => useSyncExternalStore(listen, () => matchMedia(narrow).matches);

function listen(tell: () => void): () => void {
  const media = matchMedia(narrow);
  media.addEventListener('change', tell);
  return () => media.removeEventListener('change', tell);
}
