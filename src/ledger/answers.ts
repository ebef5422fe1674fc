import type { Query, RowOf, StatementName, ValuesFor } from './database.ts';

/** What a verb makes of a statement's rows where it is not all of them. */
type Asked = { query: Query };

export async function one<N extends StatementName, T extends object = RowOf<N>>(
  db: Asked,
  name: N,
  ...values: ValuesFor<N, T>
): Promise<T | null> {
  const [row] = await db.query<N, T>(name, ...values);
  return row ?? null;
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
