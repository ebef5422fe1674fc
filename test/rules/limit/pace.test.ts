import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hearBusy, hearClean, isBelief, newBelief } from '../../../src/rules/limit/belief.ts';
import { afterBusy, afterClean, paceRate } from '../../../src/rules/limit/pace.ts';
import { newPace, type Pace, sureOf } from '../../../src/rules/limit/pace-state.ts';
import { changing, limitOf, median, visit } from './worlds.ts';

/** The governor's rule: what it does with every answer, and that it finds an unpublished limit. */
const start = 1_700_000_000_000;
const half = () => 0.5;
const refused = (pace: Pace, now: number, sentAt = now - 100, retryAfterMs: number | null = null) =>
  afterBusy(pace, { now, sentAt, retryAfterMs, random: half });
const answered = (pace: Pace, now: number, count = 10, eager = true) =>
  afterClean(pace, { now, sentAt: now - 100, count, eager });

const kinds = ['bucket', 'fixed', 'sliding', 'leaky'] as const;
const seeds = [1, 2, 3, 4, 5];

describe('a pace', () => {
  const answer = fc.record({
    afterMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 900_000 })),
    busy: fc.boolean(),
    create: fc.boolean(),
    eager: fc.boolean(),
    count: fc.integer({ min: 1, max: 500 }),
    inFlight: fc.integer({ min: 0, max: 50 }),
    wayMs: fc.integer({ min: 0, max: 30_000 }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 100 * 3_600_000 })),
    chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  it('stays valid whatever the answers are: a rate between its bounds, a stall that ends, plain JSON', () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 150 }), (answers) => {
        let belief = newBelief(start);
        let now = start;
        for (const { afterMs, wayMs, busy, create, count, chance, ...each } of answers) {
          now += afterMs;
          const sentAt = now - wayMs;
          const before = freeze(belief);
          if (busy) {
            const kind = create ? 'create' : 'poll';
            belief = hearBusy(belief, { ...each, now, sentAt, kind, random: () => chance }).belief;
          } else {
            belief = hearClean(belief, { ...each, now, sentAt, count, creates: create ? count : 0 });
          }
          for (const pace of [belief.pace, belief.creates.pace]) if (pace) expectValid(pace, now);
          // Only a request that left after the refusal ends the stall; or the creates turn out to be its cause.
          const { stall, cutAt } = before.pace;
          if (stall && !belief.pace.stall && !busy) expect(sentAt).toBeGreaterThan(cutAt);
          expect(isBelief(belief)).toBe(true);
          expect(JSON.parse(JSON.stringify(belief))).toStrictEqual(belief);
        }
      }),
      { numRuns: 600, seed: 11 },
    );
  });

  it('cuts once for the refusals of one event, however many there are', () => {
    const first = refused(newPace(start, 10), start + 5_000);
    let crowd = first;
    for (let i = 1; i <= 30; i++) crowd = refused(crowd, start + 5_000 + i * 5, start + 4_800 + i);
    expect(first.rate).toBeLessThan(10);
    expect(crowd.rate).toBe(first.rate);
    expect(paceRate(crowd)).toBe(paceRate(first));
  });

  it('rests at least as long as the service says, and ignores "at once"', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_600_000 }), (askedMs) => {
        const { stall } = refused(newPace(start), start + 5_000, start + 4_900, askedMs);
        expect(stall!.until - start - 5_000).toBeGreaterThanOrEqual(askedMs);
        expect(stall!.until - start - 5_000).toBeLessThanOrEqual(askedMs + 20);
      }),
      { seed: 3 },
    );
    const told = refused(newPace(start), start + 5_000, start + 4_900, 0);
    expect(told).toEqual(refused(newPace(start), start + 5_000, start + 4_900, null));
    expect(told.stall!.until).toBeGreaterThan(start + 5_099);
  });

  it('probes less and less often while it is refused, but never stops for long', () => {
    let pace = refused(newPace(start), start + 5_000);
    let last = 0;
    for (let i = 0; i < 40; i++) {
      expect(pace.stall!.gapMs).toBeGreaterThanOrEqual(last);
      last = pace.stall!.gapMs;
      pace = refused(pace, pace.stall!.until + 100, pace.stall!.until);
    }
    expect(last).toBeLessThanOrEqual(120_000);
  });

  it('asks a day’s quota twelve times an hour, at the times at which days end, and returns to its limit', () => {
    const { belief } = visit({ limits: [limitOf('bucket', 20)], minutes: 5 });
    const closedAt = Math.ceil(belief.pace.heardAt / 1_000) * 1_000;
    let pace = refused(belief.pace, closedAt);
    let probes = 0;
    while (pace.stall!.until < closedAt + 20 * 3_600_000) {
      const at = pace.stall!.until;
      const hours = (at - closedAt) / 3_600_000;
      if (hours > 2) probes += 1;
      // Until it is clear that no window is meant, it waits no longer than before.
      expect(at - pace.stall!.sentAt).toBeLessThanOrEqual(hours < 1 ? 125_000 : 301_000);
      // Midnight is at a quarter of an hour everywhere.
      const over = at % 300_000;
      if (hours > 2) expect(Math.min(over, (at - pace.openAt) % 86_400_000)).toBeLessThan(1_000);
      pace = refused(pace, at + 100, at);
    }
    expect(probes / 18).toBeLessThan(13);
    const opened = answered({ ...pace }, pace.stall!.until + 100, 1);
    expect(opened.stall).toBeNull();
    expect(opened.rate / belief.pace.limit!).toBeGreaterThan(0.8);
  });

  it('grows only while the lane is fully used', () => {
    let pace = newPace(start);
    for (let i = 1; i <= 60; i++) pace = answered(pace, start + i * 1_000, 2, false);
    expect(pace.rate).toBe(2);
    for (let i = 61; i <= 71; i++) pace = answered(pace, start + i * 1_000, 2, true);
    expect(pace.rate).toBeGreaterThan(4);
  });

  it('starts below what it learned after an idle night, and returns to it', () => {
    let { pace } = visit({ limits: [limitOf('bucket', 20)], minutes: 5 }).belief;
    const known = pace.limit!;
    const morning = pace.heardAt + 8 * 3_600_000;
    pace = answered(pace, morning, 1);
    expect(pace.rate).toBeLessThan(known * 0.9);
    expect(pace.rate).toBeGreaterThan(known * 0.5);
    for (let i = 1; i <= 40; i++) pace = answered(pace, morning + i * 1_000, Math.round(pace.rate));
    expect(pace.rate).toBeGreaterThan(known * 0.95);
  });

  it('is not taken from another version, nor from anything that is not a belief', () => {
    expect(isBelief(JSON.parse(JSON.stringify(newBelief(start))))).toBe(true);
    const { pace, creates } = newBelief(start);
    const { seconds: _, ...older } = pace;
    const others = [
      null,
      undefined,
      7,
      'belief',
      [],
      {},
      { pace },
      { creates },
      { pace: older, creates, before: null },
      { pace: { ...pace, rate: null }, creates, before: null },
      // A belief as the governor kept it before it knew limits of creates only.
      { pace: { rate: 2, sure: 0, limit: null, stall: null }, cap: { most: null, tryAt: 0 }, before: null },
    ];
    for (const other of others) expect(isBelief(other)).toBe(false);
  });

  function expectValid(pace: Pace, now: number) {
    for (const rate of [pace.rate, pace.limit ?? 1]) {
      expect(rate).toBeGreaterThanOrEqual(0.01);
      expect(rate).toBeLessThanOrEqual(2_000);
    }
    expect(paceRate(pace)).toBeGreaterThan(0);
    expect(paceRate(pace)).toBeLessThanOrEqual(2_000);
    expect(sureOf(pace)).toBeGreaterThanOrEqual(0);
    expect(sureOf(pace)).toBeLessThanOrEqual(1);
    if (!pace.stall) return;
    expect(pace.stall.gapMs).toBeGreaterThanOrEqual(0);
    expect(pace.stall.until - now).toBeLessThanOrEqual(6 * 3_600_000 + 20);
  }
});

describe('a lane at an unpublished limit', () => {
  it.each(kinds)('uses nearly all of a %s that stands still, and is seldom refused', (kind) => {
    for (const rate of [0.5, 2, 20, 60]) {
      const limits = [limitOf(kind, rate, rate < 1 ? 2 : 1)];
      for (const seed of seeds) {
        const stay = visit({ limits, seed, minutes: 10, processes: seed % 2 ? 1 : 4 });
        expect(stay.used(120, 600)).toBeGreaterThan(0.9);
        expect(stay.refused(120, 600)).toBeLessThan(0.03);
        expect(stay.belief.pace.limit! / rate).toBeGreaterThan(0.85);
        expect(stay.belief.pace.limit! / rate).toBeLessThan(1.6);
      }
    }
  });

  it('is near it within twenty seconds of its first request', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.integer({ min: 5, max: 50 }),
        fc.integer({ min: 1, max: 1_000 }),
        (kind, rate, seed) => {
          const stay = visit({ limits: [limitOf(kind, rate)], seed, minutes: 2 });
          expect(stay.used(20, 80)).toBeGreaterThan(0.8);
          expect(stay.refused(0, 120)).toBeLessThan(0.06);
        },
      ),
      { numRuns: 40, seed: 9 },
    );
  });

  it.each([
    [30, 10, 45],
    [12, 4, 18],
  ])('follows it from %s down to %s and up to %s a second', (rate, low, high) => {
    for (const kind of kinds) {
      for (const processes of [1, 4]) {
        const limits = [limitOf(kind, rate)];
        const change = changing(75, [1, low / rate, high / rate]);
        const stays = seeds.map((seed) => visit({ ...change, limits, seed, processes, minutes: 5 }));
        const middle = (read: (stay: (typeof stays)[number]) => number) => median(stays.map(read));
        expect(middle((stay) => stay.used(75, 150))).toBeGreaterThan(0.8);
        expect(middle((stay) => stay.refused(75, 150))).toBeLessThan(0.08);
        expect(middle((stay) => stay.used(150, 225))).toBeGreaterThan(0.65);
        expect(middle((stay) => stay.refused(150, 225))).toBeLessThan(0.05);
        expect(middle((stay) => stay.used(225, 300))).toBeGreaterThan(0.88);
      }
    }
  });

  it('soon finds a limit again that had fallen for a moment', () => {
    for (const kind of kinds) {
      const at = (seconds: number) => (seconds >= 300_000 && seconds < 330_000 ? 0.5 : 1);
      const stays = seeds.map((seed) =>
        visit({ limits: [limitOf(kind, 20)], seed, minutes: 8, changes: [300_000, 330_000], scale: at }),
      );
      expect(median(stays.map((stay) => stay.used(330, 390)))).toBeGreaterThan(0.75);
    }
  });

  it('keeps to a window of a minute, and knows its length', () => {
    for (const rate of [1, 10, 60]) {
      const stays = seeds.map((seed) => visit({ limits: [limitOf('fixed', rate, 60)], seed, minutes: 25 }));
      for (const stay of stays) {
        expect(stay.used(600, 1_500)).toBeGreaterThan(0.9);
        expect(stay.refused(600, 1_500)).toBeLessThan(0.02);
        expect(stay.belief.pace.window?.ms).toBe(60_000);
      }
      const share = median(stays.map((stay) => stay.belief.pace.limit! / rate));
      expect(Math.abs(share - 1)).toBeLessThan(0.1);
    }
  });

  it('sees that a short window holds more, although it hears of it only when the window is over', () => {
    for (const seconds of [5, 10]) {
      const change = changing(300, [1, 4]);
      const limits = [limitOf('fixed', 40, seconds)];
      const stays = seeds.slice(0, 3).map((seed) => visit({ ...change, limits, seed, minutes: 8 }));
      expect(median(stays.map((stay) => stay.used(360, 480)))).toBeGreaterThan(0.9);
      expect(median(stays.map((stay) => stay.refused(0, 480)))).toBeLessThan(0.03);
    }
  });

  it('keeps to a window of a minute that begins at any time', () => {
    for (const rate of [1, 10, 60]) {
      const limits = [limitOf('fixed', rate, 60, false)];
      const stays = seeds.map((seed) => visit({ limits, seed, minutes: 25 }));
      expect(median(stays.map((stay) => stay.used(600, 1_500)))).toBeGreaterThan(0.9);
      expect(median(stays.map((stay) => stay.refused(600, 1_500)))).toBeLessThan(0.02);
    }
  });

  it.each(['none', 'seconds', 'date', 'zero'] as const)('uses it when Retry-After is %s', (retryAfter) => {
    for (const limit of [limitOf('bucket', 20), limitOf('sliding', 4), limitOf('fixed', 10, 60)]) {
      for (const seed of seeds) {
        const stay = visit({ limits: [limit], retryAfter, seed, minutes: 15 });
        expect(stay.used(300, 900)).toBeGreaterThan(0.9);
        expect(stay.refused(300, 900)).toBeLessThan(0.03);
      }
    }
  });

  it('loses nothing when what it learned is stored and read again, and changes nothing in place', () => {
    // It depends only on its arguments: a belief that is equal after the store continues in the same way.
    const check = (belief: object) =>
      expect(JSON.parse(JSON.stringify(freeze(belief)))).toStrictEqual(belief);
    const limits = [limitOf('fixed', 10, 60)];
    visit({ limits, minutes: 10, ...changing(200, [1, 0.3, 1.5]) }, check);
    visit({ limits: [limitOf('bucket', 5)], minutes: 6, maxCalls: 20 }, check);
    visit(
      { limits: [limitOf('bucket', 20), { ...limitOf('bucket', 4), scope: 'create' }], minutes: 6 },
      check,
    );
  });
});

/** A change in place would throw. */
function freeze<T extends object>(value: T): T {
  for (const each of Object.values(value)) {
    if (each !== null && typeof each === 'object' && !Object.isFrozen(each)) freeze(each);
  }
  return Object.freeze(value);
}
