import { one } from '../answers.ts';
import type { Database } from '../database.ts';

/** Views: filters of people with a name, for every campaign and everyone who may see people. */
export type ViewRow = { name: string; filter: unknown; madeBy: string; madeAt: Date };

export function createViews(db: Database) {
  return {
    page: (after: string, most: number): Promise<ViewRow[]> => db.query('views/page', { after, most }),

    /** Null when `most` others exist already. */
    keep: (name: string, filter: object, by: string, most: number): Promise<ViewRow | null> =>
      one(db, 'views/keep', { name, filter: JSON.stringify(filter), by, most }),

    /** Null when there is none. */
    remove: (name: string): Promise<ViewRow | null> => one(db, 'views/remove', { name }),
  };
}
