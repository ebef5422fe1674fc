import { createBatch } from '../base/batch.ts';
import type { Database, Query, RowOf, StatementName, ValuesFor } from './database.ts';
import { jsonOf } from './json.ts';
import type { Statements } from './rows.ts';

/** What a verb makes of a statement's rows where it is not all of them. */
type Asked = { query: Query };

/** The column of a statement that has one. */
type Column<R> = { [K in keyof R]: Exclude<keyof R, K> extends never ? R[K] : never }[keyof R];

/** The first row; null where there is none. */
export async function one<N extends StatementName, T extends object = RowOf<N>>(
  db: Asked,
  name: N,
  ...values: ValuesFor<N, T>
): Promise<T | null> {
  const [row] = await db.query<N, T>(name, ...values);
  return row ?? null;
}

/** The row of a statement that always has one. */
export async function sole<N extends StatementName, T extends object = RowOf<N>>(
  db: Asked,
  name: N,
  ...values: ValuesFor<N, T>
): Promise<T> {
  const [row] = await db.query<N, T>(name, ...values);
  return row!;
}

/** The column of every row. */
export async function column<N extends StatementName, T extends Column<RowOf<N>> = Column<RowOf<N>>>(
  db: Asked,
  name: N,
  ...values: ValuesFor<N, RowOf<N>>
): Promise<T[]> {
  const rows = await db.query<N, RowOf<N>>(name, ...values);
  return rows.map((row) => Object.values(row)[0] as T);
}

/** The column of the first row; null where there is none. */
export async function value<N extends StatementName, T extends Column<RowOf<N>> | null>(
  db: Asked,
  name: N,
  ...values: ValuesFor<N, RowOf<N>>
): Promise<T> {
  const [first = null] = await column(db, name, ...values);
  return first as T;
}

/** Whether there was any. */
export async function some<N extends StatementName>(
  db: Asked,
  name: N,
  ...values: ValuesFor<N, RowOf<N>>
): Promise<boolean> {
  return (await db.query<N, RowOf<N>>(name, ...values)).length > 0;
}

export async function run<N extends StatementName>(
  db: Asked,
  name: N,
  ...values: ValuesFor<N, RowOf<N>>
): Promise<void> {
  await db.query<N, RowOf<N>>(name, ...values);
}

/** Statements that move what a JSON array names, and return ids. */
type MovingName = {
  [N in keyof Statements]: Statements[N] extends {
    values: { moves: string | null };
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
      const move = async (json: string): Promise<{ id: string }[]> => db.query(name, { moves: json });
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
