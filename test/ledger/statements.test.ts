import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readRows, rowsFile } from '../../scripts/rows.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { functionFiles } from '../../src/ledger/schema.ts';
import { queriesOf, type Statement, statements, statementsOf } from '../../src/ledger/statements.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('a file of queries', () => {
  const file = `-- About the whole file.

-- name: first
-- Why it is there. @one: the first
-- long
select @two::text <@ @one, @one @> 'a@b'

-- name: second
select 'a -- name: that begins nothing'
`;

  it('has each query under its name, with its reason, and its head belongs to none', () => {
    expect(queriesOf(file)).toEqual([
      ['first', "-- Why it is there. @one: the first\n-- long\nselect @two::text <@ @one, @one @> 'a@b'"],
      ['second', "select 'a -- name: that begins nothing'"],
    ]);
  });

  it('says of each query apart whether it is long', () => {
    const long = [...statementsOf([['noun', file]])].map(([name, statement]) => [name, statement.long]);
    expect(long).toEqual([
      ['noun/first', true],
      ['noun/second', false],
    ]);
  });

  it('numbers the values that a query names, as often as it names them', () => {
    const [[, { text, names }]] = [...statementsOf([['noun', file]])] as [[string, Statement]];
    expect(names).toEqual(['two', 'one']);
    expect(text).toContain("@one: the first\n-- long\nselect $1::text <@ $2, $2 @> 'a@b'");
  });

  it.each([
    ['a query twice', '-- name: a\nselect 1\n-- name: a\nselect 2', 'the query noun/a stands twice'],
    ['a query without a text', '-- name: a\n-- Why.\n\n-- name: b\nselect 1', 'the query noun/a is empty'],
  ])('with %s is refused', (_, text, why) => {
    expect(() => statementsOf([['noun', text]])).toThrow(why);
  });

  it('may not have a query that another file of its noun has', () => {
    const one = ['noun', '-- name: a\nselect 1'] as const;
    expect(() => statementsOf([one, one])).toThrow('the query noun/a stands twice');
  });
});

it('every file of functions is installed', () => {
  const folder = new URL('../../src/ledger/functions/', import.meta.url);
  expect([...functionFiles].map((name) => `${name}.sql`).sort()).toEqual(readdirSync(folder).sort());
});

/** The server keeps a plan that it made while the tables were empty, and a campaign fills them within seconds. */
it('what is asked about each call finds its rows by key, also by a plan made on an empty ledger', async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  try {
    await migrate(database.url);
    await client.connect();
    await client.query('set plan_cache_mode = force_generic_plan');
    const asked = [
      'attempts/load',
      'attempts/jobs',
      'attempts/placed',
      'attempts/settle',
      'exchanges/keep',
      'lanes/next_probe',
      'lanes/probe_with',
    ];
    const scans = [];
    for (const name of asked) {
      await client.query(`prepare asked as ${statements.get(name)!.text}`);
      const { rows } = await client.query(
        `select cardinality(parameter_types) as n from pg_prepared_statements where name = 'asked'`,
      );
      const values = Array.from({ length: rows[0].n }, () => 'null').join(', ');
      const plan = await client.query<{ 'QUERY PLAN': string }>(`explain execute asked(${values})`);
      scans.push(
        ...plan.rows.map((row) => `${name}: ${row['QUERY PLAN']}`).filter((line) => /Seq Scan/.test(line)),
      );
      await client.query('deallocate asked');
    }
    expect(scans).toEqual([]);
  } finally {
    await client.end();
    await database.drop();
  }
});

it('every statement takes and answers what its types say; `npm run rows` writes them again', async () => {
  const database = await freshDatabase();
  try {
    expect(await readRows(database.url)).toBe(readFileSync(rowsFile, 'utf8'));
  } finally {
    await database.drop();
  }
});
