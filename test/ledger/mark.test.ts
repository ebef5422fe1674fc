import pg from 'pg';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/ledger.ts';
import { freshDatabase } from '../support/postgres.ts';

async function markAt(url: string): Promise<string> {
  const ledger = await openLedger(url, 'https://voice.example/v1');
  const mark = await ledger.mark();
  await ledger.close();
  return mark;
}

test('a ledger keeps its mark, and a copy of it has another', async () => {
  const database = await freshDatabase();
  const mark = await markAt(database.url);
  expect(mark).toMatch(/^[0-9a-f]{12}$/);
  expect(await markAt(database.url)).toBe(mark);

  const { pathname } = new URL(database.url);
  const copy = `${pathname.slice(1)}_copy`;
  const at = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const admin = new pg.Client({ connectionString: at(database.maintenanceUrl, 'postgres') });
  await admin.connect();
  await admin.query(
    `create database ${copy} template ${pathname.slice(1)} owner ${new URL(database.url).username}`,
  );
  expect(await markAt(at(database.url, copy))).not.toBe(mark);
  await admin.query(`drop database ${copy}`);
  await admin.end();
  await database.drop();
});
