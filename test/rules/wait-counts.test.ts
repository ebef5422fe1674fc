import { expect, it } from 'vitest';
import { waitsLine } from '../../src/cli/output/outlook-words.ts';
import { compileCalendar } from '../../src/rules/calendar/calendar.ts';
import { countWaits, createWaits, type WaitingFor, type WaitingNow } from '../../src/rules/wait-reason.ts';

/** Monday, noon in UTC. */
const now = Date.parse('2026-03-02T12:00:00Z');
const at = (time: string) => new Date(`2026-03-${time}Z`);
const running: WaitingFor = {
  state: 'running',
  driver: 'background',
  runLives: false,
  calendar: null,
  turn: 'rate' as const,
};
const morning = compileCalendar(
  { hours: [{ from: 9 * 60, to: 11 * 60, days: [1, 2, 3, 4, 5, 6, 7] }] },
  null,
);
const nothing: WaitingNow = {
  groups: [],
  phones: [],
  parked: 0,
  queued: { n: 0, reason: 'rate' },
  soonest: null,
  now,
};
const count = (given: Partial<WaitingNow>, campaign: Partial<WaitingFor> = {}) =>
  countWaits(createWaits({ ...running, ...campaign }, now), { ...nothing, ...given });

it('people are counted by the reason why they wait, with the earliest time and its place', () => {
  const groups = [
    { place: 'Etc/UTC', due: null, n: 5 },
    { place: 'Pacific/Honolulu', due: null, n: 7 },
  ];
  expect(count({ groups }, { calendar: morning })).toEqual([
    { reason: 'window', n: 12, until: at('02T19:00:00'), place: 'Pacific/Honolulu' },
  ]);
  expect(count({ groups, parked: 2 }, { state: 'paused' })).toEqual([
    { reason: 'paused', n: 12, until: null, place: 'Etc/UTC' },
    { reason: 'no-credit', n: 2, until: null, place: '' },
  ]);
});

it('a retry is told with its exact time, where that is the earliest', () => {
  const soonest = at('02T12:33:20');
  const groups = [
    { place: '', due: at('02T12:30:00'), n: 2 },
    { place: '', due: at('02T13:00:00'), n: 4 },
    { place: '', due: at('02T11:00:00'), n: 3 },
    { place: '', due: null, n: 1 },
  ];
  expect(count({ groups, soonest })).toEqual([
    { reason: 'retry', n: 6, until: soonest, place: '' },
    { reason: 'rate', n: 4, until: null, place: '' },
  ]);
});

it('in the present five minutes nobody waits for a retry when no time is still to come', () => {
  const groups = [{ place: '', due: at('02T12:00:00'), n: 2 }];
  expect(count({ groups })).toEqual([{ reason: 'rate', n: 2, until: null, place: '' }]);
  expect(count({ groups, soonest: at('02T12:01:00') })).toMatchObject([{ reason: 'retry', n: 2 }]);
});

it('a person whose phone is in use is told apart from those who wait for their turn', () => {
  const groups = [
    { place: 'a', due: null, n: 3 },
    { place: 'b', due: null, n: 1 },
  ];
  const phones = [
    { place: 'a', n: 1 },
    { place: 'b', n: 5 },
  ];
  expect(count({ groups, phones }).map(({ reason, n }) => [reason, n])).toEqual([
    ['phone-in-use', 2],
    ['rate', 2],
  ]);
});

it('a person reads the date where the time is not today', () => {
  const line = (reason: 'cap' | 'retry', n: number, time: string) =>
    waitsLine([{ reason, n, until: at(time), place: '' }], now);
  expect([
    line('cap', 1, '02T18:00:00'),
    line('cap', 1, '03T08:00:00'),
    line('retry', 3, '03T11:59:59'),
    line('retry', 1, '02T14:05:00'),
  ]).toEqual([
    '1 waits for a cap of the contact rules until 18:00:00Z',
    '1 waits for a cap of the contact rules until 2026-03-03 08:00:00Z',
    '3 wait for a retry, the next at 2026-03-03 11:59:59Z',
    '1 waits for a retry at 14:05:00Z',
  ]);
});

it('people in the queue of a key are counted with those who wait', () => {
  const groups = [{ place: 'Etc/UTC', due: null, n: 5 }];
  const queued = { n: 3, reason: 'paused' } as const;
  const counted = count({ groups, queued }, { state: 'paused' });
  expect(counted).toEqual([{ reason: 'paused', n: 8, until: null, place: 'Etc/UTC' }]);
  expect(waitsLine(counted, now)).toBe('8 wait for the campaign to continue');
});
