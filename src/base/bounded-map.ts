/**
 * A map that forgets what was written longest ago. A station may never see a remembered call again: another process can
 * take the call's last job, and nothing tells us. lru-cache would do, but a Map already keeps the order of writing, so
 * a few lines are enough.
 */
export type BoundedMap<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/** More calls than one process follows at a time; about 10 MB. */
const mostKept = 100_000;

export function createBoundedMap<V>(most = mostKept): BoundedMap<V> {
  const kept = new Map<string, V>();
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      // A key that is written again is the newest.
      kept.delete(key);
      kept.set(key, value);
      if (kept.size <= most) return;
      const [oldest] = kept.keys();
      kept.delete(oldest!);
    },
    delete(key) {
      kept.delete(key);
    },
  };
}
