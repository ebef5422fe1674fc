import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGovernor } from '../../src/lane/governor.ts';
import { showView } from '../../src/lane/limit-view.ts';
import { createPacer } from '../../src/lane/pacer.ts';
import { createSharedBudget } from '../../src/lane/shared-budget.ts';
import { runAt } from '../../src/rules/limit/pace-curve.ts';
import { newPace } from '../../src/rules/limit/pace-state.ts';
import { createManualClock } from '../support/clock.ts';
import { bothEngines, type Ground } from '../support/engines.ts';
import { createMeter } from '../support/meter.ts';
import { seeded } from '../support/random.ts';
import { until } from '../support/until.ts';

/** Lanes that share one limit: one budget, one belief, in every process; on both engines. */
const now = 1_700_000_000_000;

const both = bothEngines('lanes that share a limit');

describe.each(both)('lanes that share a limit (%s)', (_name, openGround) => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround();
  });
  afterAll(() => ground.close());

  /** Two processes, each with the same two keys of an account and a third that has a limit of its own. */
  async function openCrew(fixed: number | null = null) {
    const { bucket } = ground.engine;
    const service = randomUUID();
    const name = `account/${service}/a+b`;
    // The belief that a process that has ended learned before.
    await bucket.writeState(name, 0, { pace: runAt(newPace(now), 40, now) });
    const clock = createManualClock(now + 1_000);
    const rests: string[] = [];
    const openProcess = async (process: string) => {
      const budget = createSharedBudget({ bucket, name, keys: ['a', 'b'], clock });
      const openLane = (key: string) =>
        createGovernor({
          bucket,
          lane: `${key}.${service}`,
          fixed,
          burst: 1,
          onRest: (_ms, kind) => void rests.push(`${process} ${key}${kind ? ` ${kind}` : ''}`),
          seat: key === 'c' ? undefined : budget.seat(key),
          clock,
          random: seeded(5),
        });
      const lanes = { a: openLane('a'), b: openLane('b'), c: openLane('c') };
      await Promise.all(Object.values(lanes).map((lane) => lane.refresh()));
      return lanes;
    };
    return {
      bucket,
      name,
      service,
      clock,
      rests,
      one: await openProcess('one'),
      two: await openProcess('two'),
    };
  }

  it('take their tokens from one bucket, at the pace of one belief; others keep their own', async () => {
    const { bucket, name, service, one, two } = await openCrew();
    for (const lane of [one.a, one.b, two.a, two.b]) expect(lane.tokens()).toBe(name);
    expect(one.c.tokens()).toBe(`c.${service}`);
    expect(one.a.pace()).toEqual(two.b.pace());
    expect(one.a.pace().rate).toBeCloseTo(40 * 0.98, 0);
    expect(one.c.pace().rate).toBe(2);
    expect((await bucket.read(name))!.rate).toBeCloseTo(one.a.pace().rate, 5);
  });

  it('are cut once for a refusal of one of them, and rest together', async () => {
    const { bucket, name, clock, rests, one, two } = await openCrew();
    const before = one.b.pace().rate;
    await clock.advance(2_000);
    await Promise.all([one.a.busy(60_000, 200), one.b.busy(60_000, 150), two.a.busy(60_000, 180)]);
    const once = one.b.pace().rate;
    expect(once).toBeLessThan(before);
    expect(once).toBeGreaterThan(before * 0.5);
    await Promise.all([two.a.refresh(), two.b.refresh()]);
    expect(two.b.pace()).toEqual(one.a.pace());
    expect((await bucket.read(name))!.restMs).toBeGreaterThan(0);
    expect(new Set(rests)).toEqual(new Set(['one a', 'one b', 'two a', 'two b']));
    expect(one.c.pace().rate).toBe(2);
  });

  it('learn together from what either had accepted', async () => {
    const { bucket, name, clock, one, two } = await openCrew();
    const before = one.a.pace().rate;
    for (let i = 0; i < 12; i++) {
      const { version } = await bucket.readState(name);
      await until(
        async () => {
          await clock.advance(1_100);
          for (let j = 0; j < 20; j++) for (const lane of [one.a, one.b]) lane.clean(true, 50);
          return bucket.readState(name);
        },
        (state) => state.version > version,
      );
    }
    expect(one.b.pace().rate).toBeGreaterThan(before);
    // The others may not have read yet what the last round taught.
    await until(
      async () => {
        await Promise.all([one.b.refresh(), two.a.refresh()]);
        return Math.abs(two.a.pace().rate - one.b.pace().rate);
      },
      (apart) => apart < 1e-5,
    );
  });

  it('are shown with the limit of all and the keys that share it', async () => {
    const { one } = await openCrew();
    expect(showView(one.a.view())).toMatchObject({ limit: 40, account: ['b'] });
    expect(showView(one.c.view())).toMatchObject({ limit: null, account: null });
    // Nobody has asked yet: the first who asks may use all of it.
    expect(one.a.limit().rate).toBeCloseTo(one.a.pace().rate);
  });

  it('share a rate that the owner fixed', async () => {
    const { bucket, name, one, two } = await openCrew(20);
    for (const lane of [one.a, one.b, two.a, two.b]) {
      expect(lane.tokens()).toBe(name);
      expect(lane.pace().rate).toBeCloseTo(20 * 0.985, 5);
    }
    expect((await bucket.read(name))!.rate).toBeCloseTo(20 * 0.985, 5);
  });
});

describe('the tokens of a shared budget', () => {
  /** Two lanes on one bucket of ten a second, by a clock that a test advances. */
  async function openPacers() {
    const clock = createManualClock(now);
    const bucket = createMeter(clock, 10);
    const budget = createSharedBudget({ bucket, name: 'account', keys: ['a', 'b'], clock });
    const taken: string[] = [];
    const lanes = ['a', 'b'].map((key) => {
      const pacer = createPacer({
        bucket,
        lane: key,
        tokens: () => budget.name,
        turn: () => budget.turn(),
        pace: () => ({ rate: 10, burst: 1 }),
        clock,
      });
      const take = async (count: number) => {
        for (let i = 0; i < count; i++) void pacer.take('create').then(({ ok }) => ok && taken.push(key));
      };
      return { pacer, take };
    });
    const run = async (ms: number) => {
      for (let i = 0; i < ms / 10; i++) await clock.advance(10);
    };
    return { lanes, taken, run };
  }
  const countOf = (taken: readonly string[], key: string) => taken.filter((each) => each === key).length;

  it('go to both lanes alike, however many wait on each', async () => {
    const { lanes, taken, run } = await openPacers();
    await lanes[0]!.take(200);
    await lanes[1]!.take(60);
    await run(10_000);
    expect(taken.length).toBeGreaterThan(90);
    expect(Math.abs(countOf(taken, 'a') - countOf(taken, 'b'))).toBeLessThan(0.2 * taken.length);
    for (const { pacer } of lanes) pacer.stop();
  });

  it('all go to one lane while the other has no work', async () => {
    const { lanes, taken, run } = await openPacers();
    await lanes[1]!.take(200);
    await run(10_000);
    expect(countOf(taken, 'b')).toBeGreaterThan(90);
    await lanes[0]!.take(100);
    await run(5_000);
    expect(countOf(taken, 'a')).toBeGreaterThan(15);
    for (const { pacer } of lanes) pacer.stop();
  });
});
