/** Events in virtual time, earliest first. */
export type Timeline<T> = {
  at(at: number, what: T): void;
  next(): { at: number; what: T } | undefined;
};

export function createTimeline<T>(): Timeline<T> {
  const heap: { at: number; what: T }[] = [];
  const swap = (a: number, b: number) => {
    const one = heap[a]!;
    heap[a] = heap[b]!;
    heap[b] = one;
  };
  return {
    at(at, what) {
      heap.push({ at, what });
      for (let i = heap.length - 1; i > 0; ) {
        const above = (i - 1) >> 1;
        if (heap[above]!.at <= heap[i]!.at) break;
        swap(above, i);
        i = above;
      }
    },
    next() {
      const first = heap[0];
      const last = heap.pop();
      if (!first || heap.length === 0) return first;
      heap[0] = last!;
      for (let i = 0; ; ) {
        const left = 2 * i + 1;
        let least = i;
        if (left < heap.length && heap[left]!.at < heap[least]!.at) least = left;
        if (left + 1 < heap.length && heap[left + 1]!.at < heap[least]!.at) least = left + 1;
        if (least === i) return first;
        swap(i, least);
        i = least;
      }
    },
  };
}
