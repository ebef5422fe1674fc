import { expect, test } from 'vitest';
import {
  amountOf,
  callTimeOf,
  cleanJson,
  cleanText,
  nameOf,
  ranges,
  textOf,
  timeOf,
} from '../../src/voice/values.ts';

test.each([
  ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
  ['Sun, 01 Mar 2026 08:02:00 GMT', '2026-03-01T08:02:00.000Z'],
  [1_767_225_600, '2026-01-01T00:00:00.000Z'],
  [1_767_225_600.5, '2026-01-01T00:00:00.500Z'],
  [1_767_225_600_000, '2026-01-01T00:00:00.000Z'],
  ['1767225600', '2026-01-01T00:00:00.000Z'],
  ['1767225600000', '2026-01-01T00:00:00.000Z'],
  ['2099-12-31T23:59:59Z', '2099-12-31T23:59:59.000Z'],
  ['1970-01-01T00:00:01Z', '1970-01-01T00:00:01.000Z'],
])('the time %j is %s', (given, time) => {
  expect(timeOf(given)).toBe(time);
});

test.each([
  'yesterday',
  '12345',
  '99999999999999',
  '+275760-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '2100-01-01T00:00:01Z',
  '0001-01-01T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '\0',
  '',
  0,
  -1,
  4_102_444_800_001,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  null,
  undefined,
  true,
  {},
  ['2026-01-01'],
])('%j is not a time of 1970 to 2100', (given) => {
  expect(timeOf(given)).toBeNull();
});

test.each([
  [42, 42],
  ['42', 42],
  [' 42s ', 42],
  ['0.25', 0.25],
  ['-1.5s', -1.5],
  [0, 0],
  ['a minute', null],
  ['1e9', null],
  ['1,5', null],
  ['', null],
  ['9'.repeat(400), null],
  [Number.POSITIVE_INFINITY, null],
  [Number.NaN, null],
  [true, null],
  [null, null],
  [{}, null],
])('the amount %j is %j', (given, amount) => {
  expect(amountOf(given)).toBe(amount);
});

test.each([
  ['cost', 100_000, 100_000],
  ['cost', 1e-9, 1e-9],
  ['cost', -0, 0],
  ['cost', 100_000.01, null],
  ['cost', 1e-200, null],
  ['cost', -1_000, null],
  ['cost', 1.3e154, null],
  ['cost', 'NaN', null],
  ['cost', JSON.parse('1e400'), null],
  ['duration', 604_800, 604_800],
  ['duration', 1.7e308, null],
  ['duration', '-5s', null],
] as const)('of a %s, %j is %j', (name, given, amount) => {
  expect(amountOf(given, ranges[name])).toBe(amount);
});

test('a time of a call is about now', () => {
  const now = Date.parse('2026-03-02T12:00:00Z');
  for (const near of ['2026-01-31T12:00:01Z', '2026-03-03T11:59:59Z'])
    expect(callTimeOf(near, now)).toBe(new Date(near).toISOString());
  for (const far of ['2026-01-30T12:00:00Z', '2026-03-03T12:00:00Z', '0000-01-01T00:00:00Z', 99_999])
    expect(callTimeOf(far, now)).toBeNull();
});

test.each([
  ['c-1', 'c-1'],
  [17, '17'],
  [2 ** 53 - 1, '9007199254740991'],
  ['x'.repeat(300), 'x'.repeat(300)],
  [2 ** 53, null],
  [1.5, null],
  ['', null],
  ['a\0b', null],
  ['a\nb', null],
  ['a\ud800', null],
  ['x'.repeat(301), null],
  [true, null],
  [null, null],
  [{}, null],
])('the name %j is %j', (given, name) => {
  expect(nameOf(given)).toBe(name);
});

test('text loses what the ledger cannot keep, and is cut when it is too long', () => {
  expect(textOf('a\0b\ud800c')).toBe('ab\ufffdc');
  expect(textOf('😀')).toBe('😀');
  for (const other of ['', 7, null, undefined, {}, true]) expect(textOf(other)).toBeNull();
  const whole = 'ü'.repeat(262_144);
  expect(textOf(whole)).toBe(whole);
  expect(textOf(`${whole}x`)).toBe(`${whole} … [cut]`);
  expect(cleanText('a😀', 2)).toBe('a\ufffd … [cut]');
});

test('JSON is cleaned in every name and value, and keeps its shape', () => {
  const hostile = JSON.parse('{"a\\u0000":["\\ud800",1,null,true,{"__proto__":"\\u0000x"}]}');
  expect(JSON.stringify(cleanJson(hostile))).toBe('{"a":["\ufffd",1,null,true,{"__proto__":"x"}]}');
});
