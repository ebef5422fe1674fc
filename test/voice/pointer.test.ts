import { expect, test } from 'vitest';
import { firstAt, pointerForm, topOf, valuesAt } from '../../src/voice/pointer.ts';

const body = { a: { 'b/c': 1, '~': 2, '': 3 }, list: [{ n: 1 }, { n: 2 }, 'x', { m: [4, 5] }], none: null };

test.each([
  ['', [body]],
  ['/a/b~1c', [1]],
  ['/a/~0', [2]],
  ['/a/', [3]],
  ['/list/0/n', [1]],
  ['/list/*/n', [1, 2]],
  ['/list/*/m/*', [4, 5]],
  ['/list/9', []],
  ['/none', [null]],
  ['/none/x', []],
  ['/a/*', []],
  ['/x/y', []],
  // Only what the record itself has.
  ['/constructor', []],
  ['/list/length', [4]],
  ['/list/map', []],
])('%j leads to %j', (pointer, values) => {
  expect(valuesAt(body, pointer)).toEqual(values);
});

test('a field named __proto__ is a field like any other', () => {
  const hostile: unknown = JSON.parse('{"__proto__": {"id": "c-1"}}');
  expect(valuesAt(hostile, '/__proto__/id')).toEqual(['c-1']);
  expect(valuesAt({}, '/__proto__')).toEqual([]);
});

test('the first value that is something is taken: null and empty text are not', () => {
  expect(firstAt({ a: '', b: null, c: 0 }, ['/a', '/b', '/x', '/c'])).toBe(0);
  expect(firstAt([{ a: '' }, { a: false }], '/*/a')).toBe(false);
  expect(firstAt({ a: '' }, ['/a', '/b'])).toBeUndefined();
  expect(firstAt('text', '')).toBe('text');
});

test('the field of the record into which a pointer leads', () => {
  expect(['', '/a', '/a/b/c', '/a~1b'].map(topOf)).toEqual([null, 'a', 'a', 'a/b']);
});

test('a pointer begins with a slash, or is empty', () => {
  expect(['', '/', '/a/b', '/a~0~1', '/*/a'].every((text) => pointerForm.test(text))).toBe(true);
  expect(['a', 'a/b', '$.a', '/a~2', '/a~'].some((text) => pointerForm.test(text))).toBe(false);
});
