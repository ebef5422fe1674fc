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

  test('asks every so many seconds from the start of a call', () => {
    expect(nextAt(0)).toBe(5);
    expect(nextAt(5)).toBe(10);
  });

  test('is not put off by a poll that came late', () => {
    for (const late of [0.01, 0.4, 2, 2.5]) expect(nextAt(5 + late)).toBeCloseTo(10);
  });

  test('leaves out one of two that would come close together', () => {
    for (const late of [2.51, 4, 4.99, 5.4]) expect(nextAt(5 + late)).toBeCloseTo(15);
  });
});

test('what is learned is left when a beat is fixed', () => {
  const watch = createPollTimes(5, Math.random);
  for (let i = 0; i < 100; i++) watch.saw('a', { from: 0, to: 1, status: '', ended: true });
  expect(watch.nextInMs(lane, at(0))).toBe(5_000);
});
