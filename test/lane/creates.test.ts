import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGovernor, createsOf } from '../../src/lane/governor.ts';
import { showView } from '../../src/lane/limit-view.ts';
import { createPacer } from '../../src/lane/pacer.ts';
import { limitOf, visit } from '../rules/limit/worlds.ts';
import { createManualClock } from '../support/clock.ts';
import { bothEngines, type Ground } from '../support/engines.ts';
import { seeded } from '../support/random.ts';
import { until } from '../support/until.ts';

/** A lane whose creates have a limit of their own, on both engines. */
const both = bothEngines('creates with a limit of their own');

describe.each(both)('creates with a limit of their own (%s)', (_name, openGround) => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround();
  });
  afterAll(() => ground.close());

  /** The belief when a service has long accepted six creates a second among sixty requests. */
  const { belief } = visit({
    limits: [limitOf('bucket', 60), { ...limitOf('bucket', 6), scope: 'create' }],
    minutes: 10,
  });
  const now = belief.pace.heardAt + 1_000;

  async function openLane(learned: unknown = belief) {
    const { bucket } = ground.engine;
    const lane = randomUUID();
    if (learned) await bucket.writeState(lane, 0, learned);
    const clock = createManualClock(now);
    let asked = 0;
    const governor = createGovernor({
      bucket,
      lane,
      fixed: null,
      burst: 1,
      inFlight: async () => {
        asked += 1;
        return 40;
      },
      onRest: (ms, kind) => (kind === 'create' ? pacer.pauseCreates(ms) : pacer.pause(ms)),
      clock,
      random: seeded(5),
    });
    const { pace, createPace } = governor;
    const createsLane = createsOf(lane);
    const pacer = createPacer({ bucket, lane, pace, createPace, createsLane, clock });
    await governor.refresh();
    /** Resolves when the lane has learned from what it has heard until now. */
    const learns = async (hear: () => void) => {
      const { version } = await bucket.readState(lane);
      // Answers that it hears while it learns are for the next time.
      await until(
        async () => {
          await clock.advance(1_100);
          hear();
          return bucket.readState(lane);
        },
        (state) => state.version > version,
      );
    };
    return { bucket, lane, clock, governor, pacer, learns, asked: () => asked };
  }

  it('have a bucket of their own, which is slower than the lane’s', async () => {
    const { bucket, lane, governor } = await openLane();
    const own = governor.createPace()!;
    expect(own.rate).toBeGreaterThan(3);
    expect(own.rate).toBeLessThan(12);
    const [all, creates] = await Promise.all([bucket.read(lane), bucket.read(createsOf(lane))]);
    expect(all!.rate).toBeCloseTo(governor.pace().rate, 5);
    expect(creates!.rate).toBeCloseTo(own.rate, 5);
    expect(all!.rate).toBeGreaterThan(creates!.rate);
  });

  it('take a token of each, while polls take only the lane’s', async () => {
    const { bucket, lane, clock, governor, pacer } = await openLane();
    const before = (await bucket.read(createsOf(lane)))!.waitMs;
    const polls = Promise.all(Array.from({ length: 3 }, () => pacer.take('poll')));
    await passing(clock, polls);
    expect((await polls).every(({ ok }) => ok)).toBe(true);
    expect((await bucket.read(createsOf(lane)))!.waitMs).toBeLessThanOrEqual(before);
    const create = pacer.take('create');
    await passing(clock, create);
    expect(await create).toMatchObject({ ok: true, kind: 'create' });
    // Both buckets count on their own clock: the next create waits for about one over its rate.
    const next = await bucket.take(createsOf(lane), 1, 60_000, governor.createPace()!);
    expect(next.delays).toHaveLength(1);
  });

  it('rest only themselves when one is refused: polls pass meanwhile', async () => {
    const { bucket, lane, clock, governor, pacer } = await openLane();
    // These already wait for their own tokens, at most two seconds.
    const waiting = Promise.all(Array.from({ length: 6 }, () => pacer.take('create')));
    await clock.advance(1);
    expect(await governor.busy(90_000, 50, 'create')).toBeGreaterThanOrEqual(90_000);
    await passing(clock, waiting);
    for (const grant of (await waiting).slice(1)) expect(grant.ok).toBe(false);
    expect((await bucket.read(createsOf(lane)))!.restMs).toBeGreaterThan(60_000);
    expect((await bucket.read(lane))!.restMs).toBeLessThan(2_000);
    expect(governor.pace().probing).toBe(false);
    const poll = pacer.take('poll');
    await passing(clock, poll);
    expect(await poll).toMatchObject({ ok: true, kind: 'poll' });
    const create = await pacer.take('create');
    expect(create.ok).toBe(false);
    if (!create.ok) expect(create.restMs).toBeGreaterThan(30_000);
  });

  it('are told to people, next to the lane’s own limit', async () => {
    const { governor } = await openLane();
    const view = showView(governor.view());
    expect(view.creates).toBeGreaterThan(3);
    expect(view.creates).toBeLessThan(12);
    expect(view.max_calls).toBeNull();
    expect(Object.keys(view)).toEqual([
      'limit',
      'sure',
      'since',
      'window_ms',
      'max_calls',
      'creates',
      'probing',
      'account',
    ]);
    const fresh = await openLane(null);
    expect(showView(fresh.governor.view())).toMatchObject({ limit: null, max_calls: null, creates: null });
    expect(fresh.governor.createPace()).toBeNull();
  });

  it('are counted in the ledger only while creates are refused', async () => {
    const { clock, governor, learns, asked } = await openLane(null);
    for (let i = 0; i < 5; i++) {
      await learns(() => {
        governor.clean(true, 50, 'create');
        governor.clean(true, 50, 'poll');
      });
    }
    await clock.advance(2_000);
    await governor.busy(null, 50, 'poll');
    expect(asked()).toBe(0);
    for (let i = 0; i < 4; i++) {
      await clock.advance(20_000);
      await governor.busy(null, 50, 'create');
      expect(asked()).toBe(i + 1);
      await learns(() => governor.clean(true, 50, 'poll'));
    }
    // Now an accepted one shows something, too.
    const before = asked();
    await until(
      async () => {
        await clock.advance(1_100);
        governor.clean(true, 50, 'create');
        return asked();
      },
      (times) => times > before,
    );
  });
});

/** Lets the manual clock run until it is done: the engines answer in their own time. */
async function passing(clock: ReturnType<typeof createManualClock>, work: Promise<unknown>): Promise<void> {
  let done = false;
  work.then(
    () => {
      done = true;
    },
    () => {
      done = true;
    },
  );
  await until(
    async () => {
      await clock.advance(20);
      return done;
    },
    (isDone) => isDone,
  );
}
