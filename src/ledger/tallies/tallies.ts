import type { Database } from '../database.ts';

export function createTallies(db: Database) {
  return {
    /** Returns how many additions it folded; none when another process is folding. */
    async fold(only: readonly string[] | null = null): Promise<number> {
      const [row] = await db.query('tallies/fold', [only && [...only]]);
      return row?.folded ?? 0;
    },
    /** Campaigns with additions that are not folded. */
    async unfolded(): Promise<string[]> {
      return (await db.query('tallies/unfolded')).map(({ id }) => id!);
    },
  };
}
