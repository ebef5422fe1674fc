import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecondCap } from '../../src/lane/per-second-cap.ts';
import { createManualClock, settle } from '../support/clock.ts';

/** The most requests in any second. */
function fullest(times: readonly number[], windowMs = 1_000): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));
}

/** Sends `count` requests through a cap, each `lateMs` after it was let through; returns when they left. */
async function send(
  limit: number,
  count: number,
  options: { burst?: number; lateMs?: (i: number) => number } = {},
) {
  const clock = createManualClock();
  const gate = createSecondCap(() => limit, clock, options.burst);
  const left: number[] = [];
  const all = Array.from({ length: count }, async (_, i) => {
    const onSent = await gate.pass();
    await clock.sleep(options.lateMs?.(i) ?? 0);
    onSent();
    left.push(clock.monotonic());
  });
  await clock.advance((count / limit) * 4_000 + 30_000);
  await Promise.all(all);
  return left;
}

describe('the cap on each second', () => {
  it('keeps every second within the limit, however bunched the requests are', async () => {
    for (const limit of [1, 5, 20]) {
      const left = await send(limit, limit * 4);
      expect(left).toHaveLength(limit * 4);
      expect(fullest(left)).toBeLessThanOrEqual(limit);
      // And wastes little: four seconds' worth leaves in a little more than three.
      expect(Math.max(...left)).toBeLessThan(3_200);
    }
  });

  it('gives the slot of a request that was let through and never left to the next one, on a slow lane too', async () => {
    const clock = createManualClock();
    const gate = createSecondCap(() => 0.1, clock);
    await gate.pass();
    await clock.advance(1_000);
    let passedAt: number | null = null;
    const next = gate.pass().then((onSent) => {
      passedAt = clock.monotonic();
      onSent();
    });
    await clock.advance(9_000);
    await next;
    expect(passedAt).toBe(2_000);
    // One that left keeps it.
    const last = gate.pass().then(() => clock.monotonic());
    await clock.advance(12_000);
    expect(await last).toBeGreaterThanOrEqual(12_000);
  });

  it('keeps a limit of less than one a second', async () => {
    const left = await send(0.25, 3);
    expect(left[1]! - left[0]!).toBeGreaterThanOrEqual(4_000);
    expect(left[2]! - left[1]!).toBeGreaterThanOrEqual(4_000);
  });

  it('counts requests that are sent late from when they were sent', async () => {
    const left = await send(2, 8, { lateMs: (i) => (i % 2 ? 0 : 700) });
    expect(fullest(left)).toBeLessThanOrEqual(2);
  });

  it('does not spin when a request was sent so late that its second was over', async () => {
    const clock = createManualClock();
    const gate = createSecondCap(() => 1, clock);
    const first = await gate.pass();
    const passing = gate.pass();
    await clock.advance(1_030);
    const second = await passing;
    second();
    await clock.advance(70);
    first();
    // The two left at 1.03 and 1.1 s: the third may not leave before the later one's second is over.
    const third = gate.pass().then(() => clock.monotonic());
    await clock.advance(2_000);
    expect(await third).toBeGreaterThanOrEqual(1_100 + 1_000);
  });

  it('never exceeds the limit in a second when requests are late by less than a second', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 30 }),
        async (limit, late) => {
          const left = await send(limit, late.length, { lateMs: (i) => late[i]! });
          expect(left).toHaveLength(late.length);
          // A request that was let through may leave that much later.
          expect(fullest(left, 1_000)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it('lets through a burst that the owner allows, and no more', async () => {
    const left = await send(2, 12, { burst: 5 });
    expect(left.filter((at) => at < 10)).toHaveLength(6);
    expect(fullest(left)).toBeLessThanOrEqual(6);
  });

  it('lets everything through when the limit is very high', async () => {
    const gate = createSecondCap(() => 5_000, createManualClock());
    const passes = await Promise.all(Array.from({ length: 10_000 }, () => gate.pass()));
    for (const onSent of passes) onSent();
  });

  it('reports a crowd until at most one is left', async () => {
    const clock = createManualClock();
    const gate = createSecondCap(() => 2, clock);
    expect(gate.crowd()).toBeNull();
    const all = Array.from({ length: 6 }, async () => (await gate.pass())());
    const crowd = gate.crowd();
    expect(crowd).not.toBeNull();
    let over = false;
    void crowd!.then(() => {
      over = true;
    });
    await clock.advance(1_100);
    expect(over).toBe(false);
    await clock.advance(1_100);
    expect(over).toBe(true);
    expect(gate.crowd()).toBeNull();
    await clock.advance(10_000);
    await Promise.all(all);
  });

  it('follows a limit that was learned meanwhile', async () => {
    const clock = createManualClock();
    let limit = 10;
    const gate = createSecondCap(() => limit, clock);
    for (let i = 0; i < 10; i++) (await gate.pass())();
    limit = 2;
    const left: number[] = [];
    const all = Array.from({ length: 4 }, async () => {
      (await gate.pass())();
      left.push(clock.monotonic());
    });
    await settle();
    expect(left).toEqual([]);
    await clock.advance(10_000);
    await Promise.all(all);
    expect(left[0]).toBeGreaterThanOrEqual(1_000);
    expect(fullest(left)).toBeLessThanOrEqual(2);
  });
});
