import { expect, test } from 'vitest';
import { findMismatch } from '../../src/voice/mismatch.ts';

const asked = { callId: 'c-1', phone: '+14155550123' };

test.each([
  undefined,
  null,
  '',
  '+14155550123',
  '14155550123',
  '+1 (415) 555-0123',
  'tel:+1-415-555-0123',
  '4155550123',
  '5550123',
  '0014155550123',
  '01114155550123',
  '0123',
  '+1415***0123',
  'sip:9999999999@voice.example',
  'anonymous',
])('a call to %s may well be to the phone that was asked for', (phone) => {
  expect(findMismatch(asked, { id: 'c-1', phone })).toBeNull();
});

test.each([
  ['+442079460104', '02079460104'],
  ['+442079460104', '+44 (0)20 7946 0104'],
  ['+442079460104', '+44 020 7946 0104'],
  ['+4930123456', '030/123456'],
  ['+79123456789', '8 (912) 345-67-89'],
  ['+375291234567', '80 29 123-45-67'],
  ['+36301234567', '06 30 123 4567'],
  ['+525512345678', '+52 1 55 1234 5678'],
  ['+5215512345678', '+52 55 1234 5678'],
  ['+541123456789', '+5491123456789'],
  ['+12125550123', '0011 1 212 555 0123'],
])('a number as it is written at home is the same phone: %s, %s', (phone, told) => {
  expect(findMismatch({ callId: 'c-1', phone }, { id: 'c-1', phone: told })).toBeNull();
});

test.each(['+14155550124', '4155550199', '+24155550123', '+4155550124', '+442079460104'])(
  'a call to %s is to another phone, of which only the end is told',
  (phone) => {
    const words = findMismatch(asked, { id: 'c-1', phone });
    expect(words).toMatch(/another phone, which ends in \d{4}$/);
    expect(words).not.toContain(phone);
  },
);

test('the number that the call comes from is not another person’s phone', () => {
  const told = { id: 'c-1', phone: '+1 212 555 0100' };
  expect(findMismatch({ ...asked, caller: { number: '+12125550100' } }, told)).toBeNull();
  expect(findMismatch({ ...asked, caller: { number: '+12125550101' } }, told)).not.toBeNull();
  expect(findMismatch({ ...asked, caller: { numberId: 'pn-1' } }, told)).not.toBeNull();
});

test.each([
  ['+491234567', '+490123456'],
  ['+18005550123', '+14105550123'],
  ['+79123456789', '8 (912) 345-67-88'],
  ['+525512345678', '+52 1 55 1234 5679'],
])('a number that is alike is another phone: %s, %s', (phone, told) => {
  expect(findMismatch({ callId: 'c-1', phone }, { id: 'c-1', phone: told })).not.toBeNull();
});

test('a record of another call is told by its id, and an answer to a create by the call that it names', () => {
  expect(findMismatch(asked, { id: 'c-2', phone: asked.phone })).toMatch(/another call, c-2/);
  const created = findMismatch({ callId: null, phone: asked.phone }, { id: 'c-3', phone: '+14155550199' });
  expect(created).toMatch(/another phone, which ends in 0199, c-3/);
});

test('a UUID is the same call in either case, and any other id is not', () => {
  const callId = '5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f';
  expect(findMismatch({ ...asked, callId }, { id: callId.toUpperCase() })).toBeNull();
  expect(findMismatch(asked, { id: 'C-1' })).not.toBeNull();
});
