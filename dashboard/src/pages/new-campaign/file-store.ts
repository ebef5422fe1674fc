import { useQuery } from '@tanstack/react-query';

/** Keeps the chosen file in this browser (IndexedDB), so that a reload does not ask for it again. */
type Kept = { id: string; file: File };

/** In memory while the tab lives: the browser may refuse to keep a file. */
let latest: Kept | null = null;

export function tellBrowserFile(kept: Kept | null): void {
  latest = kept;
  write(kept).catch(() => undefined);
}

async function fileOf(id: string): Promise<File | null> {
  if (latest?.id === id) return latest.file;
  const kept = await read().catch(() => null);
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

function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open('carillon', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  return answerOf(opening);
}

async function write(kept: Kept | null): Promise<void> {
  const database = await open();
  const files = database.transaction(store, 'readwrite').objectStore(store);
  if (kept) await answerOf(files.put(kept, key));
  else await answerOf(files.delete(key));
  database.close();
}

async function read(): Promise<Kept | null> {
  const database = await open();
  const kept = await answerOf<Kept | undefined>(database.transaction(store).objectStore(store).get(key));
  database.close();
  return kept ?? null;
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
