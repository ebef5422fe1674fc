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
  return {
    /** Runs a verb that takes a JSON array; tells whether the attempt was moved. */
    mover<In extends { id: string }>(name: MovingName) {
      const move = async (json: string): Promise<{ id: string }[]> => db.query(name, [json]);
      return createBatch(async (items: In[]) => (await rowsOf(move, items)).map((row) => row !== null));
    },
    /** The same, with the row of the attempt that was moved. */
    rowMover: <In extends { id: string }, Row extends { id: string }>(move: Move<Row>) =>
      createBatch((items: In[]) => rowsOf(move, items)),
  };
}

type Move<Row> = (json: string) => Promise<Row[]>;

async function rowsOf<In extends { id: string }, Row extends { id: string }>(
  move: Move<Row>,
  items: In[],
): Promise<(Row | null)[]> {
  const { firsts, others } = firstOfEach(items);
  const byId = new Map((await move(jsonOf(firsts))).map((row) => [row.id, row]));
  const answers = new Map(firsts.map((item) => [item, byId.get(item.id) ?? null]));
  // Two reports about one attempt run one after the other: a single statement would take either.
  if (others.length > 0) {
    const later = await rowsOf(move, others);
    for (const [i, item] of others.entries()) answers.set(item, later[i]!);
  }
  return items.map((item) => answers.get(item)!);
}

/** The first item of each attempt, and separately the repeated ones. */
export function firstOfEach<T extends { id: string }>(items: T[]): { firsts: T[]; others: T[] } {
  const seen = new Map<string, T>();
  for (const item of items) if (!seen.has(item.id)) seen.set(item.id, item);
  if (seen.size === items.length) return { firsts: items, others: [] };
  return { firsts: [...seen.values()], others: items.filter((item) => seen.get(item.id) !== item) };
}
