import type { LiveState, RecipientState } from '../states.ts';

/** What a campaign counts: rows that are not under way by its tallies, the others by their live attempts. */
export type Counts = Record<RecipientState, number>;

export type Counted = {
  /** Recipients by the state in which they are kept, `refused` rows of imports, `outcome:<name>`, `calls`, and so on. */
  tally: Record<string, number>;
  /** Live attempts by state. */
  live: Partial<Record<LiveState, number>>;
};

/** Rows refused at an import and people whom the service refused are both rejected rows. */
export function countsOf({ tally, live }: Counted): Counts {
  return {
    waiting: tally.waiting ?? 0,
    queued: live.planned ?? 0,
    calling: (live.dialing ?? 0) + (live.placed ?? 0),
    done: tally.done ?? 0,
    parked: (tally.parked ?? 0) + (live.parked ?? 0),
    unknown: live.unknown ?? 0,
    rejected: (tally.rejected ?? 0) + (tally.refused ?? 0),
    skipped: tally.skipped ?? 0,
  };
}

export function rowsOf(counts: Counts): number {
  return Object.values(counts).reduce((a, b) => a + b, 0);
}

export function outcomesOf({ tally }: Counted): Record<string, number> {
  const named = Object.entries(tally).filter(([name, n]) => name.startsWith('outcome:') && n > 0);
  return Object.fromEntries(named.map(([name, n]) => [name.slice('outcome:'.length), n]));
}
