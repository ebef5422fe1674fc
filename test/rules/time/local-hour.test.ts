import { expect, it } from 'vitest';
import { localHourOf } from '../../../src/rules/time/zone-clock.ts';

const at = (text: string) => new Date(text).getTime();

it('the hour of the week is that of the person’s clock, from Monday at midnight', () => {
  expect(localHourOf('UTC', at('2026-03-02T00:30:00Z'))).toBe(0);
  expect(localHourOf('UTC', at('2026-03-01T23:59:59Z'))).toBe(167);
  expect(localHourOf('America/Chicago', at('2026-03-02T15:00:00Z'))).toBe(9);
  expect(localHourOf('America/Chicago;US-TX', at('2026-03-02T15:00:00Z'))).toBe(9);
  // Summer time began in between.
  expect(localHourOf('America/Chicago', at('2026-03-09T15:00:00Z'))).toBe(10);
});

it('of several time zones the middle clock counts', () => {
  const zones = 'America/Chicago,America/Los_Angeles,America/New_York';
  expect(localHourOf(zones, at('2026-03-02T15:00:00Z'))).toBe(9);
});

it('a number that belongs to no place has none', () => {
  expect(localHourOf('', at('2026-03-02T15:00:00Z'))).toBeNull();
});
