import { expect, test } from 'vitest';
import { createSeen } from '../../src/intake/seen.ts';

test('a hundred thousand phones are told apart, and each second sight names the first', () => {
  const seen = createSeen();
  const phone = (at: number) => `+${at % 2 ? 1_415_555_0000 + at : 999_999_999_999_999 - at * 7}`;
  for (let at = 0; at < 100_000; at++) expect(seen.firstSight(phone(at), at + 2)).toBeNull();
  for (let at = 0; at < 100_000; at++) expect(seen.firstSight(phone(at), 5)).toBe(at + 2);
});
