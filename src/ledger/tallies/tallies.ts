import type { Database } from '../database.ts';

/** The tallies: kept by the statements that move rows, and folded now and then so that readers need few rows. */
export type Tallies = ReturnType<typeof createTallies>;

export function createTallies(db: Database) {
  return {
    /** Returns how many additions it folded; none when another process is folding. */
    async fold(): Promise<number> {
      const [row] = await db.query('tallies/fold');
      return row?.folded ?? 0;
    },
  };
}
