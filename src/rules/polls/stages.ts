import { binOf, bins, type CountsByStatus, countsFor, edges, movesOf, widthOf } from './ages.ts';

/**
 * A call goes through stages: with each status, at each age, it ends or comes to another status at a rate. A poll shows only where
 * the call is; the time between two polls is judged by these rates.
 */
export type StageRates = readonly Stage[];

export type Stage = {
  readonly status: string;
  /** Endings a second, by bin. */
  readonly ends: Float64Array;
  readonly moves: readonly Move[];
  /** All of these together, the chance to pass a whole bin with none of them, and what a rate is worth in the bin. */
  readonly leaves: Float64Array;
  readonly stays: Float64Array;
  readonly shares: Float64Array;
};

/** The stage that follows, and how many a second come to it, by bin. */
export type Move = { readonly to: number; readonly rates: Float64Array };

/** A poll: the call was alive at age `from` with this status, and was polled at age `to`. */
export type Sight = {
  from: number;
  to: number;
  status: string;
  /** Its status at the poll; null when it had ended by then, somewhere between the two. */
  next: string | null;
};

export function stageOf(status: string, ends: Float64Array, moves: readonly Move[]): Stage {
  const leaves = ends.slice();
  for (const { rates } of moves) for (let bin = 0; bin < bins; bin++) leaves[bin]! += rates[bin]!;
  const stays = leaves.map((rate, bin) => Math.exp(-rate * widthOf(bin)));
  const shares = leaves.map((rate, bin) => share(rate, widthOf(bin), stays[bin]!));
  return { status, ends, moves, leaves, stays, shares };
}

/** Adds what lay between two polls to the counts: each second and each change by the chance that it was so. */
export function retrace(stages: StageRates, sight: Sight, counted: CountsByStatus): void {
  const first = binOf(sight.from);
  const ahead = lookAhead(stages, sight, first);
  const start = stages.findIndex((stage) => stage.status === sight.status);
  const likely = ahead[start] ?? 0;
  if (likely <= 0) return;
  const size = stages.length;
  const to = stages.map((stage) => countsFor(counted, stage.status));
  const movesTo = stages.map((stage, s) =>
    stage.moves.map((move) => movesOf(to[s]!, stages[move.to]!.status)),
  );
  let now = new Float64Array(size);
  let next = new Float64Array(size);
  now[start] = 1 / likely;
  for (let bin = first, row = size; row < ahead.length; bin++, row += size) {
    next.fill(0);
    const width = widthIn(sight, bin);
    const whole = width === widthOf(bin);
    // Indexed loops, because this is the innermost of all that is learned.
    for (let s = 0; s < size; s++) {
      if (now[s] === 0) continue;
      const stage = stages[s]!;
      const ages = to[s]!;
      const stays = whole ? stage.stays[bin]! : Math.exp(-stage.leaves[bin]! * width);
      const leaves = now[s]! * (whole ? stage.shares[bin]! : share(stage.leaves[bin]!, width, stays));
      let left = 0;
      if (sight.next === null) {
        left = leaves * stage.ends[bin]!;
        ages.ended[bin]! += left;
      }
      for (let m = 0; m < stage.moves.length; m++) {
        const move = stage.moves[m]!;
        const moved = leaves * move.rates[bin]!;
        next[move.to]! += moved;
        const so = moved * ahead[row + move.to]!;
        movesTo[s]![m]![bin]! += so;
        left += so;
      }
      const kept = now[s]! * stays;
      next[s]! += kept;
      ages.watched[bin]! += width * (kept * ahead[row + s]! + left / 2);
    }
    [now, next] = [next, now];
  }
}

/** The chance of what the poll saw, from each stage, from the start of each bin on. */
function lookAhead(stages: StageRates, sight: Sight, first: number): Float64Array {
  const size = stages.length;
  const count = binOf(sight.to) - first + 1;
  const ahead = new Float64Array((count + 1) * size);
  const ended = sight.next === null;
  if (!ended) ahead[count * size + stages.findIndex((stage) => stage.status === sight.next)] = 1;
  for (let i = count - 1; i >= 0; i--) {
    const bin = first + i;
    const width = widthIn(sight, bin);
    const whole = width === widthOf(bin);
    const after = (i + 1) * size;
    for (let s = 0; s < size; s++) {
      const stage = stages[s]!;
      const stays = whole ? stage.stays[bin]! : Math.exp(-stage.leaves[bin]! * width);
      const each = whole ? stage.shares[bin]! : share(stage.leaves[bin]!, width, stays);
      let chance = stays * ahead[after + s]!;
      if (ended) chance += each * stage.ends[bin]!;
      for (let m = 0; m < stage.moves.length; m++) {
        const move = stage.moves[m]!;
        chance += each * move.rates[bin]! * ahead[after + move.to]!;
      }
      ahead[i * size + s] = chance;
    }
  }
  return ahead;
}

/** How many seconds of a bin lie between the two polls; never zero, because an ending must be somewhere. */
function widthIn({ from, to }: Sight, bin: number): number {
  const end = bin === bins - 1 ? to : Math.min(to, edges[bin + 1]!);
  return Math.max(1e-9, end - Math.max(from, edges[bin]!));
}

/** Multiplied by a rate, this is the chance of that change within so many seconds. */
function share(leaves: number, width: number, stays: number): number {
  return leaves * width > 1e-9 ? (1 - stays) / leaves : width;
}
