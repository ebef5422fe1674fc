import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { mostColumns, nameColumns } from '../../src/intake/columns.ts';
import { openCsv } from '../../src/intake/csv.ts';
import { readJsonRecipients } from '../../src/intake/json.ts';
import { createSeen, type RowBatch } from '../../src/intake/recipients.ts';
import { createRecordReader } from '../../src/intake/records.ts';
import type { TableOptions } from '../../src/intake/table.ts';
import { assert, runs } from '../support/property.ts';
import { readFrom, withFile } from './files.ts';

/** Limits that keep a small file from using up time or memory. */
const phone = (at: number) => `+1415${2_000_000 + at}`;
const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at));

describe('columns', () => {
  test('with the same name a thousand times get distinct names', async () => {
    const read = await readFrom(`phone${',a'.repeat(mostColumns - 1)}\n${phone(1)}\n`);
    expect(read.columns).toEqual(['phone', 'a', ...repeat(mostColumns - 2, (at) => `a_${at + 2}`)]);
  });

  test('with the same name need about two look-ups each, not one for each twin', () => {
    const lookups = vi.spyOn(Set.prototype, 'has');
    try {
      nameColumns(Array(mostColumns).fill('a'), 0, 'it');
      expect(lookups.mock.calls.length).toBeLessThan(3 * mostColumns);
    } finally {
      lookups.mockRestore();
    }
  });

  test('get the first free number after their name', () => {
    const cell = fc.constantFrom(
      'a',
      'a_2',
      'a_2_2',
      'a_3',
      'a_03',
      ' a ',
      '',
      'column_2',
      'column_2_2',
      '__proto__',
    );
    assert(
      fc.property(fc.array(cell, { maxLength: 30 }), fc.nat(30), (cells, width) => {
        expect(nameColumns(cells, width, 'it')).toEqual(namesOneByOne(cells, width));
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('above a thousand refuse the file, with the count, the limit and the remedy', async () => {
    const text = `phone${repeat(mostColumns, (at) => `,c${at}`).join('')}\n${phone(1)}\n`;
    await expect(readFrom(text)).rejects.toMatchObject({
      code: 'file-broken',
      message: 'people.csv has 1,001 columns; at most 1,000 are allowed',
      remedy: expect.stringContaining('Remove the columns'),
    });
  });

  test('that are only trailing delimiters do not count', async () => {
    const read = await readFrom(`phone,name${','.repeat(100_000)}\n${phone(1)},A${','.repeat(5_000)}\n`);
    expect(read).toMatchObject({ columns: ['phone', 'name'], accepted: [{ name: 'A' }] });
    const wide = `phone${','.repeat(1_000)}\n${phone(1)}${','.repeat(1_000)}x\n`;
    await expect(readFrom(wide)).rejects.toMatchObject({ message: expect.stringContaining('1,001 columns') });
  });

  test('with names that are too long in all refuse the file', async () => {
    const text = `phone,${'n'.repeat(70_000)}\n${phone(1)},x\n`;
    await expect(readFrom(text)).rejects.toMatchObject({
      code: 'file-broken',
      message: 'people.csv has column names of 70,005 characters in all; at most 65,536 are allowed',
      remedy: expect.stringContaining('Shorten'),
    });
  });
});

describe('batches', () => {
  const limits = fc.record({
    batchSize: fc.integer({ min: 1, max: 6 }),
    batchText: fc.integer({ min: 1, max: 200 }),
  });
  const notes = fc.array(fc.oneof(fc.nat(30), fc.nat(300)), { maxLength: 30 });

  test('of a file keep the order, lose nothing, and stop at the limits', async () => {
    const kind = fc.constantFrom('row', 'rejected', 'blank');
    const row = fc.tuple(kind, fc.oneof(fc.nat(30), fc.nat(300)));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 30 }), limits, async (rows, options) => {
        const lines = rows.map(([what, length], at) => {
          if (what === 'blank') return `${' '.repeat(length)},`;
          return `${what === 'row' ? phone(at) : 'x'},${'n'.repeat(length)}`;
        });
        const batches = await batchesOf(`phone,note\n${lines.join('\n')}\n`, options);
        const kept = rows.flatMap(([what], at) => (what === 'blank' ? [] : [at + 2]));
        checkBatches(batches, kept, options);
      }),
      { numRuns: runs(300) },
    );
  });

  test('of objects keep the order, lose nothing, and stop at the limits', async () => {
    await fc.assert(
      fc.asyncProperty(notes, limits, async (lengths, options) => {
        const values = lengths.map((length, at) =>
          at % 3 === 2 ? { note: 'n'.repeat(length) } : { phone: phone(at), note: 'n'.repeat(length) },
        );
        const batches: RowBatch[] = [];
        for await (const batch of readJsonRecipients(values, options)) batches.push(batch);
        checkBatches(
          batches,
          lengths.map((_, at) => at + 1),
          options,
        );
      }),
      { numRuns: runs(300) },
    );
  });

  test('hold a thousand rows, or a million characters and the row that reaches them', async () => {
    const long = repeat(5, (at) => `${phone(at)},${'n'.repeat(400_000)}\n`).join('');
    const short = repeat(2_500, (at) => `${phone(at + 5)},n\n`).join('');
    const sizes = (batches: RowBatch[]) => batches.map(({ accepted }) => accepted.length);
    expect(sizes(await batchesOf(`phone,note\n${long}`))).toEqual([3, 2]);
    expect(sizes(await batchesOf(`phone,note\n${short}`))).toEqual([1_000, 1_000, 500]);
    const values = repeat(5, (at) => phone(at)).map((each) => ({ phone: each, note: 'n'.repeat(400_000) }));
    const batches: RowBatch[] = [];
    for await (const batch of readJsonRecipients(values)) batches.push(batch);
    expect(sizes(batches)).toEqual([3, 2]);
  });

  test('count the column names of each row', async () => {
    const names = repeat(999, (at) => `c${at}`).join(',');
    const batches = await batchesOf(`phone,${names}\n${repeat(1_000, (at) => `${phone(at)}\n`).join('')}`);
    expect(batches[0]!.accepted.length).toBeLessThan(200);
    expect(batches.flatMap(({ accepted }) => accepted)).toHaveLength(1_000);
  });

  test('count the empty cells of a row and the blank rows in between', async () => {
    const wide = repeat(4, (at) => `${phone(at)},n${','.repeat(600_000)}\n`).join('');
    expect((await batchesOf(`phone,note\n${wide}`)).length).toBe(2);
    for (const blank of ['\n'.repeat(600_000), `${','.repeat(600_000)}\n`]) {
      const apart = repeat(4, (at) => `${phone(at)},n\n${blank}`).join('');
      expect((await batchesOf(`phone,note\n${apart}`)).length).toBe(2);
    }
  });
});

describe('a long record', () => {
  /** How often the reader looks at each character of a record that arrives in pieces. */
  function looksAt(record: string): number {
    const reader = createRecordReader(',', 'it');
    const real = String.prototype.charCodeAt;
    let count = 0;
    String.prototype.charCodeAt = function (at) {
      count++;
      return real.call(this, at);
    };
    try {
      for (let at = 0; at < record.length; at += 500) reader.read(record.slice(at, at + 500), false);
      expect(reader.read('\n', true)).toHaveLength(1);
    } finally {
      String.prototype.charCodeAt = real;
    }
    return count;
  }

  test.each([
    ['quoted cells', '"a",'],
    ['doubled quotes', '"""""",'],
    ['quotes after blanks', ' "x,'],
    ['odd quotes after blanks', ' """x,'],
  ])('of %s costs as much per character as one of half its length', (_, part) => {
    const short = looksAt(part.repeat(20_000));
    const long = looksAt(part.repeat(40_000));
    expect(long / short).toBeLessThan(2.6);
  });

  test('is refused above eight million characters, in any pieces', () => {
    for (const cell of [',n', ',"n"']) {
      const text = `${cell.repeat(8_000_100 / cell.length)}\n`;
      for (const piece of [10_000_000, 1_000_000]) {
        const reader = createRecordReader(',', 'it');
        const read = () => {
          for (let at = 0; at < text.length; at += piece) reader.read(text.slice(at, at + piece), false);
          reader.read('', true);
        };
        expect(read).toThrow('it has a row of more than 8 million characters on line 1');
      }
    }
  });
});

test('an object with a value nested too deeply is rejected', async () => {
  const deep = JSON.parse(`{"phone": "${phone(1)}", "x": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
  for await (const { accepted, rejected } of readJsonRecipients([deep, { phone: phone(1) }])) {
    expect(rejected).toEqual([
      { row: 1, reason: 'has a value that is nested too deeply', input: { phone: phone(1) } },
    ]);
    expect(accepted).toHaveLength(1);
  }
});

/** The rule in its simplest form. */
function namesOneByOne(cells: readonly string[], width: number): string[] {
  const names: string[] = [];
  let count = cells.length;
  while (count > width && cells[count - 1]!.trim() === '') count--;
  for (const [index, cell] of cells.slice(0, count).entries()) {
    const text = cell.trim();
    const wanted = text === '' || text === '__proto__' ? `column_${index + 1}` : text;
    let name = wanted;
    for (let twin = 2; names.includes(name); twin++) name = `${wanted}_${twin}`;
    names.push(name);
  }
  return names;
}

async function batchesOf(text: string, options: TableOptions = {}): Promise<RowBatch[]> {
  return withFile(text, async (path) => {
    const batches: RowBatch[] = [];
    for await (const batch of (await openCsv({ path }, options)).batches) batches.push(batch);
    return batches;
  });
}

/** Every row once and in order; no batch is empty or has a row after the one that reaches a limit. */
function checkBatches(
  batches: RowBatch[],
  rows: number[],
  limits: { batchSize: number; batchText: number },
): void {
  const inOrder = batches.map(({ accepted, rejected }) =>
    [...accepted, ...rejected].sort((one, other) => one.row - other.row),
  );
  expect(inOrder.flat().map(({ row }) => row)).toEqual(rows);
  for (const batch of inOrder) {
    expect(batch.length).toBeGreaterThan(0);
    expect(batch.length).toBeLessThanOrEqual(limits.batchSize);
    const text = batch.slice(0, -1).flatMap(({ input }) => Object.values(input).join(''));
    expect(text.join('').length).toBeLessThan(limits.batchText);
  }
}

test('a hundred thousand phones stay distinct, and each duplicate names the first line', () => {
  const seen = createSeen();
  const phone = (at: number) => `+${at % 2 ? 1_415_555_0000 + at : 999_999_999_999_999 - at * 7}`;
  for (let at = 0; at < 100_000; at++) expect(seen.firstSight(phone(at), at + 2)).toBeNull();
  for (let at = 0; at < 100_000; at++) expect(seen.firstSight(phone(at), 5)).toBe(at + 2);
});

test('phones stay distinct whatever the factors of the hash', () => {
  const factor = fc.nat(2 ** 31 - 1).map((half) => half * 2 + 1);
  const phones = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 999_999_999_999_999 }), fc.integer({ min: 1, max: 20 })),
  );
  assert(
    fc.property(factor, factor, phones, (low, high, numbers) => {
      const seen = createSeen({ low, high });
      const first = new Map<number, number>();
      for (const [line, number] of numbers.entries()) {
        expect(seen.firstSight(`+${number}`, line)).toBe(first.get(number) ?? null);
        if (!first.has(number)) first.set(number, line);
      }
    }),
  );
});
