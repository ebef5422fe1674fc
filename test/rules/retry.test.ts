import { array, constantFrom, dictionary, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttemptAt, nextAttemptIn, type RetryRule, type Tried } from '../../src/rules/retry.ts';
import { assert } from '../support/property.ts';

const outcome = constantFrom('answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled');
const delays = array(integer({ min: 0, max: 86_400 }), { minLength: 1, maxLength: 4 });

const rule = (more: Partial<RetryRule> = {}): RetryRule => ({
  maxAttempts: 9,
  retry: {},
  retryWhen: 'same',
  ...more,
});
/** A person whose tries ended so, one after the other. */
const tried = (outcomes: readonly string[], more: Partial<Tried> = {}): Tried => ({
  attempts: outcomes.length,
  granted: 0,
  callbacks: 0,
  tries: outcomes.map((each, at) => ({ outcome: each, at })),
  ...more,
});

describe('the verdict on an outcome', () => {
  it('is never another attempt when all attempts are used', () => {
    assert(
      property(
        outcome,
        integer({ min: 1, max: 20 }),
        integer({ min: 0, max: 20 }),
        dictionary(outcome, delays),
        (ended, maxAttempts, over, retry) => {
          const person = tried([ended], { attempts: maxAttempts + over });
          expect(nextAttemptIn(person, rule({ maxAttempts, retry }))).toBeNull();
        },
      ),
    );
  });

  it('is another attempt after the delay of its outcome, while attempts are left and the outcome is named', () => {
    assert(
      property(outcome, dictionary(outcome, delays), (ended, retry) => {
        expect(nextAttemptIn(tried([ended]), rule({ retry }))).toBe(retry[ended]?.[0] ?? null);
      }),
    );
  });

  it('never leads to more attempts than allowed, whatever the outcomes are', () => {
    assert(
      property(integer({ min: 1, max: 9 }), outcome, delays, (maxAttempts, ended, times) => {
        const limits = rule({ maxAttempts, retry: { [ended]: times } });
        const ends = [ended];
        while (nextAttemptIn(tried(ends), limits) !== null) ends.push(ended);
        expect(ends).toHaveLength(maxAttempts);
      }),
    );
  });

  it('takes the nth delay for the nth end of this kind, and repeats the last one', () => {
    const limits = rule({ retry: { 'no-answer': [1_800, 7_200, 86_400], busy: [600] } });
    const ends: string[] = [];
    const seen = ['no-answer', 'busy', 'no-answer', 'busy', 'no-answer', 'no-answer'].map((each) => {
      ends.push(each);
      return nextAttemptIn(tried(ends), limits);
    });
    expect(seen).toEqual([1_800, 600, 7_200, 600, 86_400, 86_400]);
  });

  it('allows one more attempt than the order does when a person asked for it', () => {
    const limits = rule({ maxAttempts: 2, retry: { busy: [60] } });
    expect(nextAttemptIn(tried(['busy', 'busy']), limits)).toBeNull();
    expect(nextAttemptIn(tried(['busy', 'busy'], { granted: 3 }), limits)).toBe(60);
    expect(nextAttemptIn(tried(['busy', 'busy', 'busy'], { granted: 3 }), limits)).toBeNull();
  });

  it('treats a delay of 0 as "at once", not as "never"', () => {
    expect(nextAttemptIn(tried(['busy']), rule({ retry: { busy: [0] } }))).toBe(0);
  });

  it('is final by default, and for a word that every object knows', () => {
    expect(nextAttemptIn(tried(['no-answer']), rule())).toBeNull();
    expect(nextAttemptIn(tried(['constructor']), rule())).toBeNull();
    expect(nextAttemptIn(tried([]), rule({ retry: { busy: [0] } }))).toBeNull();
  });
});

describe('the time of the next attempt', () => {
  const noon = Date.parse('2026-03-02T12:00:00Z');
  const where = { zone: 'Etc/UTC', opens: (from: number) => from };
  const person = tried(['busy'], { tries: [{ outcome: 'busy', at: noon }] });

  it('is the delay after the end, in the same part of the day unless it is to be spread', () => {
    const retry = { busy: [600] };
    expect(nextAttemptAt(person, rule({ retry }), noon, where)).toBe(noon + 600_000);
    expect(nextAttemptAt(person, rule({ retry, retryWhen: 'spread' }), noon, where)).toBe(
      Date.parse('2026-03-02T14:00:00Z'),
    );
    expect(nextAttemptAt(person, rule({ retryWhen: 'spread' }), noon, where)).toBeNull();
  });

  it('is the delay for a person whose time zone nobody knows', () => {
    const spread = rule({ retry: { busy: [600] }, retryWhen: 'spread' });
    expect(nextAttemptAt(person, spread, noon, { ...where, zone: undefined })).toBe(noon + 600_000);
  });
});
