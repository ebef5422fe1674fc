import type { Try } from '../../rules/retry.ts';
import { column, run, value } from '../answers.ts';
import type { Database } from '../database.ts';

/**
 * Verbs for all people of a campaign, in batches, so that other campaigns' calls never wait long: they are copied and
 * deleted, and wait again when the order allows more attempts.
 */

/** Why a campaign cannot be deleted now: it is dialled, added to, or has calls that are not over. */
export type DeleteRefusal = 'importing' | 'run' | 'running' | 'live';

/** People who were done and may be tried again, because the order allows more attempts. */
export type Renewable = {
  id: number;
  row: number;
  place: string;
  attempts: number;
  granted: number;
  callbacks: number;
  /** The attempts that had an outcome, and when the last one ended. */
  tries: Try[];
  endedAt: Date;
};

/** How many rows a statement reads or changes. */
const batch = 2_000;

export function createCampaignPeople(db: Database) {
  return {
    /** Copies the list; returns how many people. */
    async clonePeople(from: string, to: string): Promise<number> {
      const people: number = await value(db, 'campaigns/clone_people', { from, to });
      await db.query('campaigns/clone_phones', { from, to });
      await db.query('people/pass_barred', { to });
      return people;
    },

    /** Null when it is marked: it has lost its name, and nothing dials it again. */
    startDelete: (id: string): Promise<DeleteRefusal | null> =>
      value(db, 'campaigns/delete_start', { campaignId: id }),

    /** False when there may be more to delete. */
    async deleteSome(id: string): Promise<boolean> {
      const gone: number = await value(db, 'campaigns/delete_some', { campaignId: id, batch });
      return gone === 0 && value(db, 'campaigns/delete_end', { campaignId: id });
    },

    /** A page of the people for whom the order allows an attempt now. */
    renewable: (
      id: string,
      outcomes: readonly string[],
      after: { row: number; id: number },
    ): Promise<Renewable[]> =>
      db.query('campaigns/renewable', {
        campaignId: id,
        outcomes: [...outcomes],
        row: after.row,
        afterId: after.id,
        batch,
      }),

    /** Nobody waits again when the order is at another revision. */
    renewPeople: (
      id: string,
      revision: number,
      people: readonly { id: number; at: string }[],
    ): Promise<void> =>
      run(db, 'campaigns/renew_people', { campaignId: id, revision, people: JSON.stringify(people) }),

    renewed: (id: string, revision: number): Promise<void> =>
      run(db, 'campaigns/renewed', { campaignId: id, revision }),

    toRenew: (baseUrl: string): Promise<string[]> => column(db, 'campaigns/to_renew', { baseUrl }),

    /** A campaign that was done continues, if somebody waits. */
    wake: (id: string): Promise<void> => run(db, 'campaigns/wake', { campaignId: id }),
  };
}
