import { bins, edges, widthOf } from './ages.ts';
import type { StageRates } from './stages.ts';

/** The best wait until the next poll, by the age and status of a call. */
export type Waits = { byStatus: ReadonlyMap<string, Float64Array>; unknown: Float64Array };

/** The paths of one unit of a call's chance in a bin: it stays in its stage, or comes to others. */
type Passage = { stays: Float64Array; moves: readonly { to: number; part: Float64Array }[] };

/**
 * Computed from the oldest age back. A poll costs `worth` seconds. An ended call costs a second for each second until
 * it is polled; a live one is polled again, at the best cost from there on with the status that it has then. When the
 * chance h is constant, this is the known sqrt(2 * worth / h); before a peak it waits for the peak to pass.
 */
export function bestWaits(stages: StageRates, unknown: Float64Array, worth: number): Waits {
  const waits = solve(stages.map(passageOf), worth);
  const alone = solve(
    [{ stays: unknown.map((rate, bin) => Math.exp(-rate * widthOf(bin))), moves: [] }],
    worth,
  );
  return {
    byStatus: new Map(stages.map((stage, s) => [stage.status, waits[s]!])),
    unknown: alone[0]!,
  };
}

function passageOf({ stays, leaves, moves }: StageRates[number]): Passage {
  return {
    stays,
    moves: moves.map(({ to, rates }) => ({
      to,
      part: rates.map((rate, bin) => (leaves[bin]! > 0 ? ((1 - stays[bin]!) * rate) / leaves[bin]! : 0)),
    })),
  };
}

function solve(passages: readonly Passage[], worth: number): Float64Array[] {
  const size = passages.length;
  const waits = passages.map(() => new Float64Array(bins));
  const costs = new Float64Array((bins + 1) * size);
  let now = new Float64Array(size);
  let next = new Float64Array(size);
  for (let from = bins - 1; from >= 0; from--) {
    for (let s = 0; s < size; s++) {
      now.fill(0);
      now[s] = 1;
      let alive = 1;
      let delay = 0;
      let best = Number.POSITIVE_INFINITY;
      for (let to = from + 1; to <= bins; to++) {
        pass(passages, to - 1, now, next);
        [now, next] = [next, now];
        let still = 0;
        let later = 0;
        for (let k = 0; k < size; k++) {
          still += now[k]!;
          later += now[k]! * costs[to * size + k]!;
        }
        const width = widthOf(to - 1);
        // Calls that ended before the bin wait all of it; those that end in it wait half.
        delay += (1 - alive) * width + ((alive - still) * width) / 2;
        alive = still;
        if (worth + delay + later < best) {
          best = worth + delay + later;
          waits[s]![from] = edges[to]! - edges[from]!;
        }
        // The delay only grows from here on.
        if (worth + delay > best) break;
      }
      costs[from * size + s] = best;
    }
  }
  return waits;
}

function pass(passages: readonly Passage[], bin: number, now: Float64Array, next: Float64Array): void {
  next.fill(0);
  for (let k = 0; k < passages.length; k++) {
    const here = now[k]!;
    if (here < 1e-12) continue;
    const { stays, moves } = passages[k]!;
    next[k]! += here * stays[bin]!;
    for (const { to, part } of moves) next[to]! += here * part[bin]!;
  }
}
