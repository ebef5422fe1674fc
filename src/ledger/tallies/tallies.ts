import { column, value } from '../answers.ts';
import type { Database } from '../database.ts';

export function createTallies(db: Database) {
  return {
    /** Returns how many additions it folded; none when another process is folding. */
    fold: (only: readonly string[] | null = null): Promise<number> =>
      value(db, 'tallies/fold', [only && [...only]]),
    /** Campaigns with additions that are not folded. */
    unfolded: (): Promise<string[]> => column(db, 'tallies/unfolded'),
  };
}
