import { column, run, value } from '../answers.ts';
import type { Database } from '../database.ts';

/** The reconciler's verbs for many attempts at once, each verb a compare-and-set like all others. */
export type Adrift = {
  id: string;
  laneId: number;
  state: 'planned' | 'placed';
  nextPollAt: Date | null;
};

/** An attempt that may never have left, and the journal that can tell. */
export type Doubted = { id: string; ticket: string; journal: string };

export function createRepairs(db: Database) {
  return {
    /** Attempts on lanes other than these, whose keys are no longer set, wait for any lane again. */
    rehome: (campaignId: string, laneIds: number[]): Promise<number> =>
      value(db, 'attempts/rehome', { campaignId, laneIds }),

    /** Attempts past their own expiry whose dialer died between commit and answer become unknown. */
    crash: (baseUrl: string, only: readonly string[] | null = null): Promise<string[]> =>
      column(db, 'attempts/crash', { baseUrl, only: only && [...only] }),

    /** Live attempts in a state: where a move fails because of one of them, it is made for parts of them. */
    inState: (baseUrl: string, state: string): Promise<string[]> =>
      column(db, 'attempts/in_state', { baseUrl, state }),

    /** Attempts past their expiry whose dialer died and kept a journal. */
    doubted: (baseUrl: string): Promise<Doubted[]> => db.query('attempts/doubted', { baseUrl }),

    /** The people wait again, and nothing was spent; returns how many. */
    async freeUnsent(attempts: readonly Doubted[]): Promise<number> {
      if (attempts.length === 0) return 0;
      return (await db.query('attempts/free_unsent', { attempts: JSON.stringify(attempts) })).length;
    },

    /** Journals that may still prove something about an attempt. */
    async journalsInUse(journals: readonly string[]): Promise<Set<string>> {
      if (journals.length === 0) return new Set();
      return new Set<string>(await column(db, 'attempts/journals', { journals }));
    },

    /** Live attempts that have another attempt's call become unknown; returns how many. */
    twins: (baseUrl: string, only: readonly string[] | null = null): Promise<string[]> =>
      column(db, 'attempts/twins', { baseUrl, only: only && [...only] }),

    /** Frees unknown attempts of campaigns whose owner wants their people called again; returns them. */
    redial: (
      baseUrl: string,
      campaignId: string | null,
      only: readonly string[] | null = null,
    ): Promise<string[]> => column(db, 'attempts/redial', { baseUrl, campaignId, only: only && [...only] }),

    adrift: (baseUrl: string, campaignId: string | null, overdueSeconds: number): Promise<Adrift[]> =>
      db.query('attempts/adrift', { baseUrl, campaignId, overdueSeconds }),

    tidy: (): Promise<void> => run(db, 'attempts/tidy'),
  };
}
