import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterBusy, afterClean, newPace, type Pace } from '../../../src/rules/limit/pace.ts';
import { seeded } from '../../support/random.ts';
import { work } from './pace-service.ts';

/** The governor's rule: what it does with every answer, and that it finds an unpublished limit. */
const start = 1_700_000_000_000;
const half = () => 0.5;
const refused = (pace: Pace, now: number, sentAt = now - 100, retryAfterMs: number | null = null) =>
  afterBusy(pace, { now, sentAt, retryAfterMs, random: half });
const answered = (pace: Pace, now: number, count = 10, eager = true) =>
  afterClean(pace, { now, sentAt: now - 100, count, eager });

const answer = fc.record({
  afterMs: fc.integer({ min: 0, max: 900_000 }),
  busy: fc.boolean(),
  eager: fc.boolean(),
  count: fc.integer({ min: 1, max: 500 }),
  wayMs: fc.integer({ min: 0, max: 30_000 }),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 3_600_000 })),
  chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

describe('a pace', () => {
  it('stays valid whatever the answers are: a rate between its bounds, a stall that ends, plain JSON', () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 200 }), (answers) => {
        let pace = newPace(start);
        let now = start;
        for (const each of answers) {
          now += each.afterMs;
          const sentAt = now - each.wayMs;
          const { retryAfterMs, count, eager } = each;
          const before = pace;
          if (each.busy) pace = afterBusy(pace, { now, sentAt, retryAfterMs, random: () => each.chance });
          else pace = afterClean(pace, { now, sentAt, count, eager });
          expect(pace.rate).toBeGreaterThanOrEqual(0.01);
          expect(pace.rate).toBeLessThanOrEqual(2_000);
          expect(pace.sure).toBeGreaterThanOrEqual(0);
          expect(pace.sure).toBeLessThanOrEqual(1);
          if (pace.stall) {
            expect(pace.stall.gapMs).toBeGreaterThanOrEqual(0);
            expect(pace.stall.until - now).toBeLessThanOrEqual(6 * 3_600_000 + 20);
          }
          // Only a request that left after the refusal ends its stall.
          if (before.stall && !pace.stall) expect(sentAt).toBeGreaterThan(before.cutAt);
          expect(JSON.parse(JSON.stringify(pace))).toEqual(pace);
        }
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  it('is never changed in place', () => {
    const fresh = Object.freeze(newPace(start));
    const shut = Object.freeze(refused(fresh, start + 5_000));
    answered(shut, start + 9_000);
    answered(fresh, start + 5_000);
    expect(fresh).toEqual(newPace(start));
  });

  it('cuts once for the refusals of one event, however many there are', () => {
    const first = refused(newPace(start, 10), start + 5_000);
    const second = refused(first, start + 5_050, start + 4_990);
    expect(second).toEqual(first);
    expect(first.limit).toBeCloseTo(7);
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
    expect(refused(newPace(start), start + 5_000, start + 4_900, 0).stall!.until).toBeGreaterThan(
      start + 5_099,
    );
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

  it('grows only while the lane is fully used', () => {
    let pace = newPace(start);
    for (let i = 1; i <= 60; i++) pace = answered(pace, start + i * 1_000, 2, false);
    expect(pace.rate).toBe(2);
    for (let i = 61; i <= 71; i++) pace = answered(pace, start + i * 1_000, 2, true);
    expect(pace.rate).toBeGreaterThan(4);
  });

  it('starts below what it learned after an idle night, and returns to it', () => {
    let pace = answered(refused(newPace(start, 10), start + 5_000), start + 6_000);
    const known = pace.limit!;
    const morning = start + 8 * 3_600_000;
    pace = answered(pace, morning, 1);
    expect(pace.rate).toBeLessThan(known * 0.9);
    for (let i = 1; i <= 40; i++) pace = answered(pace, morning + i * 1_000);
    expect(pace.rate).toBeGreaterThan(known * 0.98);
  });
});

describe('a lane that keeps its pace', () => {
  const kinds = ['bucket', 'fixed', 'sliding'] as const;

  it('spaces its requests evenly: no two leave closer than its rate allows', () => {
    for (const kind of kinds) {
      const { sent } = work({ kind, rate: 10, windowMs: 1_000, minutes: 3, random: seeded(1) });
      for (let i = 1; i < sent.length; i++) {
        expect(sent[i]!.at - sent[i - 1]!.at).toBeGreaterThan(1_000 / sent[i]!.rate - 60);
      }
    }
  });

  it('reaches the limit of any kind of service, from below and from above', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.constantFrom(2, 8, 20, 60),
        fc.constantFrom(0.5, 2),
        fc.integer({ min: 1, max: 1_000 }),
        (kind, rate, change, seed) => {
          const run = work({
            kind,
            rate,
            windowMs: 1_000,
            minutes: 12,
            random: seeded(seed),
            scale: (at) => (at < 360_000 ? 1 : change),
          });
          const used = (from: number, to: number) =>
            run.sent.filter((each) => each.ok && each.at >= from && each.at < to).length /
            ((to - from) / 1_000);
          expect(used(180_000, 360_000) / rate).toBeGreaterThan(0.85);
          expect(used(600_000, 720_000) / (rate * change)).toBeGreaterThan(0.85);
        },
      ),
      { numRuns: 15, seed: 5 },
    );
  });

  it('is near a limit within a minute of meeting it first, wherever its steps met it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.integer({ min: 5, max: 50 }),
        fc.integer({ min: 1, max: 1_000 }),
        (kind, rate, seed) => {
          const { sent } = work({ kind, rate, windowMs: 1_000, minutes: 1.5, random: seeded(seed) });
          const accepted = sent.filter((each) => each.ok && each.at >= 20_000 && each.at < 90_000).length;
          expect(accepted / (rate * 70)).toBeGreaterThan(0.88);
          expect(sent.filter((each) => !each.ok).length / sent.length).toBeLessThan(0.04);
        },
      ),
      { numRuns: 60, seed: 9 },
    );
  });

  it('soon finds a limit again that had fallen for a moment', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('bucket', 'sliding'),
        fc.constantFrom(20, 60, 200),
        fc.integer({ min: 10, max: 40 }),
        fc.integer({ min: 1, max: 1_000 }),
        (kind, rate, seconds, seed) => {
          const from = 300_000;
          const back = from + seconds * 1_000;
          const { sent } = work({
            kind,
            rate,
            windowMs: 1_000,
            minutes: 7,
            random: seeded(seed),
            scale: (at) => (at >= from && at < back ? 0.5 : 1),
          });
          const within = sent.filter((each) => each.at >= back && each.at < back + 60_000);
          expect(within.filter((each) => each.ok).length / (rate * 60)).toBeGreaterThan(0.8);
        },
      ),
      { numRuns: 15, seed: 7 },
    );
  });

  it('looks less and less often for a limit that stays low', () => {
    const from = 300_000;
    const { sent } = work({
      kind: 'bucket',
      rate: 60,
      windowMs: 1_000,
      minutes: 12,
      random: seeded(4),
      scale: (at) => (at >= from ? 0.5 : 1),
    });
    const refusals = (minute: number) =>
      sent.filter(
        (each) => !each.ok && each.at >= from + minute * 60_000 && each.at < from + (minute + 1) * 60_000,
      ).length;
    const usual = refusals(-1) + refusals(-2);
    expect(refusals(0)).toBeGreaterThan(refusals(3));
    expect(refusals(5) + refusals(6)).toBeLessThanOrEqual(usual * 2 + 4);
  });

  it('loses nothing when it is stored and read again', () => {
    const options = { kind: 'bucket', rate: 5, windowMs: 1_000, minutes: 4 } as const;
    const kept = work({ ...options, random: seeded(2) });
    const again = work({
      ...options,
      random: seeded(2),
      through: (pace) => JSON.parse(JSON.stringify(pace)),
    });
    expect(again.sent).toEqual(kept.sent);
  });
});
