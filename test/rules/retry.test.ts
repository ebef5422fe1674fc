import { constantFrom, dictionary, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttemptIn } from '../../src/rules/retry.ts';
import { assert } from '../support/property.ts';

const outcome = constantFrom('answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled');

describe('the verdict on an outcome', () => {
  it('is never another attempt when all attempts are used', () => {
    assert(
      property(
        outcome,
        integer({ min: 1, max: 20 }),
        integer({ min: 0, max: 20 }),
        dictionary(outcome, integer({ min: 0, max: 86_400 })),
        (ended, maxAttempts, over, retry) => {
          expect(nextAttemptIn(ended, maxAttempts + over, { maxAttempts, retry })).toBeNull();
        },
      ),
    );
  });

  it('is another attempt after its own delay, while attempts are left and the outcome is named', () => {
    assert(
      property(
        outcome,
        integer({ min: 1, max: 20 }),
        dictionary(outcome, integer({ min: 0, max: 86_400 })),
        (ended, maxAttempts, retry) => {
          expect(nextAttemptIn(ended, maxAttempts - 1, { maxAttempts, retry })).toBe(retry[ended] ?? null);
        },
      ),
    );
  });

  it('never leads to more attempts than allowed, whatever the outcomes are', () => {
    assert(
      property(integer({ min: 1, max: 9 }), outcome, (maxAttempts, ended) => {
        const rule = { maxAttempts, retry: { [ended]: 60 } };
        let attempts = 1;
        while (nextAttemptIn(ended, attempts, rule) !== null) attempts += 1;
        expect(attempts).toBe(maxAttempts);
      }),
    );
  });

  it('treats a delay of 0 as "at once", not as "never"', () => {
    expect(nextAttemptIn('busy', 1, { maxAttempts: 2, retry: { busy: 0 } })).toBe(0);
  });

  it('is final by default', () => {
    expect(nextAttemptIn('no-answer', 1, { maxAttempts: 1, retry: {} })).toBeNull();
    expect(nextAttemptIn('no-answer', 1, { maxAttempts: 3, retry: {} })).toBeNull();
  });
});
