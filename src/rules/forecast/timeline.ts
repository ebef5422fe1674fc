/** How many come at each step of a simulated run, by slot, in the order of the steps; most steps have none. */
export type Timeline = {
  add(step: number, slot: number, n: number): void;
  /** Takes what comes up to a step; returns how many in all. */
  take(step: number, into?: Float64Array): number;
  /** The first step with any; infinite when there is none. */
  next(): number;
  /** How many are to come. */
  size(): number;
};

export function createTimeline(slots: number): Timeline {
  const bySteps = new Map<number, Float64Array>();
  /** A heap: the least step is on top. */
  const heap: number[] = [];
  let size = 0;

  return {
    add(step, slot, n) {
      let counts = bySteps.get(step);
      if (!counts) {
        counts = new Float64Array(slots);
        bySteps.set(step, counts);
        push(heap, step);
      }
      counts[slot]! += n;
      size += n;
    },
    take(step, into) {
      let taken = 0;
      while (heap.length > 0 && heap[0]! <= step) {
        const counts = bySteps.get(heap[0]!)!;
        bySteps.delete(heap[0]!);
        pop(heap);
        for (let slot = 0; slot < slots; slot++) {
          taken += counts[slot]!;
          if (into) into[slot]! += counts[slot]!;
        }
      }
      size -= taken;
      return taken;
    },
    next: () => heap[0] ?? Number.POSITIVE_INFINITY,
    size: () => size,
  };
}

function push(heap: number[], step: number): void {
  let at = heap.push(step) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent]! <= heap[at]!) return;
    [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
    at = parent;
  }
}

function pop(heap: number[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  heap[0] = last;
  for (let at = 0; ; ) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && heap[child]! < heap[least]!) least = child;
    }
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least]!, heap[at]!];
    at = least;
  }
}
