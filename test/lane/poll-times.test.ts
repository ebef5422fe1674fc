import { describe, expect, test } from 'vitest';
import type { Lane } from '../../src/lane/lane.ts';
import { createPollPrice } from '../../src/lane/poll-price.ts';
import { createPollTimes } from '../../src/lane/poll-times.ts';

const pacer = { isScarce: () => false, waiting: () => 0 };
const lane = { pollPrice: createPollPrice(), pacer, backlog: 0 } as unknown as Lane;
const at = (age: number) => ({ campaignId: 'a', status: null, age, resultDelay: null });

describe('a fixed beat', () => {
  /** How old the call is at its next poll. */
  const nextAt = (age: number) => age + createPollTimes(5, Math.random).nextInMs(lane, at(age)) / 1_000;

  test('polls at a fixed interval from the start of a call', () => {
    expect(nextAt(0)).toBe(5);
    expect(nextAt(5)).toBe(10);
  });

  test('is not moved by a late poll', () => {
    for (const late of [0.01, 0.4, 2, 2.5]) expect(nextAt(5 + late)).toBeCloseTo(10);
  });

  test('skips one of two polls that would be close together', () => {
    for (const late of [2.51, 4, 4.99, 5.4]) expect(nextAt(5 + late)).toBeCloseTo(15);
  });
});

test('what is learned is ignored when the beat is fixed', () => {
  const pollTimes = createPollTimes(5, Math.random);
  for (let i = 0; i < 100; i++) pollTimes.saw('a', { from: 0, to: 1, status: '', ended: true });
  expect(pollTimes.nextInMs(lane, at(0))).toBe(5_000);
});
