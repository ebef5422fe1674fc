/** Texts that people, spreadsheets, and broken or hostile clients send: phones, what is none, places and headers. */
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

const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^\\d{${min},${max}}$`));
const marks = [' ', '-', '.', '/', ' - ', '\u00a0', '\u2011', '. '] as const;

/** A phone in groups, and `bare`: the same without what stands between its digits. */
export const writtenPhone = fc
  .record({
    plus: fc.constantFrom('', '', '+', '+ '),
    groups: fc
      .tuple(
        fc.constantFrom('1', '44', '49', '0', '00', '011', '415', '212', '020', '39'),
        digits(2, 6),
        digits(2, 6),
      )
      .chain((three) => fc.array(digits(2, 4), { maxLength: 2 }).map((more) => [...three, ...more])),
    mark: fc.constantFrom(...marks),
    bracketed: fc.constantFrom(-1, 0, 1),
  })
  .filter(({ groups }) => groups.join('').length > 8)
  .map(({ plus, groups, mark, bracketed }) => ({
    text: plus + groups.map((group, at) => (at === bracketed ? `(${group})` : group)).join(mark),
    bare: plus.trim() + groups.join(''),
  }));

const any = <T>(...texts: T[]) => fc.constantFrom(...texts);
const phoneDigits = fc.stringMatching(/^[2-9]\d{8,9}$/);
const join = (...parts: (fc.Arbitrary<string> | string)[]) =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((all) => all.join(''));
const cutBy = (between: fc.Arbitrary<string>) =>
  fc
    .tuple(phoneDigits, fc.integer({ min: 1, max: 8 }), between)
    .map(([all, at, mark]) => all.slice(0, at) + mark + all.slice(at));
const spaced = fc
  .tuple(any('', ' '), phoneDigits)
  .map(([space, all]) => all.replace(/(?=(?:\d{3})+$)/g, space));

/** What stands in cells of phones and is none, with the reason that names it. */
export const notAPhone: fc.Arbitrary<{ text: string; why: RegExp }> = fc.oneof(
  ...(
    [
      [/is a decimal number: format/, join(any('', '+'), cutBy(any('.', '.', ',')))],
      [/is a decimal number: format/, join(any('', '+'), spaced, '.', digits(1, 4))],
      [/is a decimal number: format/, join(cutBy(any('-', ' ', '.')), '.', digits(1, 1))],
      [
        /has shortened: format/,
        join(
          digits(1, 1),
          any('.', ','),
          digits(1, 9),
          any('E', 'e', ' E '),
          any('+', '', '-'),
          digits(1, 2),
        ),
      ],
      [/is a negative number/, join(any('-', '\u2212', '- ', '+-'), phoneDigits)],
      [/is a negative number/, join(phoneDigits, any('-', ' -'))],
      [/is a negative number/, join('(', any('', '+1'), phoneDigits, ')')],
      [/is a formula/, join(any('=', '=+', '= -', '=SUM(', '=A1+'), phoneDigits)],
      [/is an amount of money/, join(any('$', '€ ', '+£', '\uffe5'), phoneDigits)],
      [/is an amount of money/, join(phoneDigits, any('$', ' €', '.00 ₹'))],
      [/is a percentage/, join(phoneDigits, any('%', ' %', '.5%'))],
      [/is a date/, join(any('2026', '1999'), any('-03-01', '/3/1', '.12.31', '-03-01T09:30:00'))],
      [/is a date/, join(any('01.03.', '1.3.', '12.31.', '31.12.'), any('2026', '1999'))],
      [
        /contains letters/,
        join(
          any('', '+1'),
          phoneDigits,
          ' ',
          any('ext', 'home', 'mobil', 'дом', 'extension', 'call after 5'),
        ),
      ],
      [/contains letters/, join(any('call ', 'Ann ', 'phone: ', 'p'), phoneDigits)],
      [/contains letters/, cutBy(any('A', 'FLOWERS', 'o', 'é'))],
      [
        /has an extension/,
        join(phoneDigits, any(' ext 12', ' x12', 'x1', '#12', ', ext. 4', ',,5', ' Durchwahl 3')),
      ],
      [
        /contains several numbers: keep one/,
        join(phoneDigits, any(' ', ' / ', ', ', ';', ' or ', '\n', ' & ', ' - ', '|', '-'), phoneDigits),
      ],
      [
        /contains several numbers: keep one/,
        join(any('555-0101', '2345678'), any(' ', ' / ', ' - '), any('5550102', '8765432')),
      ],
      [
        /has a bracket/,
        join(any('(', '((', ')', '(('), cutBy(any(')', '(', '[', ''))).filter(
          (text) => !/^\(\d+\)\d/.test(text),
        ),
      ],
      [/is not digits in groups/, cutBy(any('--', '..', '-.', '//', ' - - '))],
      [/is not digits in groups/, join(any('.', '/', '+/'), cutBy(any('-')))],
      [/not part of a phone number/, cutBy(any('*', '~', '_', '’', '\n', '१', '①', '²', '½', ':'))],
      [/"\+"/, cutBy(any('+', ' +', '-+'))],
    ] as const
  ).map(([why, text]) => text.map((each) => ({ text: each, why }))),
);
