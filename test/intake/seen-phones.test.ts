import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeen } from '../../src/intake/recipients.ts';
import { assert } from '../support/property.ts';

test('a hundred thousand phones stay distinct, and each duplicate names the first line', () => {
  const seen = createSeen();
  const phone = (at: number) => `+${at % 2 ? 1_415_555_0000 + at : 999_999_999_999_999 - at * 7}`;
  for (let at = 0; at < 100_000; at++) expect(seen.firstSight(phone(at), at + 2)).toBeNull();
  for (let at = 0; at < 100_000; at++) expect(seen.firstSight(phone(at), 5)).toBe(at + 2);
});

test('phones stay distinct whatever the factors of the hash', () => {
  const factor = fc.nat(2 ** 31 - 1).map((half) => half * 2 + 1);
  const phones = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 999_999_999_999_999 }), fc.integer({ min: 1, max: 20 })),
  );
  assert(
    fc.property(factor, factor, phones, (low, high, numbers) => {
      const seen = createSeen({ low, high });
      const first = new Map<number, number>();
      for (const [line, number] of numbers.entries()) {
        expect(seen.firstSight(`+${number}`, line)).toBe(first.get(number) ?? null);
        if (!first.has(number)) first.set(number, line);
      }
    }),
  );
});
