import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRows, rowsFile } from '../../scripts/rows.ts';
import { freshDatabase } from '../support/postgres.ts';

it('every statement takes and answers what its types say; `npm run rows` writes them again', async () => {
  const database = await freshDatabase();
  try {
    expect(await readRows(database.url)).toBe(readFileSync(rowsFile, 'utf8'));
  } finally {
    await database.drop();
  }
});
