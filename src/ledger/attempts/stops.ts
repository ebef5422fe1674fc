import { sole, some, value } from '../answers.ts';
import type { Database } from '../database.ts';

/** Running campaigns, the people whom they have yet to call, and the calls in progress of all campaigns. */
export type ToStop = { campaigns: number; people: number; calling: number };

/** Stops before a call is made, and what an act that stops calls must know. */
export function createStops(db: Database) {
  return {
    skip: (id: string, why: string): Promise<boolean> => some(db, 'attempts/skip', { attemptId: id, why }),

    /** Attempts that were planned and never dialled go back to waiting. */
    release: (campaignId: string, why: string): Promise<number> =>
      value(db, 'attempts/release', { campaignId, why }),

    /** How many creates may still leave, and for how long at most. Null is any campaign, any phone. */
    leaving: (
      campaigns: string[] | null,
      phones: string[] | null,
    ): Promise<{ leaving: number; withinMs: number }> => sole(db, 'attempts/leaving', { campaigns, phones }),

    /** Calls in progress over all campaigns and services. */
    onCalls: (): Promise<number> => value(db, 'attempts/on_calls'),

    /** The campaigns and people that stopping everything affects. */
    toStop: (): Promise<ToStop> => sole(db, 'attempts/to_stop'),
  };
}
