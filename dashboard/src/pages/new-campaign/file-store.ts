import { useQuery } from '@tanstack/react-query';

/** Keeps the chosen file in this browser (IndexedDB), so that a reload does not ask for it again. */
type Kept = { id: string; file: File };

/** In memory while the tab lives: the browser may refuse to keep a file. */
let latest: Kept | null = null;

export function tellBrowserFile(kept: Kept | null): void {
  latest = kept;
  asked('readwrite', (files) => (kept ? files.put(kept, key) : files.delete(key))).catch(() => undefined);
}

async function fileOf(id: string): Promise<File | null> {
  if (latest?.id === id) return latest.file;
  const kept = await asked<Kept | undefined>('readonly', (files) => files.get(key)).catch(() => undefined);
  if (kept?.id !== id) return null;
  latest = kept;
  return kept.file;
}

/** The file of the draft; null when this browser no longer has it, undefined while it is looked for. */
export const useFile = (id: string | undefined): File | null | undefined =>
  useQuery({
    queryKey: ['draft-file', id],
    queryFn: () => fileOf(id!),
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
  }).data;

const store = 'files';
const key = 'new-campaign';

async function asked<T>(mode: IDBTransactionMode, act: (files: IDBObjectStore) => IDBRequest): Promise<T> {
  const opening = indexedDB.open('carillon', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  const database = await answerOf(opening);
  const answer = await answerOf<T>(act(database.transaction(store, mode).objectStore(store)));
  database.close();
  return answer;
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
