import { expect, test } from 'vitest';
import { type JsonOptions, readJsonRecipients } from '../../src/intake/json.ts';
import { gather } from './files.ts';

const readAll = (values: unknown[], options?: JsonOptions) => gather(readJsonRecipients(values, options));

test('objects become recipients by the rules of a file', async () => {
  const { accepted, rejected } = await readAll([
    {
      phone: '+1 415 555 0123',
      name: 'Ann',
      timezone: 'UTC',
      city: 'Reno',
      variables: { plan: 3, tags: ['a'], gone: null },
    },
    { phone_number: '+442079460958' },
    { phone: '+14155550123' },
  ]);
  expect(accepted).toEqual([
    {
      row: 1,
      phone: '+14155550123',
      name: 'Ann',
      place: 'UTC;US-CA',
      ownPlace: true,
      input: {
        phone: '+1 415 555 0123',
        name: 'Ann',
        timezone: 'UTC',
        city: 'Reno',
        plan: 3,
        tags: ['a'],
      },
      variables: { city: 'Reno', plan: 3, tags: ['a'] },
    },
    {
      row: 2,
      phone: '+442079460958',
      name: null,
      place: 'Europe/London',
      input: { phone_number: '+442079460958' },
      variables: {},
    },
  ]);
  expect(rejected).toEqual([
    { row: 3, reason: 'duplicate of item 1', input: { phone: '+14155550123' }, isTwin: true },
  ]);
});

test('a variable that is named as the state says where a person is, and stays a variable', async () => {
  const people = [
    { phone: '+14155550123', region: 'Texas' },
    { phone: '+14155550124', variables: { region: 'new' } },
    { phone: '+14155550125' },
  ];
  const { accepted, rejected } = await readAll(people, { keys: { state: 'region' } });
  expect(accepted.map(({ place, variables }) => [place.split(';')[1], variables])).toEqual([
    ['US-TX', { region: 'Texas' }],
    ['US-CA', {}],
  ]);
  expect(rejected).toMatchObject([{ row: 2, reason: expect.stringContaining('"new" is not a state') }]);
});

test('an item that is not a recipient is rejected with its number, and the others are kept', async () => {
  const { accepted, rejected } = await readAll(
    [
      null,
      'x',
      [],
      {},
      { phone: {} },
      { phone: '+14155550123', variables: 'x' },
      { phone: '+14155550123', name: ['A'] },
      { phone: '+14155550123', note: 'a\0b' },
      { phone: 4155550123 },
    ],
    { country: 'US' },
  );
  expect(rejected.map(({ row, reason }) => `${row} ${reason}`)).toEqual([
    '1 is not an object with a phone',
    '2 is not an object with a phone',
    '3 is not an object with a phone',
    '4 has no phone number',
    '5 has a phone that is not text',
    '6 has variables that are not an object',
    '7 has a name that is not text',
    '8 contains a NUL character',
  ]);
  expect(accepted.map(({ row, phone }) => [row, phone])).toEqual([[9, '+14155550123']]);
});

test('text that the ledger could not store is repaired', async () => {
  const { accepted } = await readAll([
    { phone: '+14155550123', name: 'A\ud800', variables: JSON.parse('{"__proto__": "x"}') },
  ]);
  expect(accepted[0]?.name).toBe('A\ufffd');
  expect(JSON.stringify(accepted[0]?.variables)).toBe('{"__proto__":"x"}');
});

test('a value that the ledger cannot keep as it is given is rejected by name, and the rest of the row is kept', async () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  const { accepted, rejected } = await readAll([
    { phone: '+14155550123', id: 2 ** 53, city: 'Reno' },
    JSON.parse('{"phone": "+14155550124", "share": 1e999}'),
    { phone: '+14155550125', tree: deep(5_000), city: 'Reno' },
    { phone: '+14155550126', order: { note: 'a\0b' }, variables: { name: 'x' } },
    { phone: '+14155550127', tree: deep(50), id: 2 ** 53 - 1, share: 0.1 },
    'not an object',
  ]);
  expect(rejected.map(({ row, reason, input }) => [row, reason, input])).toEqual([
    [1, 'contains a number that is too long: write it as text', { phone: '+14155550123', city: 'Reno' }],
    [2, 'contains a number that is too long: write it as text', { phone: '+14155550124' }],
    [3, 'has a value that is nested too deeply', { phone: '+14155550125', city: 'Reno' }],
    [4, 'contains a NUL character', { phone: '+14155550126', 'variables.name': 'x' }],
    [6, 'is not an object with a phone', { item: 'not an object' }],
  ]);
  expect(accepted.map(({ row }) => row)).toEqual([5]);
});

test('of a person whose phone is null, the input says so', async () => {
  const { rejected } = await readAll([{ phone: null }, { phone_number: null, name: 'Ann', note: null }]);
  expect(rejected.map(({ input }) => input)).toEqual([{ phone: null }, { phone_number: null, name: 'Ann' }]);
});

test('a name that a person has of its own is a variable where it stands among the variables', async () => {
  const { accepted, rejected } = await readAll([
    { phone: '+14155550123', variables: { phone: 1, name: 2, timezone: 3, phone_number: 4, variables: 5 } },
    { phone: '+14155550124', phone_number: '+14155550125' },
    { phone: null, phone_number: '+14155550126' },
    { phone: '+14155550127', city: 1, variables: { city: '1' } },
  ]);
  expect(accepted.map(({ variables }) => variables)).toEqual([
    { phone: 1, name: 2, timezone: 3, phone_number: 4, variables: 5 },
    { phone_number: '+14155550125' },
    {},
  ]);
  expect(accepted[0]).toMatchObject({ name: null, input: { phone: '+14155550123', 'variables.phone': 1 } });
  expect(rejected).toEqual([
    {
      row: 4,
      reason: 'gives two values to "city"',
      input: { phone: '+14155550127', city: 1, variables: { city: '1' } },
    },
  ]);
});
