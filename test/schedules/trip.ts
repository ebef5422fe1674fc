import type pg from 'pg';
import { ledgerTypes } from '../../src/ledger/database.ts';

/**
 * Several statements in one round trip, each planned once for the connection. Most of what a schedule costs is the way to
 * Postgres and back: pg would make it for the clock, for each savepoint and for each statement, and ask each time again
 * what columns come.
 */
export type Item = { text: string; values?: readonly unknown[] };
export type Rows = Record<string, unknown>[];

type Column = { name: string; read(text: string): unknown };
type Prepared = { name: string; columns: Column[] | null };
type Field = { name: string; dataTypeID: number };
/** The parts of its connection that pg's own statements use. */
type Wire = {
  stream: { cork(): void; uncork(): void };
  parse(of: { name: string; text: string }): void;
  describe(of: { type: 'S'; name: string }): void;
  bind(of: { statement: string; values: unknown[] }): void;
  execute(of: object): void;
  sync(): void;
};

export type Trips = { take(items: readonly Item[]): Promise<Rows[]> };

export function createTrips(client: pg.Client): Trips {
  const known = new Map<string, Prepared>();
  let names = 0;
  const statementOf = (text: string) => {
    const found = known.get(text);
    if (found) return { statement: found, isNew: false };
    names += 1;
    const statement: Prepared = { name: `sim_${names}`, columns: null };
    known.set(text, statement);
    return { statement, isNew: true };
  };

  return {
    take: (items) =>
      new Promise((resolve, reject) => {
        /** By the items' order. */
        const statements: Prepared[] = [];
        const fresh: Prepared[] = [];
        const rows: Rows[] = [[]];
        let done = 0;
        const submit = (wire: Wire) => {
          wire.stream.cork();
          for (const { text, values = [] } of items) {
            const { statement, isNew } = statementOf(text);
            statements.push(statement);
            if (isNew) {
              fresh.push(statement);
              wire.parse({ name: statement.name, text });
              wire.describe({ type: 'S', name: statement.name });
            }
            wire.bind({ statement: statement.name, values: values.map(written) });
            wire.execute({});
          }
          wire.sync();
          wire.stream.uncork();
          return null;
        };
        client.query({
          submit,
          handleRowDescription({ fields }: { fields: Field[] }) {
            // It comes before the rows of its statement, and not at all for one without rows.
            statements[done]!.columns = fields.map(({ name, dataTypeID }) => ({
              name,
              read: ledgerTypes.getTypeParser(dataTypeID, 'text') as Column['read'],
            }));
          },
          handleDataRow({ fields }: { fields: (string | null)[] }) {
            const row: Record<string, unknown> = {};
            const columns = statements[done]!.columns!;
            for (let i = 0; i < columns.length; i++) {
              const { name, read } = columns[i]!;
              const text = fields[i]!;
              row[name] = text === null ? null : read(text);
            }
            rows[done]!.push(row);
          },
          handleCommandComplete() {
            done += 1;
            rows.push([]);
          },
          handleReadyForQuery: () => resolve(rows),
          handleError(error: Error) {
            // Whether it was prepared is not known: next time it has another name.
            for (const [text, statement] of known) if (fresh.includes(statement)) known.delete(text);
            reject(error);
          },
        } as unknown as pg.Submittable);
      }),
  };
}

/** A value as Postgres reads it. */
function written(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  const text = written(value) as string;
  return Array.isArray(value) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
