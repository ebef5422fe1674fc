import type { Query, RowOf, StatementName, ValuesFor } from './database.ts';

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
