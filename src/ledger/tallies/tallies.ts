import { column, value } from '../answers.ts';
import type { Database } from '../database.ts';
import type { LiveState, RecipientState } from '../states.ts';

/** The counts of a campaign: rows in progress by their live attempts, all others by its tallies. */
export type Counts = Record<RecipientState, number>;

export type Counted = {
  /** Recipients by stored state, `refused` rows of imports, `outcome:<name>`, `calls`, and so on. */
  tally: Record<string, number>;
  live: Partial<Record<LiveState, number>>;
};

/** The same, with the requests of its live attempts so far. */
export type Spent = Counted & { requests: number; polls: number };

export type Sums = {
  /** rows = rejected + skipped + waiting + queued + calling + done + parked + unknown */
  rows: number;
  counts: Counts;
  outcomes: Record<string, number>;
  /** How the calls to the first people ended, if the campaign paused after them. */
  firstOutcomes: Record<string, number>;
  /** How many of those calls listeners judged so. */
  firstJudged: Record<string, number>;
  /** Attempts as its rows count them: from the intent on, unless it never left or was refused. */
  attempts: number;
  requests: number;
  polls: number;
  cost: number | null;
  /** Ended calls, and how many of them were answered; people with an ended call, and those who answered one. */
  answers: { calls: number; answered: number; called: number; reached: number };
  /**
   * People who said in a call that they want no more calls; how many records were read for it, and how many had the
   * field.
   */
  optOuts: { people: number; read: number; found: number };
};

export function sumsOf(spent: Spent): Sums {
  const { tally } = spent;
  const counts = countsOf(spent);
  const polls = spent.polls + (tally.polls ?? 0);
  return {
    rows: rowsOf(counts),
    counts,
    outcomes: outcomesOf(spent),
    firstOutcomes: outcomesOf(spent, 'first:'),
    firstJudged: outcomesOf(spent, 'judged:'),
    attempts: (tally.calls ?? 0) + (tally.redialed ?? 0) + counts.calling + counts.unknown,
    requests: spent.requests + (tally.requests ?? 0) + polls,
    polls,
    cost: tally.cost ?? null,
    answers: {
      calls: tally.calls ?? 0,
      answered: tally.answered ?? 0,
      called: tally.called ?? 0,
      reached: tally.reached ?? 0,
    },
    optOuts: {
      people: tally['opt-outs'] ?? 0,
      read: tally['opt-out-read'] ?? 0,
      found: tally['opt-out-found'] ?? 0,
    },
  };
}

/** Rows refused by an import and people refused by the service are both rejected rows. */
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

export function outcomesOf({ tally }: Counted, prefix = 'outcome:'): Record<string, number> {
  const named = Object.entries(tally).filter(([name, n]) => name.startsWith(prefix) && n > 0);
  return Object.fromEntries(named.map(([name, n]) => [name.slice(prefix.length), n]));
}

export function createTallies(db: Database) {
  return {
    /** Returns how many additions it folded; none when another process is folding. */
    fold: (only: readonly string[] | null = null): Promise<number> =>
      value(db, 'tallies/fold', { only: only && [...only] }),
    /** Campaigns with additions that are not folded. */
    unfolded: (): Promise<string[]> => column(db, 'tallies/unfolded'),
  };
}
