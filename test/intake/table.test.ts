import { isAscii, isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCsv } from '../../src/intake/csv.ts';
import { createRecordReader } from '../../src/intake/records.ts';
import { assert, runs } from '../support/property.ts';
import { readAll, utf16 } from './files.ts';

type Spelling = { delimiter: string; newline: string; encoding: string; quoteAll: boolean; tail: boolean };

const spelling: fc.Arbitrary<Spelling> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  encoding: fc.constantFrom('utf8', 'utf8-mark', 'utf16le', 'utf16be', 'windows-1252'),
  quoteAll: fc.boolean(),
  tail: fc.boolean(),
});
const letter = fc.constantFrom(...'aZ09,;|\t"\n\r \' =+-é€', '\r\n', '""');
const cell = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''));

test('any table, written in any way, is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .integer({ min: 1, max: 4 })
        .chain((width) =>
          fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
        ),
      spelling,
      fc.integer({ min: 1, max: 7 }),
      async (table, how, piece) => {
        const header = ['phone', ...table[0]!.map((_, at) => `extra ${at}`)];
        const rows = table.map((cells, at) => [`+1415555${1000 + at}`, ...cells]);
        const bytes = encode(spell([header, ...rows], how), how.encoding);
        // Bytes that are UTF-8 as well, such as those of "é€€", are read as UTF-8: nothing tells the two apart.
        fc.pre(how.encoding !== 'windows-1252' || !isUtf8(bytes) || isAscii(bytes));
        const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, at) =>
          bytes.subarray(at * piece, (at + 1) * piece),
        );
        const read = await readAll(await openCsv({ stream: Readable.from(pieces) }));
        expect(read.delimiter).toBe(how.delimiter);
        expect(read.rejected).toEqual([]);
        expect(read.accepted.map((row) => header.map((name) => row.input[name]))).toEqual(rows);
      },
    ),
    { numRuns: runs(400) },
  );
});

test('it does not matter how the text is cut into pieces', () => {
  const text = fc
    .array(fc.constantFrom(...'ab,\t"\r\n ', '""', '\r\n', '","'), { maxLength: 40 })
    .map((part) => part.join(''));
  assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 }),
      fc.constantFrom(',', '\t'),
      (whole, cuts, delimiter) => {
        const borders = [0, ...cuts.filter((at) => at < whole.length).sort((a, b) => a - b), whole.length];
        const pieces = borders.slice(1).map((to, at) => whole.slice(borders[at], to));
        expect(readPieces(pieces, delimiter)).toEqual(readPieces([whole], delimiter));
      },
    ),
    { numRuns: runs(5_000) },
  );
});

function readPieces(pieces: string[], delimiter: string) {
  const reader = createRecordReader(delimiter, 'it');
  try {
    return [...pieces.flatMap((piece) => reader.read(piece, false)), ...reader.read('', true)];
  } catch (error) {
    return (error as Error).message;
  }
}

function spell(table: string[][], { delimiter, newline, quoteAll, tail }: Spelling): string {
  const special = new RegExp(`["\\r\\n${delimiter}]|^\\s|\\s$`);
  const text = table.map((cells) =>
    cells
      .map((value) => (quoteAll || special.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
      .join(delimiter),
  );
  return text.join(newline) + (tail ? newline : '');
}

function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf16le') return utf16(text, 'le');
  if (encoding === 'utf16be') return utf16(text, 'be');
  if (encoding === 'utf8') return Buffer.from(text);
  if (encoding === 'utf8-mark') return Buffer.from(`\ufeff${text}`);
  return Buffer.from(text.replaceAll('€', '\x80'), 'latin1');
}
