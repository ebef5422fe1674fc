import { expect, test } from 'vitest';
import { parseMap, parseTimezone } from '../../src/intake/options.ts';

test('a map names columns by their role', () => {
  expect(parseMap('phone=Work Line, name = Who=What,')).toEqual({ phone: 'Work Line', name: 'Who=What' });
});

test.each(['phone', 'phone=', '=COL', 'email=COL', 'phone=A,phone=B'])(
  'a map such as %j is refused',
  (text) => {
    expect(() => parseMap(text)).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
  },
);

test('a time zone is an existing name', () => {
  expect(parseTimezone(' Europe/Berlin ')).toBe('Europe/Berlin');
  for (const text of ['', 'EST', 'Berlin', '+02:00']) {
    expect(() => parseTimezone(text)).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
  }
});
