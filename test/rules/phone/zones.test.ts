import { expect, test } from 'vitest';
import { zonePrefixes } from '../../../src/rules/phone/zone-prefixes.ts';
import { zonesOf } from '../../../src/rules/phone/zones.ts';
import { isZone } from '../../../src/rules/time/zone-clock.ts';

test.each([
  ['+14155550123', 'America/Los_Angeles'],
  ['+12125550123', 'America/New_York'],
  ['+18085550123', 'Pacific/Honolulu'],
  ['+442079460958', 'Europe/London'],
  ['+4930123456', 'Europe/Berlin'],
  ['+919876543210', 'Asia/Kolkata'],
  ['+541123456789', 'America/Argentina/Buenos_Aires'],
])('%s is in %s', (phone, zone) => {
  expect(zonesOf(phone)).toEqual([zone]);
});

test('a number whose area is not known is in every zone of its plan', () => {
  const zones = zonesOf('+15550001234');
  expect(zones).toContain('America/New_York');
  expect(zones).toContain('Pacific/Guam');
  expect(zones).toEqual([...zones].sort());
  expect(zonesOf('+15559991234')).toBe(zones);
});

test('a number that belongs to no place has no zone', () => {
  expect(zonesOf('+80012345678')).toEqual([]);
  expect(zonesOf('+')).toEqual([]);
});

test('the platform knows every zone of the table', () => {
  const names = zonePrefixes.split(/[\s&]+/).filter((word) => /^[A-Z]/.test(word));
  expect(names.length).toBeGreaterThan(250);
  expect(names.filter((name) => !isZone(name))).toEqual([]);
});
