import { expect, test } from 'vitest';
import { parseMap } from '../../src/intake/columns.ts';

test('a map names columns by their role', () => {
  expect(parseMap('phone=Work Line, name = Who=What,')).toEqual({ phone: 'Work Line', name: 'Who=What' });
});

test('several phones are one person’s numbers, in their order', () => {
  expect(parseMap('phone=Mobile,phone=Home,phone=Work')).toEqual({
    phone: 'Mobile',
    morePhones: ['Home', 'Work'],
  });
});

test.each(['phone', 'phone=', '=COL', 'email=COL', 'name=A,name=B', `${'phone=A,'.repeat(10)}phone=B`])(
  'a map such as %j is refused',
  (text) => {
    expect(() => parseMap(text)).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
  },
);
