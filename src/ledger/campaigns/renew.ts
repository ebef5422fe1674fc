import type { Try } from '../../rules/retry.ts';
import { column, run } from '../answers.ts';
import type { Database } from '../database.ts';

/** People of a campaign who were done and wait again, because the order allows more attempts. */
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

/** How many rows a statement reads or changes: few enough that no call waits behind it. */
const batch = 2_000;

export function createRenew(db: Database) {
  return {
    /** A page of the people for whom the order allows an attempt now. */
    renewable: (
      id: string,
      outcomes: readonly string[],
      after: { row: number; id: number },
    ): Promise<Renewable[]> =>
      db.query('campaigns/renewable', [id, [...outcomes], after.row, after.id, batch]),

    /** Returns how many wait again: none when the order is at another revision. */
    async renewPeople(
      id: string,
      revision: number,
      people: readonly { id: number; at: string }[],
    ): Promise<number> {
      return (await db.query('campaigns/renew_people', [id, revision, JSON.stringify(people)])).length;
    },

    renewed: (id: string, revision: number): Promise<void> => run(db, 'campaigns/renewed', [id, revision]),

    toRenew: (baseUrl: string): Promise<string[]> => column(db, 'campaigns/to_renew', [baseUrl]),

    /** A campaign that was done continues, if somebody waits. */
    wake: (id: string): Promise<void> => run(db, 'campaigns/wake', [id]),
  };
}
