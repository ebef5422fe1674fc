import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { createGovernor } from '../../src/lane/governor.ts';
import type { Belief } from '../../src/rules/limit/belief.ts';
import { log } from '../dispatch/support.ts';
import { createManualClock } from '../support/clock.ts';
import { freshDatabase } from '../support/postgres.ts';
import { seeded } from '../support/random.ts';
import { until } from '../support/until.ts';

const database = await freshDatabase();
const engine = await createEngine({ databaseUrl: database.url, log });
afterAll(async () => {
  await engine.close();
  await database.drop();
});

const clock = createManualClock(Date.now());

function open(lane: string, options: Partial<Parameters<typeof createGovernor>[0]> = {}) {
  const { bucket } = engine;
  return createGovernor({ bucket, lane, fixed: null, burst: 3, clock, random: seeded(5), ...options });
}
const kept = async (lane: string) => (await engine.bucket.readState(lane)).value as Belief;

describe('the governor', () => {
  it('cuts the rate once for one 429 that two processes meet', async () => {
    const lane = randomUUID();
    const [a, b] = [open(lane), open(lane)];
    await Promise.all([a.refresh(), b.refresh()]);
    // A third meets one alone on a lane of its own: that is what one costs.
    const other = open(randomUUID());
    await other.refresh();
    await clock.advance(1_000);
    await other.busy(null, 200);
    await Promise.all([a.busy(null, 200), b.busy(null, 200), a.busy(null, 150), b.busy(null, 180)]);
    const { pace } = await kept(lane);
    expect(pace.rate).toBeCloseTo(other.pace().rate, 5);
    await Promise.all([a.refresh(), b.refresh()]);
    expect(a.pace()).toEqual(b.pace());
    expect((await engine.bucket.read(lane))!.rate).toBeCloseTo(pace.rate, 5);
  });

  it('shares what came in among the processes of a key, and forgets it after a minute', async () => {
    const lane = randomUUID();
    const calls = { most: 10, inbound: 2 };
    const [a, b] = [open(lane, { fixed: 10, calls }), open(lane, { fixed: 10, calls })];
    await a.hearInbound(3);
    await b.refresh();
    expect([a.cap(), b.cap()]).toEqual([5, 5]);
    // What is learned of the rate keeps it.
    await b.busy(null, 100);
    expect(b.cap()).toBe(5);
    await clock.advance(61_000);
    expect([a.cap(), b.cap()]).toEqual([8, 8]);
  });

  it('sends only single probes after a second 429, in every process', async () => {
    const lane = randomUUID();
    const [a, b] = [open(lane), open(lane)];
    await a.refresh();
    const { rate } = a.pace();
    for (let i = 0; i < 2; i++) {
      await clock.advance(5_000);
      await a.busy(null, 100);
    }
    await b.refresh();
    expect(a.pace()).toEqual(b.pace());
    expect(a.pace().probing).toBe(true);
    expect(a.pace().rate).toBeLessThan(rate);
    expect((await engine.bucket.read(lane))!.rate).toBeCloseTo(a.pace().rate, 5);
  });

  it('opens the lane again at the first probe that is answered, and probes less often until then', async () => {
    const lane = randomUUID();
    const governor = open(lane);
    await governor.refresh();
    await clock.advance(1_000);
    await governor.busy(null, 100);
    const once = governor.pace().rate;
    await clock.advance(5_000);
    await governor.busy(null, 100);
    expect(governor.pace().rate).toBeLessThan(once);
    await clock.advance(1_000);
    governor.clean(true, 100);
    // The bucket is updated last.
    await until(
      () => engine.bucket.read(lane),
      (reading) => !governor.pace().probing && Math.abs(reading!.rate - governor.pace().rate) < 0.000_01,
    );
    const { pace } = await kept(lane);
    expect(pace.stall).toBeNull();
    expect(pace.rate).toBeCloseTo(governor.pace().rate, 5);
  });

  it('does not open the lane for an answer to a request that left before the refusal', async () => {
    const lane = randomUUID();
    const governor = open(lane);
    await governor.refresh();
    await clock.advance(5_000);
    await governor.busy(null, 100);
    await clock.advance(5_000);
    await governor.busy(null, 100);
    const { version } = await engine.bucket.readState(lane);
    const left = clock.now() - 100;
    await until(
      async () => {
        await clock.advance(1_100);
        governor.clean(true, clock.now() - left);
        return engine.bucket.readState(lane);
      },
      (state) => state.version > version,
    );
    expect(governor.pace().probing).toBe(true);
  });

  it('rests only creates, and learns how many calls are allowed at once, when polls still pass', async () => {
    const lane = randomUUID();
    const governor = open(lane, { fixed: 50, burst: 1, inFlight: async () => 4 });
    await governor.refresh();
    for (let i = 0; i < 30 && governor.cap() === null; i++) {
      const { version } = await engine.bucket.readState(lane);
      await until(
        async () => {
          await clock.advance(20_000);
          governor.clean(true, 50, 'poll');
          return engine.bucket.readState(lane);
        },
        (state) => state.version > version,
      );
      await clock.advance(2_000);
      await governor.busy(null, 50, 'create');
    }
    const most = governor.cap()!;
    expect(most).toBeGreaterThanOrEqual(3);
    expect(most).toBeLessThanOrEqual(4);
    expect(governor.pace().probing).toBe(false);
    expect(governor.pace().rate).toBeCloseTo(50 * 0.985);
    expect((await engine.bucket.read(lane))!.rate).toBeCloseTo(50 * 0.985);
    // The owner's number counts if it is less.
    for (const own of [2, 50]) {
      const owned = open(lane, { fixed: 50, burst: 1, calls: { most: own, inbound: 0 } });
      await owned.refresh();
      expect(owned.cap()).toBe(Math.min(own, most));
    }
    expect(governor.view()).toMatchObject({ cap: most, createRate: null, rate: 50, learned: false });
  });

  it('rests the whole lane for as long as the service asks', async () => {
    const lane = randomUUID();
    const governor = open(lane);
    await governor.refresh();
    const asked = performance.now();
    const rested = await governor.busy(7_000, 100);
    expect(rested).toBeGreaterThanOrEqual(7_000);
    expect(rested).toBeLessThanOrEqual(7_020);
    const { restMs } = (await engine.bucket.read(lane))!;
    expect(restMs).toBeGreaterThanOrEqual(7_000 - (performance.now() - asked) - 5);
    expect(restMs).toBeLessThanOrEqual(7_020);
  });

  it('stays a little below a rate that the owner fixed, and still rests at a 429', async () => {
    const lane = randomUUID();
    const governor = open(lane, { fixed: 10 });
    await governor.refresh();
    expect(governor.limit()).toEqual({ rate: 10, learned: false });
    expect(governor.pace().rate).toBeCloseTo(9.85);
    expect(governor.pace().burst).toBe(3);
    for (let i = 0; i < 2; i++) {
      await clock.advance(1_000);
      expect(await governor.busy(null, 100)).toBeGreaterThan(0);
    }
    expect(governor.pace().probing).toBe(true);
    await clock.advance(1_000);
    governor.clean(false, 100);
    await until(
      () => governor.pace(),
      (pace) => !pace.probing,
    );
    expect(governor.pace().rate).toBeCloseTo(9.85);
  });

  it('begins with the limits that the service has published, and believes its answers more', async () => {
    const lane = randomUUID();
    let inFlight = 4;
    const published = { calls: 5, rate: 8 };
    const governor = open(lane, { burst: 1, published, inFlight: async () => inFlight });
    await governor.refresh();
    expect(governor.view()).toMatchObject({ cap: 5, limit: 8, learned: true });
    expect(governor.pace().rate).toBeLessThanOrEqual(8);
    // This account has room for fewer.
    await clock.advance(1_000);
    await governor.full(100);
    expect(governor.cap()).toBe(4);
    // Later it has room for more, as nothing is refused.
    await until(
      async () => {
        await clock.advance(1_100);
        inFlight = governor.cap()!;
        for (let i = 0; i < 20; i++) governor.clean(true, 50, i < 4 ? 'create' : 'poll');
        return governor.cap()!;
      },
      (cap) => cap > 6,
    );
  });

  it('grows while requests are answered and others wait', async () => {
    const lane = randomUUID();
    const governor = open(lane);
    await governor.refresh();
    const before = governor.pace().rate;
    await until(
      async () => {
        await clock.advance(1_100);
        for (let i = 0; i < 10; i++) governor.clean(true);
        return governor.pace().rate;
      },
      (rate) => rate > before * 3,
    );
    // No request waits: an unused rate says nothing about the limit.
    const learns = async (answers: number) => {
      const { version } = await engine.bucket.readState(lane);
      await until(
        async () => {
          await clock.advance(10_000);
          for (let i = 0; i < answers; i++) governor.clean(false);
          return engine.bucket.readState(lane);
        },
        (state) => state.version > version,
      );
    };
    // Answers that it had heard before are digested first.
    for (let i = 0; i < 3; i++) await learns(50);
    const full = governor.pace().rate;
    for (let i = 0; i < 5; i++) await learns(50);
    expect(governor.pace().rate).toBe(full);
    expect(governor.limit()).toEqual({ rate: full, learned: true });
  });

  it('backs off further each time the service cannot be reached, until it answers', async () => {
    const lane = randomUUID();
    const governor = open(lane, { fixed: 10, burst: 1, random: () => 1 });
    await governor.refresh();
    const rests = [];
    for (let i = 0; i < 8; i++) {
      rests.push(await governor.away(20));
      await clock.advance(rests.at(-1)! + 50);
    }
    expect(rests).toEqual([1_250, 2_250, 4_250, 8_250, 16_250, 30_250, 30_250, 30_250]);
    governor.clean(false);
    expect(await governor.away(20)).toBe(1_250);
    expect(governor.pace().rate).toBeCloseTo(9.85);
  });

  it('counts requests that were in flight together as one absence', async () => {
    const lane = randomUUID();
    const rests: number[] = [];
    const told: unknown[] = [];
    const onRest = (ms: number) => void rests.push(ms);
    const onAway = (ms: number, why?: string) => void told.push([ms, why]);
    const governor = open(lane, { fixed: 10, burst: 1, onRest, onAway, random: () => 1 });
    await governor.refresh();
    expect(await governor.away(5, 'refused')).toBe(1_250);
    await clock.advance(200);
    for (let i = 0; i < 40; i++) expect(await governor.away(300)).toBe(1_050);
    expect(rests).toEqual([1_250]);
    expect(told).toEqual([[1_250, 'refused']]);
    await clock.advance(1_100);
    // Sent before the rest was over and failed later: still the same absence.
    expect(await governor.away(200)).toBe(1);
    await clock.advance(100);
    expect(await governor.away(10)).toBe(2_250);
  });

  it('continues with what it knows while the engine is away', async () => {
    const gone = await createEngine({ databaseUrl: database.url, log });
    const governor = open('x', { bucket: gone.bucket });
    await gone.close();
    governor.clean(true);
    await expect(governor.refresh()).rejects.toThrow();
    expect(governor.pace().rate).toBeGreaterThan(0);
  });

  it('adopts what another process has learned', async () => {
    const lane = randomUUID();
    const first = open(lane);
    await first.refresh();
    await clock.advance(500);
    await first.busy(null, 50);
    const second = open(lane);
    expect(second.pace().rate).not.toBe(first.pace().rate);
    await second.refresh();
    expect(second.pace()).toEqual(first.pace());
  });
});
