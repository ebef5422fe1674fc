import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guard, unguard } from '../../src/base/spreadsheet-formula.ts';
import { erasedReason } from '../../src/control/lists/batches.ts';
import { writeRejected } from '../../src/export/csv.ts';
import { isKnownReason } from '../../src/intake/first-rows.ts';
import { assert, runs } from '../support/property.ts';
import { readFrom, withFile } from './files.ts';

/** The rejected rows of a list, as the file of rejects has them. */
async function rejectsOf(content: string, map = {}): Promise<string> {
  const { columns, rejected } = await readFrom(content, { map });
  return withFile('', async (path) => {
    const batches = async function* () {
      yield rejected;
    };
    await writeRejected({ path }, columns, batches());
    return readFile(path, 'utf8');
  });
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const letter = fc.constantFrom(...'aZ09,;|\t"\n\r \'=+-@é', '\r\n', '""', "'=", '＝', '\u200b');
const cell = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''));
const name = fc.oneof(
  fc.constantFrom('line', 'reason', 'name', 'Line', 'line_2', '=x', "'=x", 'a;-b', 'State', 'timezone_x'),
  cell,
);

describe('a file of rejected rows', () => {
  it('gives the same columns and cells when it is read again, whatever is in them', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }).chain((width) =>
          fc.tuple(
            fc.array(name, { minLength: width, maxLength: width }),
            fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
              minLength: 1,
              maxLength: 5,
            }),
          ),
        ),
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom('\n', '\r\n'),
        async ([names, table], delimiter, newline) => {
          // A table whose header looks like people, or names one column twice over, is another test's.
          const header = ['phone', ...names];
          const rows = table.map((cells) => ['bad', ...cells]);
          const text = [header, ...rows].map((each) => each.map(quoted).join(delimiter)).join(newline);
          const map = { name: 'phone', timezone: 'phone', state: 'phone' };
          const given = await readFrom(`${text}${newline}`, { map });
          fc.pre(!given.isRejects);
          // Columns without a name and without a cell are none.
          const cellsOf = ({ input }: { input: Record<string, unknown> }) =>
            given.columns.map((column) => input[column]);
          expect(given.rejected.map(cellsOf)).toEqual(
            rows.map((cells) => cells.slice(0, given.columns.length)),
          );
          const again = await readFrom(await rejectsOf(`${text}${newline}`, map), { map });
          expect(again.isRejects).toBe(true);
          expect(again.columns).toEqual(given.columns);
          expect(again.rejected.map(({ input, reason }) => ({ input, reason }))).toEqual(
            given.rejected.map(({ input, reason }) => ({ input, reason })),
          );
          expect(again.rejected.map(({ repairs }) => repairs)).toEqual(
            given.rejected.map(({ row, reason }) => ({ line: row, reason })),
          );
        },
      ),
      { numRuns: runs(300) },
    ));

  it('takes off the apostrophe that it put before a formula, and none other', () => {
    for (const [text, written] of [
      ['=1+1', "'=1+1"],
      ["'=1+1", "''=1+1"],
      ["'+14155550123", "''+14155550123"],
      ['+14155550123', '+14155550123'],
      ["'tis", "'tis"],
    ] as const) {
      expect(guard(text)).toBe(written);
      expect(unguard(written)).toBe(text);
    }
    assert(fc.property(cell, (text) => unguard(guard(text)) === text));
    assert(fc.property(cell, cell, (one, other) => one === other || guard(one) !== guard(other)));
    // Somebody typed the number over the formula, and left the apostrophe.
    expect(unguard("'+14155550123")).toBe('+14155550123');
  });

  it('is taken with its people repaired, without line and reason as their variables', async () => {
    const file = await rejectsOf('phone,line,reason,city\nbad,7,sold,"Reno; =1"\n12,8,"",Elko\n');
    expect(file).toBe(
      `phone,line,reason,city,line,reason\nbad,7,sold,"Reno; '=1",2,"""bad"" contains letters"\n12,8,,Elko,3,"""12"" is too short for a phone number"\n`,
    );
    const { accepted, rejected, columns, hint, isRejects } = await readFrom(
      file.replace('bad,7', '+14155550123,7'),
    );
    expect(isRejects).toBe(true);
    expect(columns).toEqual(['phone', 'line', 'reason', 'city']);
    expect(accepted).toMatchObject([
      { row: 2, phone: '+14155550123', variables: { line: '7', reason: 'sold', city: 'Reno; =1' } },
    ]);
    expect(rejected).toMatchObject([{ row: 3, input: { phone: '12', line: '8', reason: '', city: 'Elko' } }]);
    expect(hint).toBe(
      'people.csv holds rejected rows: its last columns, line and reason, are not variables of its people.',
    );
  });

  it('is known where a spreadsheet saved it with semicolons and empty cells at the end', async () => {
    const { columns, rejected, isRejects } = await readFrom(
      'phone;city;line;reason;;\r\nbad;Reno;2;"""bad"" contains letters";;\r\n',
    );
    expect([isRejects, columns]).toEqual([true, ['phone', 'city']]);
    expect(rejected).toMatchObject([{ input: { phone: 'bad', city: 'Reno' } }]);
  });

  it('is not seen in a list with columns of these names, or where --map needs them', async () => {
    const own = await readFrom('phone,line,reason\n+14155550123,3,wants a call\n');
    expect(own.isRejects).toBe(false);
    expect(own.accepted[0]!.variables).toEqual({ line: '3', reason: 'wants a call' });
    const mapped = await readFrom('phone,line,reason\n+14155550123,3,has no phone number\n', {
      map: { variables: [{ name: 'reason', type: 'text', column: 'reason' }] },
    });
    expect(mapped.accepted[0]!.variables).toEqual({ line: '3', reason: 'has no phone number' });
  });

  it('with every row taken out is still one, so that nobody is dropped for it', async () => {
    expect((await readFrom('phone,name,line,reason\n')).isRejects).toBe(true);
  });

  it('knows the reason of an erased person', () => expect(isKnownReason(erasedReason)).toBe(true));
});
