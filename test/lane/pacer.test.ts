import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { Bucket } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createPacer, type Grant, type PacerDeps } from '../../src/lane/pacer.ts';
import { createShiftedClock, log } from '../dispatch/support.ts';
import { createManualClock } from '../support/clock.ts';
import { createMeter } from '../support/meter.ts';
import { freshDatabase } from '../support/postgres.ts';

const database = await freshDatabase();
const engine = await createEngine({ databaseUrl: database.url, log });
afterAll(async () => {
  await engine.close();
  await database.drop();
});

/** A pacer on its own lane over the real bucket. */
function open(rate: number, burst = 1) {
  const lane = randomUUID();
  const pace = () => ({ rate, burst });
  return { pacer: createPacer({ bucket: engine.bucket, lane, pace, clock: createShiftedClock() }), lane };
}

/** A pacer with a manual clock, and the number of tokens that its bucket granted. */
function openManual(rate: number, options: Partial<PacerDeps> = {}) {
  const clock = createManualClock();
  const meter = createMeter(clock, rate);
  let granted = 0;
  const bucket: Bucket = {
    ...meter,
    async take(...args) {
      const answer = await meter.take(...args);
      granted += answer.delays.length;
      return answer;
    },
  };
  const pacer = createPacer({ bucket, lane: 'x', pace: () => ({ rate, burst: 1 }), clock, ...options });
  return { pacer, clock, granted: () => granted };
}

describe('the pacer', () => {
  it('hands tokens out at the lane’s pace', async () => {
    const { pacer } = open(50);
    const began = performance.now();
    const times = await Promise.all(
      Array.from({ length: 16 }, async () => {
        expect(await pacer.take('create')).toMatchObject({ ok: true });
        return performance.now() - began;
      }),
    );
    // A token’s time counts from before the round trip to the bucket, which is long on a busy machine.
    expect(times.at(-1)!).toBeGreaterThan(15 * 20 - 100);
    expect(pacer.waiting()).toBe(0);
  });

  it('serves polls first, and never leaves creates without their share', async () => {
    const { pacer } = open(200);
    const order: string[] = [];
    const take = async (kind: 'create' | 'poll') => {
      await pacer.take(kind);
      order.push(kind);
    };
    await Promise.all([
      ...Array.from({ length: 20 }, () => take('create')),
      ...Array.from({ length: 20 }, () => take('poll')),
    ]);
    const placeOfLastPoll = order.lastIndexOf('poll');
    expect(placeOfLastPoll).toBeLessThan(28);
    const meanwhile = order.slice(1, placeOfLastPoll).filter((kind) => kind === 'create').length;
    expect(meanwhile).toBeGreaterThanOrEqual(4);
    expect(meanwhile).toBeLessThanOrEqual(6);
  });

  it('gives a question what nobody else wants, and one token in twenty when others always wait', async () => {
    const { pacer, clock } = openManual(20);
    const served = { create: 0, poll: 0, ask: 0 };
    const serve = async (kind: 'create' | 'poll' | 'ask') => {
      for (;;) if ((await pacer.take(kind)).ok) served[kind] += 1;
    };
    void serve('ask');
    await clock.advance(1_000);
    expect(served.ask).toBeGreaterThan(15);
    served.ask = 0;
    for (const kind of ['create', 'poll', 'ask', 'ask'] as const) void serve(kind);
    await clock.advance(20_000);
    expect(served.ask).toBeGreaterThan(15);
    expect(served.ask).toBeLessThan(22);
    expect(served.poll).toBeGreaterThan(200);
  });

  it('gives no token to a question whose asker has left', async () => {
    const { pacer, clock, granted } = openManual(1);
    void pacer.take('poll');
    const left = new AbortController();
    const asks = Array.from({ length: 10 }, () => pacer.take('ask', left.signal));
    left.abort();
    expect(new Set((await Promise.all(asks)).map(({ ok }) => ok))).toEqual(new Set([false]));
    await clock.advance(10_000);
    expect(granted()).toBe(1);
    expect(await pacer.take('ask', left.signal)).toEqual({ ok: false, restMs: 0 });
  });

  it('gives creates the tokens that are left when polls keep a beat, and never none', async () => {
    const { pacer, clock } = openManual(200, { keepsBeat: true });
    const order: string[] = [];
    const take = async (kind: 'create' | 'poll') => {
      await pacer.take(kind);
      order.push(kind);
    };
    const all = Promise.all([
      ...Array.from({ length: 10 }, () => take('create')),
      ...Array.from({ length: 42 }, () => take('poll')),
    ]);
    await clock.advance(2_000);
    await all;
    const meanwhile = order.slice(1, order.lastIndexOf('poll')).filter((kind) => kind === 'create').length;
    expect(meanwhile).toBe(2);
  });

  it('forfeits tokens that a process slept through, and sends no burst', async () => {
    const { pacer, clock, granted } = openManual(20);
    const times: number[] = [];
    const grants = Array.from({ length: 4 }, async () => {
      expect(await pacer.take('create')).toMatchObject({ ok: true });
      times.push(clock.monotonic());
    });
    await clock.advance(60);
    expect(times).toEqual([50]);
    expect(granted()).toBe(4);
    // Requests that were due while the machine slept do not all leave at once.
    await clock.oversleep(60_000);
    await clock.advance(1_000);
    await Promise.all(grants);
    expect(granted()).toBeGreaterThan(4);
    for (let i = 2; i < 4; i++) expect(times[i]! - times[i - 1]!).toBeGreaterThanOrEqual(50);
  });

  it('sends all jobs back when the lane rests for long, and says for how long', async () => {
    const { pacer, lane } = open(50);
    await engine.bucket.rest(lane, 120_000);
    const grants = await Promise.all([pacer.take('create'), pacer.take('poll')]);
    for (const grant of grants) {
      expect(grant.ok).toBe(false);
      expect((grant as Grant & { ok: false }).restMs).toBeGreaterThan(60_000);
    }
    expect(pacer.waiting()).toBe(0);
  });

  it('waits out a short rest', async () => {
    const { pacer, lane } = open(50);
    const began = performance.now();
    await engine.bucket.rest(lane, 150);
    expect(await pacer.take('create')).toMatchObject({ ok: true });
    // Less the round trip, as above.
    expect(performance.now() - began).toBeGreaterThan(100);
  });

  it.each([0.3, 0.6, 1, 1.2, 2])('wastes no token of a lane at %s a second', async (rate) => {
    const { pacer, clock, granted } = openManual(rate);
    const handed = { create: 0, poll: 0, 'hang-up': 0, ask: 0 };
    const work = async (kind: 'create' | 'poll') => {
      for (;;) {
        const grant = await pacer.take(kind);
        if (grant.ok) handed[grant.kind] += 1;
        else await clock.sleep(grant.restMs);
      }
    };
    for (const kind of ['create', 'create', 'create', 'poll', 'poll'] as const) void work(kind);
    await clock.advance(120_000);
    expect(granted()).toBeGreaterThan(0.9 * rate * 120);
    // The last may still be on their way.
    expect(granted() - handed.create - handed.poll).toBeLessThanOrEqual(2);
    expect(handed.poll).toBeGreaterThan(handed.create);
    expect(handed.create).toBeGreaterThan(0.15 * granted());
    pacer.stop();
  });

  it('sends all jobs back at once when it is stopped, and hands out no more tokens', async () => {
    const { pacer, clock } = openManual(4);
    const first = pacer.take('create');
    await clock.advance(300);
    expect((await first).ok).toBe(true);
    const waiting = [pacer.take('create'), pacer.take('poll')];
    // From here on no time passes: a job that waited for a timer would wait for ever.
    pacer.stop();
    for (const grant of await Promise.all(waiting)) expect(grant.ok).toBe(false);
    expect((await pacer.take('create')).ok).toBe(false);
  });

  it('spaces creates by their own pace, and polls get the tokens that these leave', async () => {
    const clock = createManualClock();
    const meters = { all: createMeter(clock, 50), creates: createMeter(clock, 5) };
    const take: Bucket['take'] = (lane, ...rest) =>
      (lane === 'x/creates' ? meters.creates : meters.all).take(lane, ...rest);
    const pacer = createPacer({
      bucket: { ...meters.all, take },
      lane: 'x',
      pace: () => ({ rate: 50, burst: 1 }),
      createPace: () => ({ rate: 5, burst: 1, probing: false, slackMs: 200 }),
      createsLane: 'x/creates',
      clock,
    });
    const times: Record<'create' | 'poll', number[]> = { create: [], poll: [] };
    const takeOne = async (kind: 'create' | 'poll') => {
      if ((await pacer.take(kind)).ok) times[kind].push(clock.monotonic());
    };
    const all = [
      ...Array.from({ length: 6 }, () => takeOne('create')),
      ...Array.from({ length: 40 }, () => takeOne('poll')),
    ];
    await clock.advance(2_000);
    await Promise.all(all);
    expect(times.poll).toHaveLength(40);
    expect(times.poll.at(-1)!).toBeLessThan(1_000);
    expect(times.create).toHaveLength(6);
    for (const [i, at] of times.create.entries()) expect(at).toBeGreaterThanOrEqual((i + 1) * 200);
  });

  it('hands nothing to a create that waited for its own token when it is stopped', async () => {
    const { pacer, clock, granted } = openManual(1, {
      createPace: () => ({ rate: 1, burst: 1, probing: false, slackMs: 200 }),
      createsLane: 'x/creates',
    });
    const waiting = pacer.take('create');
    await clock.advance(10);
    const before = granted();
    pacer.stop();
    expect((await waiting).ok).toBe(false);
    expect(granted()).toBe(before);
  });

  it('sends a create back for as long as its own token needs', async () => {
    const { pacer } = openManual(0.2, {
      createPace: () => ({ rate: 0.2, burst: 1, probing: false, slackMs: 200 }),
      createsLane: 'x/creates',
    });
    const grant = await pacer.take('create');
    expect(grant).toMatchObject({ ok: false });
    expect((grant as Grant & { ok: false }).restMs).toBeGreaterThan(2_000);
  });

  it('takes no token while a crowd waits with its own, but notices that the lane rests', async () => {
    let crowd: Promise<void> | null = new Promise(() => undefined);
    const { pacer, clock, granted } = openManual(20, { secondCap: { crowd: () => crowd } });
    const first = pacer.take('poll');
    await clock.advance(5_000);
    expect(granted()).toBe(0);
    pacer.pause(60_000);
    await clock.advance(1_000);
    expect((await first).ok).toBe(false);
    const gone = pacer.take('poll');
    pacer.stop();
    expect((await gone).ok).toBe(false);
    crowd = null;
    await clock.advance(1_000);
    expect(granted()).toBe(0);
  });

  it('sends all jobs back for a second while the bucket cannot be reached', async () => {
    const gone = await createEngine({ databaseUrl: database.url, log });
    await gone.close();
    const pacer = createPacer({
      bucket: gone.bucket,
      lane: 'x',
      pace: () => ({ rate: 5, burst: 1 }),
      clock: createShiftedClock(),
    });
    expect(await Promise.all([pacer.take('create'), pacer.take('poll')])).toEqual([
      { ok: false, restMs: 1_000 },
      { ok: false, restMs: 1_000 },
    ]);
  });

  it('keeps the pace of a lane together with other processes', async () => {
    const lane = randomUUID();
    const pace = () => ({ rate: 60, burst: 1 });
    const pacers = [1, 2, 3].map(() =>
      createPacer({ bucket: engine.bucket, lane, pace, clock: createShiftedClock() }),
    );
    const began = performance.now();
    await Promise.all(pacers.flatMap((pacer) => Array.from({ length: 8 }, () => pacer.take('poll'))));
    expect(performance.now() - began).toBeGreaterThan((23 / 60) * 1_000 - 40);
  });
});
