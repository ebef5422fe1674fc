import { bins } from './ages.ts';

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
