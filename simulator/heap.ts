/** A heap with the call that ends first on top: counting live calls costs almost nothing. */
export type Heap<T> = { push(item: T, end: number): void; popUntil(now: number): T | undefined };

export function createHeap<T>(): Heap<T> {
  const items: T[] = [];
  const ends: number[] = [];
  const swap = (a: number, b: number) => {
    [items[a], items[b]] = [items[b]!, items[a]!];
    [ends[a], ends[b]] = [ends[b]!, ends[a]!];
  };
  return {
    push(item, end) {
      items.push(item);
      ends.push(end);
      for (let at = ends.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (ends[parent]! <= ends[at]!) break;
        swap(at, parent);
        at = parent;
      }
    },
    popUntil(now) {
      if (ends.length === 0 || ends[0]! > now) return undefined;
      swap(0, ends.length - 1);
      ends.pop();
      const item = items.pop();
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        if (left >= ends.length) break;
        const child = left + 1 < ends.length && ends[left + 1]! < ends[left]! ? left + 1 : left;
        if (ends[at]! <= ends[child]!) break;
        swap(at, child);
        at = child;
      }
      return item;
    },
  };
}
