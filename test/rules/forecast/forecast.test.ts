import { describe, expect, it } from 'vitest';
import { type ForecastInput, forecast } from '../../../src/rules/forecast/forecast.ts';
import { oddsOf, type SeenCalls } from '../../../src/rules/forecast/odds.ts';

const now = Date.parse('2026-03-02T12:00:00Z');
const minutes = (at: number | undefined) => (at! - now) / 60_000;
const always = { opens: (_place: string, at: number) => at, closes: () => null };
const hour = 3_600_000;

/** A thousand calls of half a minute that are all answered, at ten requests a second of which half are creates. */
const seen = (more: Partial<SeenCalls> = {}): SeenCalls => ({
  attempt: 1,
  outcome: 'answered',
  calls: 1_000,
  cost: 100,
  costed: 1_000,
  busy: 30_000,
  followed: 1_000,
  ...more,
});
const base: ForecastInput = {
  now,
  people: [{ place: '', due: null, attempts: 0, held: false, n: 3_000 }],
  planned: 0,
  calling: 0,
  hours: always,
  order: { maxAttempts: 1, retry: {}, spread: false, maxCalls: null },
  gapMs: 0,
  keys: [{ rate: 10, sure: 1, maxCalls: null }],
  pollsPerCall: 1,
  odds: oddsOf([seen()], 1, null),
};
const people = (n: number) => [{ ...base.people[0]!, n }];

describe('a forecast', () => {
  it('takes the calls at the rate of the keys, and adds what they cost', () => {
    const told = forecast(base);
    expect(told).toMatchObject({ calls: 3_000, limitedBy: 'rate' });
    expect(minutes(told.endsAt?.p50)).toBeGreaterThan(10);
    expect(minutes(told.endsAt?.p50)).toBeLessThan(13);
    expect(told.cost).toBeCloseTo(300, 0);
    expect(forecast({ ...base, odds: oddsOf([seen({ costed: 0 })], 1, null) }).cost).toBeNull();
  });

  it('is the same for the same situation', () => {
    expect(forecast(base)).toEqual(forecast(base));
  });

  it('takes longer with few calls at once, and says so', () => {
    const told = forecast({ ...base, order: { ...base.order, maxCalls: 30 } });
    expect(told.limitedBy).toBe('calls');
    // 3,000 calls of half a minute, 30 at once.
    expect(minutes(told.endsAt?.p50)).toBeGreaterThan(45);
    expect(minutes(told.endsAt?.p50)).toBeLessThan(60);
  });

  it('sees soon that a simulated service runs faster than time, and is not misled by calls that fail at once', () => {
    const few = (outcome: string, busy: number) => seen({ outcome, calls: 3, costed: 3, busy, followed: 3 });
    const ends = (...calls: SeenCalls[]) => {
      const odds = oddsOf(calls, 1, null);
      return minutes(forecast({ ...base, order: { ...base.order, maxCalls: 10 }, odds }).endsAt?.p50);
    };
    // 3,000 calls of about 40 seconds, ten at once, take hours.
    expect(ends()).toBeGreaterThan(150);
    expect(ends(few('answered', 4), few('no-answer', 1.5))).toBeLessThan(25);
    expect(ends(few('failed', 0.3), few('no-answer', 90))).toBeGreaterThan(150);
    expect(ends(few('failed', 0.3))).toBeGreaterThan(100);
  });

  it('believes a simulator that tells its speed, before any call', () => {
    const odds = oddsOf([], 1, null, 0, 60);
    expect(
      minutes(forecast({ ...base, order: { ...base.order, maxCalls: 10 }, odds }).endsAt?.p50),
    ).toBeLessThan(15);
  });

  it('tells how many are not called before their hours end for good', () => {
    const to = now + hour / 12;
    const hours = {
      opens: (_place: string, at: number) => (at < to ? at : null),
      closes: (_place: string, at: number) => (at < to ? to : null),
    };
    const { calls, uncalled } = forecast({ ...base, hours });
    // Five calls a second, for five minutes.
    expect(calls).toBeGreaterThan(1_300);
    expect(calls).toBeLessThan(1_600);
    expect(Math.abs(calls + uncalled! - 3_000)).toBeLessThanOrEqual(1);
    expect(forecast(base).uncalled).toBe(0);
  });

  it('waits until the hours begin', () => {
    const from = now + 20 * hour;
    const hours = {
      opens: (place: string, at: number) => (place === 'later' ? Math.max(at, from) : at),
      closes: () => null,
    };
    const told = forecast({
      ...base,
      hours,
      people: [...people(10), { place: 'later', due: null, attempts: 0, held: false, n: 10 }],
    });
    expect(told).toMatchObject({ calls: 20, limitedBy: 'window', nextCall: { at: now, place: '' } });
    expect(told.endsAt!.p10).toBeGreaterThan(from);
    expect(told.endsAt!.p90).toBeLessThan(from + hour / 4);
  });

  it('leaves out people for whom the hours never come', () => {
    const hours = {
      opens: (place: string, at: number) => (place === 'never' ? null : at),
      closes: () => null,
    };
    const never = { place: 'never', due: null, attempts: 0, held: false, n: 50 };
    expect(forecast({ ...base, hours, people: [...people(10), never] }).calls).toBe(10);
    expect(forecast({ ...base, hours, people: [never], keys: [] }).nextCall).toBeNull();
  });

  it('tells the next call: when the first person is due and their hours are open, and where they are', () => {
    const hours = {
      opens: (place: string, at: number) =>
        place === 'west' ? Math.max(at, now + 3 * hour) : now + 5 * hour,
      closes: () => null,
    };
    const of = (place: string, due: number | null) => ({ place, due, attempts: 0, held: false, n: 1 });
    const told = (...some: ReturnType<typeof of>[]) =>
      forecast({ ...base, hours, people: some, keys: [] }).nextCall;
    expect(told(of('east', null), of('west', now))).toEqual({ at: now + 3 * hour, place: 'west' });
    expect(told(of('east', null), of('west', now + 6 * hour))).toMatchObject({ place: 'east' });
  });

  it('counts the retries that the order makes', () => {
    const odds = oddsOf([seen(), seen({ outcome: 'busy', busy: 5_000 })], 3, null);
    const order = { ...base.order, maxAttempts: 3, retry: { busy: [3_600] } };
    const told = forecast({ ...base, odds, order });
    // Half of them are busy each time.
    expect(told.calls).toBeGreaterThan(4_500);
    expect(told.calls).toBeLessThan(5_700);
    expect(minutes(told.endsAt?.p50)).toBeGreaterThan(120);
    expect(minutes(forecast({ ...base, odds, order, gapMs: 5 * hour }).endsAt?.p50)).toBeGreaterThan(600);
  });

  it('takes the days that the caller numbers need, and says so', () => {
    const numbers = { most: 10, numbers: 2, used: [] };
    const hours = (at: number | undefined) => minutes(at) / 60;
    // A hundred people, twenty a day: the last are called on the fifth day.
    const told = forecast({ ...base, people: people(100), numbers });
    expect(told).toMatchObject({ calls: 100, limitedBy: 'number' });
    expect(hours(told.endsAt?.p10)).toBeGreaterThan(96);
    expect(hours(told.endsAt?.p90)).toBeLessThan(97);
    // Fifteen calls of twenty hours ago count for four more.
    const used = [{ at: now - 20 * hour, n: 15 }];
    const later = forecast({ ...base, people: people(20), numbers: { ...numbers, used } });
    expect(hours(later.endsAt?.p50)).toBeGreaterThan(4);
    expect(hours(later.endsAt?.p50)).toBeLessThan(5);
    // Enough for everyone, they hold nobody.
    const enough = { ...numbers, most: 2_000 };
    expect(forecast({ ...base, numbers: enough })).toEqual(forecast(base));
  });

  it('keeps to the hours too, where the caller numbers need days', () => {
    const day = 24 * hour;
    const opens = (_place: string, at: number) =>
      at % day < 13 * hour ? at : at - (at % day) + day + 9 * hour;
    const hours = { opens, closes: (_place: string, at: number) => at - (at % day) + 13 * hour };
    const told = forecast({
      ...base,
      hours,
      people: people(50),
      numbers: { most: 20, numbers: 1, used: [] },
    });
    const end = new Date(told.endsAt!.p50);
    expect([told.limitedBy, end.getUTCDate(), end.getUTCHours()]).toEqual(['number', 4, 12]);
  });

  it('is limited by the contact rules while only they hold people', () => {
    const held = { place: '', due: now + 9 * hour, attempts: 0, held: true, n: 40 };
    const told = forecast({ ...base, people: [held] });
    expect(told).toMatchObject({ calls: 40, limitedBy: 'policy' });
    // Others who wait do not hide it, unless they are more.
    const retried = (n: number) => ({ ...held, due: now + 10 * hour, held: false, n });
    expect(forecast({ ...base, people: [held, retried(5)] }).limitedBy).toBe('policy');
    expect(forecast({ ...base, people: [held, retried(400)] }).limitedBy).not.toBe('policy');
    // Nobody is held yet, but everyone will be: the gap is longer than the retry.
    const busy = oddsOf([seen({ outcome: 'busy' })], 3, null);
    const order = { ...base.order, maxAttempts: 3, retry: { busy: [600] } };
    const gap = { ...base, people: people(10), odds: busy, order };
    expect(forecast({ ...gap, gapMs: 4 * hour }).limitedBy).toBe('policy');
    expect(forecast(gap).limitedBy).toBe('window');
    expect(told.endsAt!.p10).toBeGreaterThan(now + 9 * hour);
  });

  it('tells nothing without a key that creates calls', () => {
    expect(forecast({ ...base, keys: [] })).toMatchObject({ endsAt: null, calls: 3_000, limitedBy: null });
  });

  it('says that nothing is left when nobody waits', () => {
    expect(forecast({ ...base, people: [] })).toMatchObject({ calls: 0, endsAt: { p10: now, p90: now } });
  });

  it('is less sure where less is known', () => {
    const spread = ({ endsAt }: ReturnType<typeof forecast>) => (endsAt!.p90 - now) / (endsAt!.p10 - now);
    const unknown = forecast({ ...base, keys: [{ rate: 10, sure: null, maxCalls: null }] });
    const learned = forecast({ ...base, keys: [{ rate: 10, sure: 0.6, maxCalls: null }] });
    expect(spread(unknown)).toBeGreaterThan(spread(learned));
    expect(spread(learned)).toBeGreaterThan(spread(forecast(base)));
  });
});

it('outcomes that were seldom seen stay near what is usual', () => {
  const cold = oddsOf([], 1, null).all;
  const warm = oddsOf([seen()], 1, null).all;
  const share = (weights: number[]) => weights[0]! / weights.reduce((a, b) => a + b, 0);
  expect(share(cold)).toBeGreaterThan(0.2);
  expect(share(cold)).toBeLessThan(0.4);
  expect(share(warm)).toBeGreaterThan(0.95);
  expect(share(oddsOf([seen({ calls: 2 })], 1, null).all)).toBeLessThan(0.6);
});
