import crypto from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, constantFrom, property, string } from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { csvLine } from '../../src/export/csv.ts';
import { checkTarget, openTarget } from '../../src/export/target.ts';
import { assert } from '../support/property.ts';

/** The cells of a line in a spreadsheet, also one that takes another character for the end of a cell. */
it.each([
  ['=1+1', `'=1+1`],
  ['a;=1+1', `"a;'=1+1"`],
  ['a|@SUM(A1)', `"a|'@SUM(A1)"`],
  ['a\t"=1+1', `"a\t""'=1+1"`],
  ['a;\u3000=1+1', `"a;\u3000'=1+1"`],
  ['a|\v@SUM(A1)', `"a|\v'@SUM(A1)"`],
  ['Agent: hi\n- yes', `"Agent: hi\n'- yes"`],
  ['first; +14155550123; -2.5', '"first; +14155550123; -2.5"'],
  ['+14155550123', '+14155550123'],
  ['a;b', '"a;b"'],
])('%j is written as %s', (text, written) => {
  expect(csvLine([text])).toBe(`${written}\n`);
});

it('no cell begins like a formula, whichever character ends cells and whether quotes count or not', () => {
  const sign = constantFrom(
    '=',
    '+',
    '-',
    '@',
    '\uff1d',
    ';',
    '\t',
    '|',
    '\n',
    '\r',
    ' ',
    '"',
    "'",
    ',',
    '1',
    'a',
  );
  const harmless = /^(?:\+[1-9]\d{5,14}|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;
  assert(
    property(array(string({ unit: sign, maxLength: 30 }), { minLength: 1, maxLength: 3 }), (values) => {
      const line = csvLine(values).slice(0, -1);
      for (const separator of [';', '\t', '|', '\n', '\r']) {
        for (const part of line.split(separator).slice(1)) {
          // As far as another separator: the next program may take that one.
          const cell = part.replace(/^[\s"]+/, '').split(/[;\t|\r\n]/, 1)[0]!;
          if (/^[=+\-@\uff1d]/.test(cell)) expect(cell.replace(/[",].*$/, '').trimEnd()).toMatch(harmless);
        }
      }
    }),
  );
});

it('results are not written through a link that somebody left under the name of their draft', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-target-'));
  const { randomUUID } = crypto;
  // Its name is a random one, which nobody can know.
  crypto.randomUUID = () => 'known' as never;
  syncBuiltinESMExports();
  onTestFinished(() => {
    crypto.randomUUID = randomUUID;
    syncBuiltinESMExports();
    rmSync(folder, { recursive: true });
  });
  const theirs = join(folder, 'theirs.txt');
  writeFileSync(theirs, 'theirs');
  symlinkSync(theirs, join(folder, '.r.csv.known.part'));
  const path = join(folder, 'r.csv');
  await expect(openTarget({ path })).rejects.toThrow('something else has that name');
  await expect(checkTarget({ path })).rejects.toThrow('something else has that name');
  expect(readFileSync(theirs, 'utf8')).toBe('theirs');
});
