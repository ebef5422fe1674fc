/**
 * Writes src/ledger/rows.ts: what Postgres itself says of each statement's parameters and columns. Run it with `npm run
 * rows` when a statement or the schema changed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbedded } from '../src/embedded/embedded.ts';
import { migrate } from '../src/ledger/migrate.ts';
import { statements } from '../src/ledger/statements.ts';

export const rowsFile = fileURLToPath(new URL('../src/ledger/rows.ts', import.meta.url));

type Column = { name: string; dataTypeID: number; tableID: number; columnID: number };
type Described = { parameters: number[]; columns: Column[] };

/** The TypeScript types of what a column comes out as: see `types` in src/ledger/database.ts. */
const columnTypes: Record<string, string> = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float8: 'number',
  timestamptz: 'Date',
  json: 'unknown',
  jsonb: 'unknown',
  uuid: 'string',
  text: 'string',
  void: 'string',
  _text: 'string[]',
  bytea: 'Buffer',
};
const parameterTypes: Record<string, string> = {
  ...columnTypes,
  timestamptz: 'Date | string',
  json: 'string',
  jsonb: 'string',
  _text: 'readonly string[]',
  _uuid: 'readonly string[]',
  _int4: 'readonly number[]',
  _int8: 'readonly number[]',
};

/** The text of src/ledger/rows.ts, read from an empty database. */
export async function readRows(url: string): Promise<string> {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const names = await namesOfTypes(client);
    const required = await requiredColumns(client);
    await client.query('begin');
    // Other statements of an import read the tables that these make.
    for (const name of [
      'people/import_stage',
      'people/import_stage_phones',
      'people/import_stage_rejects',
      'people/import_stage_repairs',
    ]) {
      await client.query(statements.get(name)!.text);
    }
    const lines: string[] = [];
    for (const [name, { text, names: of }] of [...statements].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { parameters, columns } = await describe(client, name, text);
      const nullable = /\b(left|right|full)\s+(outer\s+)?join\b/i.test(text);
      const values = parameters.map(
        (oid, i) => `${of[i]}: ${typeOf(name, names.get(oid), parameterTypes)} | null`,
      );
      const row = columns.map(({ name: column, dataTypeID, tableID, columnID }) => {
        const type = typeOf(name, names.get(dataTypeID), columnTypes);
        const never = type === 'unknown' || (!nullable && required.has(`${tableID} ${columnID}`));
        return `${column}: ${never ? type : `${type} | null`}`;
      });
      const shape = row.length > 0 ? `{ ${row.join('; ')} }` : 'Record<never, never>';
      lines.push(
        `  '${name}': { values: ${values.length > 0 ? `{ ${values.join('; ')} }` : 'null'}; row: ${shape} };`,
      );
    }
    return [...head, ...lines, '};', ''].join('\n');
  } finally {
    await client.end();
  }
}

const head = [
  '/**',
  ' * The parameters and answers of each statement. Made by scripts/rows.ts, never by hand; a test',
  ' * compares it. A column may be null unless it is a required one of a table in a statement without an outer join: of',
  ' * anything else Postgres does not know it.',
  ' */',
  'export type Statements = {',
];

function typeOf(statement: string, name: string | undefined, types: Record<string, string>): string {
  const type = types[name ?? ''];
  if (!type) throw new Error(`${statement}: scripts/rows.ts does not know what ${name} is in TypeScript`);
  return type;
}

async function namesOfTypes(client: pg.Client): Promise<Map<number, string>> {
  const { rows } = await client.query<{ oid: number; name: string }>(
    'select oid, typname as name from pg_type',
  );
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

/** Columns of tables that are never null, by table and number. */
async function requiredColumns(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ at: string }>(
    `select attrelid || ' ' || attnum as at from pg_attribute where attnotnull and attnum > 0`,
  );
  return new Set(rows.map(({ at }) => at));
}

/** Asks the server to prepare a statement and describe it, without running it. */
function describe(client: pg.Client, name: string, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    const told: Described = { parameters: [], columns: [] };
    const hear = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      told.parameters = dataTypeIDs;
    };
    client.query({
      submit(connection: pg.Connection) {
        connection.once('parameterDescription', hear);
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: Column[] }) {
        told.columns = fields;
      },
      handleError(error: Error) {
        reject(new Error(`${name}: ${error.message}`));
      },
      handleReadyForQuery() {
        resolve(told);
      },
    } as unknown as pg.Submittable);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const home = mkdtempSync(join(tmpdir(), 'carillon-rows-'));
  const embedded = await startEmbedded({ home });
  try {
    writeFileSync(rowsFile, await readRows(embedded.url));
  } finally {
    await embedded.close();
    rmSync(home, { recursive: true, force: true });
  }
}
