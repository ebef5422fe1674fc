import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CarillonError } from '../../src/base/errors.ts';
import { readJsonRecipients } from '../../src/intake/json.ts';
import { blankLine, readJsonArray, readNdjson } from '../../src/intake/json-items.ts';
import { positionOfFault, readJsonFile } from '../../src/intake/json-values.ts';
import { runs } from '../support/property.ts';
import { gather, withFile } from './files.ts';

type Reader = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<unknown>;

/** A body in pieces: cut at these places of its bytes, so that a character may be cut too. */
async function readCut(read: Reader, text: string, cuts: readonly number[]): Promise<unknown[]> {
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const chunks = async function* () {
    let from = 0;
    for (const place of [...places, bytes.length]) {
      yield bytes.subarray(from, place);
      from = place;
    }
  };
  const items: unknown[] = [];
  for await (const item of read(chunks())) if (item !== blankLine) items.push(item);
  return items;
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 30 });
/** Brackets, quotes, commas, backslashes and characters of several bytes are what a reader may stumble over. */
const word = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '[', ']', '{', '}', ',', '\n', 'é', '漢', '😀'),
});
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('fields'),
  ),
  list: fc.array(tie('any'), { maxLength: 4 }),
  fields: fc.dictionary(word, tie('any'), { maxKeys: 4 }),
})).any;
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 3 });

describe('a body that is cut anywhere', () => {
  it('gives the same items as the whole array', () =>
    fc.assert(
      fc.asyncProperty(fc.array(value), space, fc.nat(2), cuts, async (items, blank, indent, places) => {
        const text = `${blank}${JSON.stringify(items, null, indent)}${blank}`;
        expect(await readCut(readJsonArray, text, places)).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(300) },
    ));

  it('gives the same items as its lines', () =>
    fc.assert(
      fc.asyncProperty(fc.array(value), fc.boolean(), cuts, async (items, isOpen, places) => {
        const lines = items.map((item) => JSON.stringify(item));
        const text = `${lines.join('\n')}${isOpen ? '' : '\n'}`;
        expect(await readCut(readNdjson, text, places)).toEqual(lines.map((line) => JSON.parse(line)));
      }),
      { numRuns: runs(300) },
    ));

  it('a line that is not JSON is rejected as such', async () => {
    const lines = '{"phone":"+14155550123"}{bad\n{"phone":"+14155550124"}\n7\n';
    const items = await readCut(readNdjson, lines, [7, 30]);
    const { rejected } = await gather(readJsonRecipients(items));
    expect(rejected.map(({ row, reason }) => [row, reason])).toEqual([
      [1, 'is a line that is not JSON'],
      [3, 'is not an object with a phone'],
    ]);
  });

  it('that is broken is refused with the item and its line', async () => {
    const cases: [string, RegExp][] = [
      ['[\n  {"phone": "+14155550123"},\n  {"phone":\n   bad}\n]', /item 2, on line 4$/],
      ['[\n  {"phone": "+14155550123"}\n', /ends before its array is closed: line 3$/],
      ['\n{"phone": "+14155550123"}', /is not a single JSON array: line 2$/],
      ['[{},\n}]', /item 2, on line 2$/],
    ];
    for (const [text, message] of cases) {
      await expect(readCut((chunks) => readJsonArray(chunks, 'people.json'), text, [])).rejects.toMatchObject(
        {
          code: 'file-broken',
          message: expect.stringMatching(message),
        },
      );
    }
    await expect(readCut(readJsonArray, '{', [])).rejects.toThrow(/^The input is not/);
  });

  it('counts lines without text: a row’s number is its line', async () => {
    const text = '\n{"phone":"+14155550123"}\n\n{"phone":"bad"}';
    const values = readNdjson(Readable.from([Buffer.from(text)]));
    const { accepted, rejected } = await gather(readJsonRecipients(values));
    expect([...accepted, ...rejected].map(({ row }) => row)).toEqual([2, 4]);
  });

  it('is refused when the array is not whole, wherever it was cut', () =>
    fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1 }), fc.nat(), cuts, async (items, end, places) => {
        const text = JSON.stringify(items);
        const broken = Buffer.from(text)
          .subarray(0, end % Buffer.byteLength(text))
          .toString('latin1');
        await expect(readCut(readJsonArray, broken, places)).rejects.toThrow(CarillonError);
      }),
      { numRuns: runs(300) },
    ));
});

it('the place of a fault is where the text stops being JSON', () => {
  const cases: [string, number, number][] = [
    ['', 1, 1],
    ['{"a": 1', 1, 8],
    ['{\n  "a": 1,\n}', 3, 1],
    ['{"a": 1,\r\n "b" 2}', 2, 6],
    ['{"a": 01}', 1, 8],
    ['[1, 2}', 1, 6],
    ['{"a": "x\ny"}', 1, 7],
    ["{'a': 1}", 1, 2],
    ['{"a": 1} x', 1, 10],
    ['{"a": nul}', 1, 7],
  ];
  for (const [text, line, column] of cases)
    expect([text, positionOfFault(text)]).toEqual([text, { line, column }]);
});

it('is never behind a sign that JSON does not have, and never before the text that is in order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), (value, seed) => {
      const text = JSON.stringify(value);
      const at = seed % (text.length + 1);
      const broken = `${text.slice(0, at)}\u0001${text.slice(at)}`;
      const { line, column } = positionOfFault(broken);
      expect(line).toBe(1);
      expect(column).toBeLessThanOrEqual(at + 1);
      // Whole lists and objects before it are in order.
      expect(column).toBeGreaterThan(0);
    }),
  );
});

it('a file of JSON is read as an object, or refused with one clear line', async () => {
  await withFile('\ufeff{"voice": {"speed": 1.1}}', async (path) => {
    expect(readJsonFile(path)).toEqual({ voice: { speed: 1.1 } });
  });
  await withFile('{"voice": {\n  "speed": }\n}', async (path) => {
    expect(() => readJsonFile(path)).toThrow(/is not JSON: line 2, column 12$/);
  });
  await withFile('[1]', async (path) => {
    expect(() => readJsonFile(path)).toThrow('does not hold a JSON object');
  });
  expect(() => readJsonFile('/nowhere/at-all.json')).toThrow(/does not exist$/);
});
