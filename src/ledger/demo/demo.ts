import type { Database } from '../database.ts';

/** The demo's past: simulated calls of the last weeks, in the demo's own ledger. */
export function createDemo(db: Database) {
  return {
    /** Ends a draft whose name says `(simulated)` as if its people had been called; returns how many calls it shows. */
    async pastCalls(campaign: string, lane: number, began: number, days: number): Promise<number> {
      const [row] = await db.query('demo/history', [campaign, lane, began, days]);
      return row?.calls ?? 0;
    },
  };
}
