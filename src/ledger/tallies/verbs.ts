import type { Database } from '../database.ts';

/** The tallies: kept by the statements that move rows, and folded now and then so that few rows need be read. */
export type Tallies = ReturnType<typeof createTallies>;

export function createTallies(db: Database) {
  return {
    /** Answers how many additions it folded; none when another process is at it. */
    async fold(): Promise<number> {
      const [row] = await db.query('tallies/fold');
      return row?.folded ?? 0;
    },
  };
}
