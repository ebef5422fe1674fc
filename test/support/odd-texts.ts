/** Texts that only a broken or hostile client sends: places in a list that none of ours is, and odd headers. */
import fc from 'fast-check';

/** The parts of a place, and texts that pass for them at a glance. */
const placePart = fc.oneof(
  fc.constantFrom<unknown>(
    '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55',
    '+14155550123',
    'row',
    'id',
    'moved',
    '2026-01-01 09:00:00.000001+00',
    '2026-02-31 09:00:00+00',
    '9999-99-99 99:99:99+99',
    '0000-00-00 00:00:00+00',
    '2026-01-01 25:00:00-99:99',
    '',
    'a\u0000b',
    '\ud800',
    -1,
    0,
    1,
    2 ** 31,
    -(2 ** 31) - 1,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    1.5,
    1e300,
    null,
  ),
  fc.maxSafeInteger(),
  fc.string({ maxLength: 20 }),
);

/** A cursor as a list gives it out, of any list, or none at all. */
export const placeText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(placePart, { maxLength: 3 })
      .map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url')),
  },
  { weight: 1, arbitrary: fc.constantFrom('W10', 'eyJhIjoxfQ', '', '=', 'W'.repeat(499)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
);

/** A header's value: one of these, or any that HTTP can carry. */
export function oddHeader(...values: string[]): fc.Arbitrary<string> {
  const any = fc
    .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff })), {
      maxLength: 60,
    })
    .map((codes) => String.fromCharCode(...codes));
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: any });
}
