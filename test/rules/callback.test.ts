import { expect, it } from 'vitest';
import { type Asker, mostCallbacks, readCallback } from '../../src/rules/callback.ts';

const now = Date.parse('2026-03-02T12:00:00Z');
const read = (said: unknown, more: Partial<Asker> = {}, outcome = 'answered') =>
  readCallback(
    said,
    outcome,
    { place: 'Etc/UTC', timezone: null, callbacks: 0, endedAt: now - 60_000, opens: (at) => at, ...more },
    now,
  );
const timeOf = (said: unknown, more?: Partial<Asker>) => {
  const at = read(said, more)?.at;
  return at && new Date(at).toISOString();
};

it('a time with a zone is that time, and one without is by the clock of the person', () => {
  expect(timeOf('2026-03-03T09:30:00-05:00')).toBe('2026-03-03T14:30:00.000Z');
  expect(timeOf('2026-03-03 09:30', { place: 'America/New_York;US-NY' })).toBe('2026-03-03T14:30:00.000Z');
  expect(timeOf('2026-03-03T14:30:00.250Z')).toBe('2026-03-03T14:30:01.000Z');
  // The clocks have moved by then.
  expect(timeOf('2026-03-09T09:30', { place: 'America/New_York' })).toBe('2026-03-09T13:30:00.000Z');
});

it('of several zones, that of the order decides; without one, nobody is called before the time in any of them', () => {
  const place = 'America/New_York,America/Chicago';
  expect(timeOf('2026-03-03T09:00', { place })).toBe('2026-03-03T15:00:00.000Z');
  expect(timeOf('2026-03-03T09:00', { place, timezone: 'America/New_York' })).toBe(
    '2026-03-03T14:00:00.000Z',
  );
  expect(timeOf('2026-03-03T09:00', { place: '', timezone: 'Europe/Berlin' })).toBe(
    '2026-03-03T08:00:00.000Z',
  );
});

it.each([
  ['next Tuesday', {}, 'it is not a time such as'],
  ['2026-02-30T10:00', {}, 'it is not a time such as'],
  [1_772_000_000, {}, 'it is not a time such as'],
  [{ at: 'noon' }, {}, 'it is not a time such as'],
  ['2026-03-02T11:59:00Z', {}, 'had passed when the call ended'],
  ['2026-03-02T10:59:59Z', { endedAt: now - 7_200_000 }, 'had passed when the record was read'],
  ['2027-03-03T12:00:00Z', {}, 'more than a year away'],
  ['2026-03-03T12:00', { place: '' }, 'nobody knows the person’s'],
  ['2026-03-03T12:00:00Z', { callbacks: mostCallbacks }, 'called back 3 times'],
  ['2026-03-03T12:00:00Z', { opens: () => null }, 'no call is allowed'],
])('%s is not followed, and the history says why', (said, more, why) => {
  const wish = read(said, more);
  expect(wish?.at).toBeNull();
  expect(wish?.note).toContain(why);
  expect(wish?.note).toContain('not called back at “');
});

it('a time that has passed since the call is followed for an hour: the record was read late', () => {
  expect(timeOf('2026-03-02T11:59:30Z')).toBe('2026-03-02T11:59:30.000Z');
  expect(timeOf('2026-03-02T11:00:00Z', { endedAt: now - 7_200_000 })).toBe('2026-03-02T11:00:00.000Z');
});

it('nothing is read where nothing was said, or nobody spoke', () => {
  for (const said of [undefined, null, '', false]) expect(read(said)).toBeNull();
  for (const outcome of ['voicemail', 'no-answer', 'busy', 'failed'])
    expect(read('2026-03-03T12:00:00Z', {}, outcome)).toBeNull();
});

it('a long text is cut in the history', () => {
  expect(read('later '.repeat(100))!.note.length).toBeLessThan(200);
});
