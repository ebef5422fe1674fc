import type { Database } from '../database.ts';

/** Views: filters of people with a name, for every campaign and everyone who may see people. */
export type ViewRow = { name: string; filter: unknown; madeBy: string; madeAt: Date };

export type Views = ReturnType<typeof createViews>;

export function createViews(db: Database) {
  return {
    page: (after: string, most: number): Promise<ViewRow[]> => db.query('views/page', [after, most]),

    /** Null when `most` others exist already. */
    async keep(name: string, filter: object, by: string, most: number): Promise<ViewRow | null> {
      const [kept]: ViewRow[] = await db.query('views/keep', [name, JSON.stringify(filter), by, most]);
      return kept ?? null;
    },

    /** Null when there is none. */
    async remove(name: string): Promise<ViewRow | null> {
      const [gone]: ViewRow[] = await db.query('views/remove', [name]);
      return gone ?? null;
    },
  };
}
