/** The ages of a call, in seconds, in bins that widen with age, and what was counted by bin: polls learn and plan so. */
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

/** Sights of calls with one status, by age: seconds watched, how many ended, how many came to another status. */
type AgeCounts = {
  readonly watched: Float64Array;
  readonly ended: Float64Array;
  readonly moved: Map<string, Float64Array>;
};

export type CountsByStatus = Map<string, AgeCounts>;

/** A status's counts in their stored form, without trailing zeros. `next` is empty unless they are of a move. */
export type KeptCounts = {
  kind: 'watched' | 'ended' | 'moved';
  status: string;
  next: string;
  counts: number[];
};

export function newCounts(): Float64Array {
  return new Float64Array(bins);
}

export function countsFor(counted: CountsByStatus, status: string): AgeCounts {
  const known = counted.get(status);
  if (known) return known;
  const made: AgeCounts = { watched: newCounts(), ended: newCounts(), moved: new Map() };
  counted.set(status, made);
  return made;
}

export function movesOf(ages: AgeCounts, next: string): Float64Array {
  const known = ages.moved.get(next);
  if (known) return known;
  const made = newCounts();
  ages.moved.set(next, made);
  return made;
}

export function add(to: Float64Array, from: ArrayLike<number>, factor = 1): void {
  const length = Math.min(to.length, from.length);
  for (let bin = 0; bin < length; bin++) to[bin]! += from[bin]! * factor;
}

export function scale(counted: CountsByStatus, factor: number): void {
  for (const { watched, ended, moved } of counted.values()) {
    for (const counts of [watched, ended, ...moved.values()]) {
      for (let bin = 0; bin < bins; bin++) counts[bin]! *= factor;
    }
  }
}

export function endingsIn(counted: CountsByStatus): number {
  let sum = 0;
  for (const { ended } of counted.values()) sum += ended.reduce((all, each) => all + each, 0);
  return sum;
}

export function toKept(counted: CountsByStatus): KeptCounts[] {
  const kept: KeptCounts[] = [];
  const keep = (kind: KeptCounts['kind'], status: string, next: string, counts: Float64Array) => {
    const rounded = Array.from(counts, (count) => Math.round(count * 1e4) / 1e4);
    const last = rounded.findLastIndex((count) => count > 0);
    if (last >= 0) kept.push({ kind, status, next, counts: rounded.slice(0, last + 1) });
  };
  for (const [status, { watched, ended, moved }] of counted) {
    keep('watched', status, '', watched);
    keep('ended', status, '', ended);
    for (const [next, counts] of moved) keep('moved', status, next, counts);
  }
  return kept;
}

export function fromKept(kept: readonly KeptCounts[]): CountsByStatus {
  const counted: CountsByStatus = new Map();
  for (const { kind, status, next, counts } of kept) {
    const ages = countsFor(counted, status);
    if (kind !== 'moved') add(ages[kind], counts);
    else {
      countsFor(counted, next);
      add(movesOf(ages, next), counts);
    }
  }
  return counted;
}
