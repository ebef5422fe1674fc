import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { functionFiles } from '../../src/ledger/schema.ts';
import { queriesOf, statementsOf } from '../../src/ledger/statements.ts';

describe('a file of queries', () => {
  const file = `-- About the whole file.

-- name: first
-- Why it is there. $1 one
-- long
select $1

-- name: second
select 'a -- name: that begins nothing'
`;

  it('has each query under its name, with its reason, and its head belongs to none', () => {
    expect(queriesOf(file)).toEqual([
      ['first', '-- Why it is there. $1 one\n-- long\nselect $1'],
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
