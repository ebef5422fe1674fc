import { double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullJitter } from '../../../src/rules/limit/backoff.ts';
import { assert } from '../../support/property.ts';
import { seeded } from '../../support/random.ts';

describe('full jitter', () => {
  const chance = double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('is a whole number between zero and its ceiling', () => {
    assert(
      property(
        integer({ min: 0, max: 2_000 }),
        integer({ min: 1, max: 60_000 }),
        chance,
        (tries, base, each) => {
          const ms = fullJitter(tries, base, 90_000, () => each);
          expect(Number.isInteger(ms)).toBe(true);
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(Math.min(90_000, base * 2 ** tries));
        },
      ),
    );
  });

  it('has a ceiling that doubles with every try, up to a maximum', () => {
    const ceilings = [0, 1, 2, 3, 4, 5, 50].map((tries) => fullJitter(tries, 500, 10_000, () => 0.999_999_9));
    expect(ceilings).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('counts negative tries as zero', () => {
    expect(fullJitter(-3, 500, 10_000, () => 0.999_999_9)).toBe(500);
  });

  it('spreads a crowd over the whole range', () => {
    const random = seeded(7);
    const fifths = [0, 0, 0, 0, 0];
    for (let i = 0; i < 5_000; i++)
      fifths[Math.min(4, Math.floor(fullJitter(3, 500, 60_000, random) / 800))]! += 1;
    for (const count of fifths) expect(count).toBeGreaterThan(800);
  });
});
