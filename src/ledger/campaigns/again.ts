import type { Try } from '../../rules/retry.ts';
import type { Database } from '../database.ts';

/** People of a campaign who were done and wait again, because the order allows more attempts. */
export type Reopenable = {
  id: number;
  row: number;
  place: string;
  attempts: number;
  granted: number;
  /** Their attempts that had an outcome, and when the last one ended. */
  tries: Try[];
  endedAt: Date;
};

/** How many rows a statement looks at or changes: short enough for no call to wait behind it. */
const batch = 2_000;

export function createAgain(db: Database) {
  return {
    /** A page of those for whom the order allows an attempt now. */
    reopenable: (
      id: string,
      outcomes: readonly string[],
      after: { row: number; id: number },
    ): Promise<Reopenable[]> =>
      db.query('campaigns/reopenable', [id, [...outcomes], after.row, after.id, batch]),

    /** Returns how many wait again: none when the order is at another revision. */
    async reopenPeople(
      id: string,
      revision: number,
      people: readonly { id: number; at: string }[],
    ): Promise<number> {
      return (await db.query('campaigns/reopen_people', [id, revision, JSON.stringify(people)])).length;
    },

    async reopened(id: string, revision: number): Promise<void> {
      await db.query('campaigns/reopened', [id, revision]);
    },

    async toReopen(baseUrl: string): Promise<string[]> {
      return (await db.query('campaigns/to_reopen', [baseUrl])).map((row) => row.id);
    },

    /** A campaign that was done continues, if somebody waits. */
    async wake(id: string): Promise<void> {
      await db.query('campaigns/wake', [id]);
    },
  };
}
