import { createBatch } from '../base/batch.ts';
import type { Database } from './database.ts';
import { jsonOf } from './json.ts';
import type { Statements } from './rows.ts';

/** Statements that take one text and return ids. */
type MovingName = {
  [N in keyof Statements]: Statements[N] extends {
    values: readonly [string | null];
    row: { id: string | null };
  }
    ? N
    : never;
}[keyof Statements];

/** Makes verbs that move many attempts in one statement, and return to each caller its own result. */
export function createBatchedMoves(db: Database) {
  /** Runs a verb that takes a JSON array and returns the ids that it moved. */
  return <In extends { id: string }>(name: MovingName) => {
    const move = async (items: In[]): Promise<boolean[]> => {
      const { firsts, others } = firstOfEach(items);
      const rows: { id: string }[] = await db.query(name, [jsonOf(firsts)]);
      const moved = new Set(rows.map((row) => row.id));
      const answers = new Map(firsts.map((item) => [item, moved.has(item.id)]));
      // Two reports about one attempt run one after the other: a single statement would take either.
      if (others.length > 0) {
        const later = await move(others);
        for (const [i, item] of others.entries()) answers.set(item, later[i]!);
      }
      return items.map((item) => answers.get(item)!);
    };
    return createBatch<In, boolean>(move);
  };
}

/** The first item of each attempt, and separately the repeated ones. */
export function firstOfEach<T extends { id: string }>(items: T[]): { firsts: T[]; others: T[] } {
  const seen = new Map<string, T>();
  for (const item of items) if (!seen.has(item.id)) seen.set(item.id, item);
  if (seen.size === items.length) return { firsts: items, others: [] };
  return { firsts: [...seen.values()], others: items.filter((item) => seen.get(item.id) !== item) };
}
