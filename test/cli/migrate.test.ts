import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../support/postgres.ts';
import { openTerminal, type Terminal } from './terminal.ts';

let term: Terminal;
let empty: TestDatabase;
beforeEach(async () => {
  term = await openTerminal();
  empty = await emptyDatabase();
});
afterEach(async () => {
  await term.close();
  await empty.drop();
});

it('names the migrations that it applied, and then finds nothing to do', async () => {
  const folder = new URL('../../src/ledger/migrations/', import.meta.url);
  const names = readdirSync(folder).map((file) => file.replace('.sql', ''));
  const env = { DATABASE_URL: empty.url };
  const first = await term.type('migrate --json', { env });
  expect(first.json).toEqual({ applied: names.sort(), engine: 'postgres' });
  const second = await term.type('migrate', { env });
  expect(second).toMatchObject({
    code: 0,
    out: 'The ledger is up to date; so is the queue in Postgres.\n',
    err: '',
  });
});

it('ends with one clear line when the ledger is away', async () => {
  const typed = await term.type('migrate', { env: { DATABASE_URL: 'postgres://127.0.0.1:9/none' } });
  expect(typed).toMatchObject({ code: 1, out: '' });
  expect(typed.err).toMatch(/^carillon: .*cannot be reached.+\n$/);
});

it.each([
  ['other tables', `update carillon.migrations set digest = 'x'`],
  [
    'migrations that it does not know',
    `insert into carillon.migrations (name, digest) values ('999_later', 'x')`,
  ],
  ['the tables of an earlier version', `alter table carillon.migrations drop column digest`],
])('refuses in one line a ledger that has %s', async (_what, change) => {
  await term.sql(change);
  for (const command of ['migrate', 'campaign list', 'doctor']) {
    const typed = await term.type(command);
    expect(`${typed.out}${typed.err}`).toContain('created by another version of Carillon');
    expect(typed.code).toBe(command === 'doctor' ? 1 : 2);
    if (command !== 'doctor') expect(typed.err).toMatch(/^carillon: This ledger was created.+\n$/);
  }
});
