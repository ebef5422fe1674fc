import type { Database } from '../database.ts';

/** Running campaigns, the people whom they have yet to call, and the calls in progress of all campaigns. */
export type ToStop = { campaigns: number; people: number; calling: number };

/** Stops before a call is made, and what an act that stops calls must know. */
export function createStops(db: Database) {
  return {
    async skip(id: string, why: string): Promise<boolean> {
      return (await db.query('attempts/skip', [id, why])).length > 0;
    },

    /** Attempts that were planned and never dialled go back to waiting. */
    async release(campaignId: string, why: string): Promise<number> {
      const [row] = await db.query('attempts/release', [campaignId, why]);
      return row?.released ?? 0;
    },

    /** How many creates may still leave, and for how long at most. Null is any campaign, any phone. */
    async leaving(
      campaigns: string[] | null,
      phones: string[] | null,
    ): Promise<{ leaving: number; withinMs: number }> {
      const values = [campaigns, phones] as const;
      const [row]: { leaving: number; withinMs: number }[] = await db.query('attempts/leaving', values);
      return row!;
    },

    /** Calls in progress over all campaigns and services. */
    async onCalls(): Promise<number> {
      const [row]: { calling: number }[] = await db.query('attempts/on_calls');
      return row!.calling;
    },

    /** The campaigns and people that stopping everything affects. */
    async toStop(): Promise<ToStop> {
      const [row]: ToStop[] = await db.query('attempts/to_stop');
      return row!;
    },
  };
}
