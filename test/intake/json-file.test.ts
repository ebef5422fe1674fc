import fc from 'fast-check';
import { expect, it } from 'vitest';
import { positionOfFault, readJsonFile } from '../../src/intake/json-values.ts';
import { withFile } from './files.ts';

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
