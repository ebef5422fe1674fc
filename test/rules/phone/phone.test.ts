import * as fc from 'fast-check';
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { callingCode, countryOf, readPhone } from '../../../src/rules/phone/phone.ts';
import { notAPhone, writtenPhone } from '../../support/odd-texts.ts';
import { assert, runs } from '../../support/property.ts';

describe('readPhone', () => {
  test.each<[string, string | undefined, string]>([
    ['+14155550123', undefined, '+14155550123'],
    ['+12025550100', undefined, '+12025550100'],
    ['+15005550006', undefined, '+15005550006'],
    ['+15550001234', undefined, '+15550001234'],
    ['+19995551234', undefined, '+19995551234'],
    [' +1 (415) 555-0123 ', undefined, '+14155550123'],
    ['+1.415.555.0123', undefined, '+14155550123'],
    ['(+1) 415 555 0123', undefined, '+14155550123'],
    ['+1\u00a0415\u2009555\u20130123', undefined, '+14155550123'],
    ['\u202a+1 (415) 555\u20110123\u202c', undefined, '+14155550123'],
    ['＋１４１５５５５０１２３', undefined, '+14155550123'],
    ['+٤٤٢٠٧٩٤٦٠٩٥٨', undefined, '+442079460958'],
    ['tel:+1-415-555-0123', undefined, '+14155550123'],
    ["'+14155550123", undefined, '+14155550123'],
    ['="+14155550123"', undefined, '+14155550123'],
    ['+44 (0)20 7946 0958', undefined, '+442079460958'],
    ['+39 (0)6 1234 5678', undefined, '+390612345678'],
    ['+49/30/123456', undefined, '+4930123456'],
    ['+54 11 15 2345 6789', undefined, '+5491123456789'],
    ['0044 20 7946 0958', undefined, '+442079460958'],
    ['0044 20 7946 0958', 'GB', '+442079460958'],
    ['0044 20 7946 0958', 'US', '+442079460958'],
    ['011 44 20 7946 0958', 'US', '+442079460958'],
    ['(415) 555-0123', 'US', '+14155550123'],
    ['415.555.0123', 'CA', '+14155550123'],
    ['(415) 555.0123', 'US', '+14155550123'],
    ['14155550123', 'US', '+14155550123'],
    ['1 (415) 555-0123', 'US', '+14155550123'],
    ['020 7946 0958', 'GB', '+442079460958'],
    ['07700 900123', 'GB', '+447700900123'],
    ['030/123456', 'DE', '+4930123456'],
    ['49 30 123456', 'DE', '+4930123456'],
    ['8 999 123-45-67', 'RU', '+79991234567'],
    ['0 15 11 98765-4321', 'BR', '+5511987654321'],
    ['(06 1) 234 5678', 'HU', '+3612345678'],
    ['429 1234', 'BB', '+12464291234'],
  ])('%j (%s) is %s', (cell, country, phone) => {
    expect(readPhone(cell, country)).toEqual({ ok: true, phone });
  });

  test.each<[string, string | undefined, RegExp]>([
    ['', undefined, /^has no phone number$/],
    ['  \u200b ', undefined, /^has no phone number$/],
    ['-', undefined, /contains no digits/],
    [
      '4155550123',
      undefined,
      /^"4155550123" is in national form: give the country \(--country, or `country` in a request\)$/,
    ],
    ['14155550123', undefined, /in a request\), or add the missing "\+"/],
    ['011 44 20 7946 0958', undefined, /is in national form: give the country/],
    ['14155550123', 'DE', /can mean \+4914155550123 or \+14155550123/],
    ['14155550123', 'GB', /is too long for GB; with a "\+" in front/],
    ['4520123456', 'US', /can mean \+14520123456 or \+4520123456/],
    ['1.41556E+10', undefined, /^"1.41556E\+10" is a number that a spreadsheet has shortened/],
    ['1.41556e10', 'US', /spreadsheet has shortened/],
    ['1,41556E+10', 'DE', /spreadsheet has shortened/],
    ['1E10', 'US', /spreadsheet has shortened/],
    ['14155550123.0', 'US', /is a decimal number/],
    ['+14155550123.0', undefined, /is a decimal number/],
    ['415555010.6', 'US', /is a decimal number/],
    ['1415555010.7', 'US', /is a decimal number/],
    ['41555502.12', 'US', /is a decimal number/],
    ['4155.550211', 'US', /is a decimal number/],
    ['+49.30123456', undefined, /is a decimal number/],
    ['#N/A', 'US', /spreadsheet’s error/],
    ['#####', 'US', /spreadsheet’s error/],
    ['-14155550123', 'US', /is a negative number/],
    ['call me', 'US', /contains letters/],
    ['1-800-FLOWERS', 'US', /contains letters/],
    ['+14155550123 (mobile)', undefined, /contains letters/],
    ['+1 415 555 0123 ext. 5', undefined, /has an extension, which cannot be dialled/],
    ['+14155550123x123', undefined, /extension/],
    ['+14155550123;ext=5', undefined, /extension/],
    ['+14155550123,,5', undefined, /extension/],
    ['+14155550123 / +14155550124', undefined, /contains several numbers: keep one/],
    ['+14155550123;+14155550124', undefined, /several numbers/],
    ['+14155550123 +14155550124', undefined, /several numbers/],
    ['4155550123 or 4155550124', 'US', /several numbers/],
    ['+1 415 555 0123 - 415 555 0124', undefined, /several numbers/],
    ['=1+1', undefined, /is a formula/],
    ['+1 415 5550123 *67', undefined, /contains "\*"/],
    ['++14155550123', undefined, /more than one "\+"/],
    ['0+4155550123', undefined, /a "\+" after a digit/],
    ['+0014155550123', undefined, /not start with an existing country code/],
    ['+999123456789', undefined, /not start with an existing country code/],
    ['+1415', undefined, /is too short/],
    ['+1415555', undefined, /is too short/],
    ['+141555501234', undefined, /is too long/],
    ['+1415555012345678', undefined, /is too long/],
    ['1'.repeat(40), 'US', /is too long/],
    ['+352 (0)621 123 456', undefined, /has a "\(0\)" that LU does not use/],
    ['+34 (0)91 123 4567', undefined, /is too long/],
    ['555-0123', 'US', /wrong number of digits for US/],
    ['1234567890', 'US', /is not a number of US/],
    ['0000000000', 'US', /is not a number of US/],
    ['000453', 'DE', /is not a number of DE/],
    ['179123456789', 'CN', /is not a number of CN/],
    ['+86 179123456789', undefined, /is not a number of \+86/],
    ['0702460900832', 'MU', /is not a number of MU/],
    ['2943193', 'BB', /is not a number of BB/],
  ])('%j (%s) is refused: %s', (cell, country, reason) => {
    const reading = readPhone(cell, country);
    expect(reading.ok ? reading.phone : reading.reason).toMatch(reason);
  });

  test('a reason shows the cell on one line and short', () => {
    expect(readPhone('1'.repeat(50_000))).toMatchObject({ ok: false });
    const reading = readPhone(`call\r\nme ${'x'.repeat(200)}`);
    expect(reading.ok ? '' : reading.reason).toBe('"call me xxxxxxxxxxxxxxxxxxxxxxx…" contains letters');
  });

  test('no emergency number is accepted in any country', () => {
    const numbers = [
      '911',
      '112',
      '999',
      '000',
      '110',
      '119',
      '100',
      '101',
      '102',
      '108',
      '190',
      '1122',
      '0911',
    ];
    for (const country of getCountries()) {
      for (const number of numbers) {
        expect(readPhone(number, country), `${number} in ${country}`).toMatchObject({ ok: false });
      }
    }
  });

  test('digits after a plus are read as the library reads them, for every country code', () => {
    const codes = [
      ...new Set(getCountries().map((country) => getCountryCallingCode(country))),
      '800',
      '883',
      '999',
    ];
    const digit = fc.constantFrom(...'00112345678899');
    const number = fc
      .tuple(fc.constantFrom(...codes), fc.array(digit, { minLength: 2, maxLength: 15 }))
      .map(([code, digits]) => `+${code}${digits.join('')}`);
    assert(
      fc.property(number, (text) => {
        const parsed = parsePhoneNumberFromString(text);
        const isWhole =
          parsed?.isValid() ||
          /^[018]?$/.test(
            text
              .slice(1 + (parsed?.countryCallingCode.length ?? 0))
              .replace(new RegExp(`${parsed?.nationalNumber}$`), ''),
          );
        const known =
          isWhole && parsed?.isPossible() && parsed.number.length >= 8 && parsed.number.length <= 16;
        const reading = readPhone(text);
        expect(reading.ok ? reading.phone : null).toBe(known ? parsed?.number : null);
      }),
      { numRuns: runs(5_000) },
    );
  });

  const countries = fc.constantFrom(undefined, 'US', 'GB', 'DE', 'FR', 'IT', 'IN');

  test('what is accepted has exactly the digits that were written, whatever stands between them', () => {
    let accepted = 0;
    assert(
      fc.property(writtenPhone, countries, ({ text, bare }, country) => {
        const reading = readPhone(text, country);
        const plain = readPhone(bare, country);
        expect(reading.ok ? reading.phone : 'refused').toBe(plain.ok ? plain.phone : 'refused');
        if (!reading.ok) return;
        accepted += 1;
        const code = callingCode(reading.phone)!;
        const national = reading.phone.slice(1 + code.length);
        const front = new RegExp(`^\\+?(?:00|011)?(?:${code})?[018]?$`);
        expect(bare.endsWith(national), `${text} became ${reading.phone}`).toBe(true);
        expect(bare.slice(0, -national.length)).toMatch(front);
      }),
      { numRuns: runs(5_000) },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  test('what is not a phone is refused by its name, in any country', () => {
    assert(
      fc.property(notAPhone, countries, ({ text, why }, country) => {
        const reading = readPhone(text, country);
        expect(reading.ok ? `called ${reading.phone}` : reading.reason, text).toMatch(why);
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('an accepted number is E.164, and is read again unchanged', () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'+0123456789 ()-./exE,;#\u00a0'), maxLength: 24 }),
      fc.string({ unit: 'binary', maxLength: 24 }),
    );
    assert(
      fc.property(cell, fc.constantFrom(undefined, 'US', 'GB', 'DE', 'AR', 'IT'), (text, country) => {
        const reading = readPhone(text, country);
        if (!reading.ok) {
          expect(reading.reason).toMatch(/^[^\r\n]{5,200}$/);
          return;
        }
        expect(reading.phone).toMatch(/^\+[1-9]\d{6,14}$/);
        expect(readPhone(reading.phone)).toEqual(reading);
      }),
      { numRuns: runs(5_000) },
    );
  });
});

test('a country is recognised by its two letters', () => {
  expect(countryOf(' us ')).toBe('US');
  expect(countryOf('USA')).toBeNull();
  expect(countryOf('toString')).toBeNull();
});
