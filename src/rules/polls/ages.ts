/** The ages of a call, in seconds, in bins that widen with age: learning and planning are done by bin. */
const growth = 0.02;
const narrowest = 0.05;
const oldest = 3_600;

/** The form of counts kept in the ledger. Change it with the bins, so that old counts are not read as new ones. */
export const form = 1;

const made = [0];
for (let at = 0; at < oldest; ) {
  at += Math.max(narrowest, at * growth);
  made.push(at);
}

/** Bin i reaches from edges[i] to edges[i + 1]; older ages are in the last one. */
export const edges: readonly number[] = made;
export const bins = edges.length - 1;

export function binOf(age: number): number {
  let low = 0;
  let high = bins - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= age) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function widthOf(bin: number): number {
  return edges[bin + 1]! - edges[bin]!;
}

export function middleOf(bin: number): number {
  return (edges[bin]! + edges[bin + 1]!) / 2;
}
