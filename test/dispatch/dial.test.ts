import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CarillonError } from '../../src/base/errors.ts';
import type { Lane } from '../../src/lane/lane.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { person } from '../ledger/support.ts';
import { type Hall, type Stage, shareHall, zoneAt } from './support.ts';

const hall = await shareHall();

/** Lets a test act between the token and the admission, and between the admission and the request. */
function around(hooks: { before?(): Promise<unknown> | unknown; after?(): Promise<unknown> | unknown }) {
  return (ledger: Ledger): Ledger => ({
    ...ledger,
    attempts: {
      ...ledger.attempts,
      async open(item, by) {
        await hooks.before?.();
        const verdict = await ledger.attempts.open(item, by);
        await hooks.after?.();
        return verdict;
      },
    },
  });
}

/** A key whose tokens come only after something else has happened. */
function withToken(lane: Lane, before: () => unknown): Lane {
  return {
    ...lane,
    pacer: {
      ...lane.pacer,
      async take(kind) {
        await before();
        return lane.pacer.take(kind);
      },
    },
  };
}

describe('dialling', () => {
  it('places a planned call once, and sends what the order and the row say', () =>
    hall.with({ simulator: { customer: { variables: 'variables' } } }, async (stage) => {
      const campaign = await stage.campaign({ callers: [{ number: '+14155550100' }] });
      const variables = { name: 'y', plan: 'gold', level: 3 };
      await stage.add(campaign, [
        person(1, { name: 'Ann', input: { phone: 'x', plan: ' gold ' }, variables }),
      ]);
      const id = await stage.planOne(campaign);
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(await stage.dial(id)).toMatchObject({ kind: 'drop' });
      expect(stage.created()).toBe(1);
      const [sent] = [...stage.sim.journal({ method: 'POST' })];
      expect(sent).toMatchObject({ phone: person(1).phone });
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', requests: 1, callId: sent!.call });
    }));

  it('by two processes at once places one call', () =>
    hall.with({}, async (stage) => {
      const { id } = await stage.onePlanned();
      const steps = await Promise.all(Array.from({ length: 8 }, () => stage.dial(id)));
      expect(steps.filter((step) => step.kind === 'done')).toHaveLength(1);
      expect(steps.filter((step) => step.kind === 'drop')).toHaveLength(7);
      expect(stage.created()).toBe(1);
    }));

  it('asks for a token before it commits: a resting lane leaves the attempt unchanged', () =>
    hall.with({}, async (stage) => {
      const { id } = await stage.onePlanned();
      await stage.engine.bucket.rest(stage.lane.bucket, 120_000);
      const step = await stage.dial(id);
      expect(step).toMatchObject({ kind: 'rest' });
      expect((step as { ms: number }).ms).toBeGreaterThan(60_000);
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', requests: 0, dialingAt: null });
      expect(stage.sim.state().requests).toBe(0);
    }));

  it.each([
    ['by the monotonic clock', (stage: Stage) => stage.clock.shift(2_500)],
    [
      'by the time of day, after a suspend that stopped the other clock',
      (stage: Stage) => stage.clock.suspend(2_500),
    ],
    [
      'by the monotonic clock, even when the time of day was set back',
      (stage: Stage) => {
        stage.clock.shift(2_500);
        stage.clock.suspend(-60_000);
      },
    ],
  ])(
    'withholds when it wakes too late after its commit %s: nothing is sent and nothing spent',
    async (_, pass) => {
      let wake = () => {};
      await hall.with({ through: around({ after: () => wake() }) }, async (stage) => {
        wake = () => pass(stage);
        const { id } = await stage.onePlanned();
        expect(await stage.dial(id)).toMatchObject({ kind: 'wait' });
        expect(stage.sim.state().requests).toBe(0);
        expect(await stage.attempt(id)).toMatchObject({
          state: 'planned',
          requests: 0,
          recipientState: 'queued',
        });
        wake = () => {};
        expect(await stage.dial(id)).toEqual({ kind: 'done' });
        expect(stage.created()).toBe(1);
      });
    },
  );

  it('does not post when its connection comes too late, however long it was suspended before', () =>
    hall.with({}, async (stage) => {
      const { id } = await stage.onePlanned();
      const { client } = stage.lane;
      const slow: Lane = {
        ...stage.lane,
        client: {
          ...client,
          create(input, options) {
            stage.clock.shift(2_500);
            return client.create(input, options);
          },
        },
      };
      expect(await stage.dial(id, slow)).toMatchObject({ kind: 'wait' });
      expect(stage.sim.state().requests).toBe(0);
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', requests: 0 });
    }));

  it('leaves nobody unknown when the ledger admits the attempt and its reply is lost', async () => {
    const lost = { lose: false };
    const through = around({
      after() {
        if (!lost.lose) return;
        lost.lose = false;
        throw new CarillonError('ledger-unreachable', 'The connection ended');
      },
    });
    await hall.with({ through }, async (stage) => {
      const { id } = await stage.onePlanned();
      lost.lose = true;
      await expect(stage.dial(id)).rejects.toThrow('The connection ended');
      expect(await stage.attempt(id)).toMatchObject({
        state: 'planned',
        requests: 0,
        recipientState: 'queued',
      });
      expect(stage.sim.state().requests).toBe(0);
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(stage.created()).toBe(1);
    });
  });

  it('gives back people whose phone is in use, before a token is spent, and claims them when the other call is settled', () =>
    hall.with({ rate: 1 }, async (stage) => {
      const [first, second] = [await stage.campaign(), await stage.campaign()];
      await stage.add(first, [person(1)]);
      const one = await stage.planOne(first);
      await stage.add(second, [person(1), person(2)]);
      await hall.books.sql(`update carillon.attempts set planned_at = now() - interval '1 minute'`);
      const [two] = await stage.plan(second, 1);
      expect(await stage.dial(one)).toEqual({ kind: 'done' });
      const before = (await stage.engine.bucket.read(stage.lane.bucket))!.waitMs;
      expect(await stage.dial(two!)).toEqual({ kind: 'drop', why: 'its phone is in use' });
      expect((await stage.engine.bucket.read(stage.lane.bucket))!.waitMs).toBeLessThanOrEqual(before);
      expect(await stage.states(second)).toEqual(['waiting', 'waiting']);
      // The planner skips people who cannot be called, and takes the next.
      expect(await stage.stations.plan()).toBe(1);
      expect(await stage.states(second)).toEqual(['waiting', 'queued']);
      await stage.settle(one);
      expect(await stage.stations.plan()).toBe(1);
      expect(await stage.states(second)).toEqual(['queued', 'queued']);
    }));

  it('keeps a single call’s place while its phone is in use', () =>
    hall.with({}, async (stage) => {
      const calls = await stage.campaign({ kind: 'calls' });
      const { phone } = person(1);
      const [one, two] = await Promise.all([1, 2].map(() => stage.single(calls, stage.lane.id, phone)));
      expect(await stage.dial(one!)).toEqual({ kind: 'done' });
      expect((await stage.dial(two!)).kind).toBe('wait');
      expect((await stage.attempt(two!)).state).toBe('planned');
      await stage.settle(one!);
      expect(await stage.dial(two!)).toEqual({ kind: 'done' });
      expect(stage.sim.state().duplicates).toBe(1);
    }));

  it('gives back people whose window is closed, and checks it again when the token has come', () =>
    hall.with({}, async (stage) => {
      const days = [1, 2, 3, 4, 5, 6, 7];
      const campaign = await stage.campaign({ times: { hours: [{ from: 0, to: 1_440, days }] } });
      const place = zoneAt(12, stage.clock.now());
      await stage.add(campaign, [person(1, { place }), person(2, { place })]);
      const [id, other] = [await stage.planOne(campaign), await stage.planOne(campaign)];
      // Open now, closed in two hours, and open again the next day.
      const [from, to] = [11 * 60, 13 * 60 + 30];
      const terms = JSON.stringify({ times: { hours: [{ from, to, days }] } });
      await hall.books.sql('update carillon.campaigns set terms = terms || $2 where id = $1', [
        campaign,
        terms,
      ]);
      const slow = withToken(stage.lane, () => stage.clock.shift(2 * 3_600_000));
      expect(await stage.dial(id!, slow)).toEqual({ kind: 'drop', why: 'the window is closed' });
      expect(await stage.dial(other!)).toEqual({ kind: 'drop', why: 'the window is closed' });
      expect(stage.sim.state().requests).toBe(0);
      expect(await stage.states(campaign)).toEqual(['waiting', 'waiting']);
      expect((await stage.people(campaign)).map((each) => each.attempts)).toEqual([0, 0]);
      // Nobody is planned while it is closed; the same people are when it opens, and only once.
      expect(await stage.stations.plan()).toBe(0);
      stage.clock.shift(21 * 3_600_000);
      expect(await stage.stations.plan()).toBe(2);
      expect(await stage.states(campaign)).toEqual(['queued', 'queued']);
    }));

  it.each([
    [
      'was paused in the meantime',
      'drop',
      'planned',
      (stage, campaign) => stage.ledger.campaigns.pause([campaign], 'x'),
    ],
    [
      'belongs to a run now',
      'drop',
      'planned',
      (stage, campaign) => stage.ledger.campaigns.take(campaign, randomUUID()),
    ],
    [
      'was changed in the meantime',
      'wait',
      'planned',
      (stage, campaign) => stage.ledger.campaigns.resume(campaign),
    ],
    ['has reached its cap', 'wait', 'planned', fillUp],
    ['has lost its lane', 'drop', 'planned', (stage) => stage.ledger.lanes.deny(stage.lane.id, 'x')],
    [
      'was canceled in the meantime',
      'drop',
      'dropped',
      (stage, campaign) => stage.ledger.campaigns.cancel(campaign),
      'campaign canceled',
    ],
    [
      'was canceled while a dialer gave it back',
      'drop',
      'dropped',
      (_stage, campaign) =>
        hall.books.sql(
          `update carillon.campaigns set state = 'canceled', sweep = 'campaign canceled' where id = $1`,
          [campaign],
        ),
      'campaign canceled',
    ],
    [
      'has a person who was suppressed in the meantime',
      'drop',
      'dropped',
      () => hall.books.sql('insert into carillon.suppressions (phone) values ($1)', [person(1).phone]),
      'suppressed',
    ],
  ] as [
    string,
    string,
    string,
    (stage: Awaited<ReturnType<Hall['stage']>>, campaign: string) => unknown,
    reason?: string,
  ][])('of a campaign that %s is a %s, and the attempt is %s', async (_what, kind, state, spoil, reason) => {
    let before: () => unknown = () => {};
    await hall.with({ through: around({ before: () => before() }) }, async (stage) => {
      const { campaign, id } = await stage.onePlanned({ people: 2, maxCalls: 1 });
      before = () => {
        before = () => {};
        return spoil(stage, campaign);
      };
      expect((await stage.dial(id)).kind).toBe(kind);
      expect((await stage.attempt(id)).state).toBe(state);
      if (reason) expect((await stage.people(campaign))[0]).toMatchObject({ state: 'skipped', reason });
      expect(stage.sim.state().requests).toBe(0);
      await stage.ledger.suppressions.remove([person(1).phone]);
    });
  });

  async function fillUp(stage: Awaited<ReturnType<Hall['stage']>>, campaign: string) {
    const other = await stage.planOne(campaign);
    await stage.call(other);
  }

  it('skips what is not its own: another scope, another lane, a resting campaign, an unknown attempt', () =>
    hall.with({ keys: ['a', 'b'] }, async (stage) => {
      const [a, b] = stage.lanes;
      const campaign = await stage.campaign({ people: 2 });
      const id = await stage.planOne(campaign, a);
      expect(await stage.dial(id, b)).toMatchObject({ kind: 'drop' });
      await stage.ledger.campaigns.pause([campaign], 'x');
      expect(await stage.dial(id, a)).toMatchObject({ kind: 'drop' });
      await stage.ledger.campaigns.take(campaign, randomUUID());
      expect(await stage.dial(id, a)).toMatchObject({ kind: 'drop' });
      expect(await stage.dial(randomUUID(), a)).toMatchObject({ kind: 'drop' });
      expect(stage.sim.state().requests).toBe(0);
    }));

  it('is done only by its run when a run has the campaign', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 1, driver: 'run', state: 'draft' });
      await stage.runs(campaign);
      const id = await stage.planOne(campaign);
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      const background = await stage.campaign({ people: 1 });
      expect(await stage.dial(await stage.planOne(background))).toMatchObject({ kind: 'drop' });
    }));

  it('sends only one create until the first was accepted', () =>
    hall.with({ simulator: { latencyMs: 60 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 5, proved: false });
      const ids = await stage.plan(campaign);
      const steps = await Promise.all(ids.map((id) => stage.dial(id)));
      expect(steps.filter((step) => step.kind === 'done')).toHaveLength(1);
      expect(steps.filter((step) => step.kind === 'wait')).toHaveLength(4);
      expect(stage.created()).toBe(1);
      await Promise.all(ids.map((id) => stage.dial(id)));
      expect(stage.created()).toBe(5);
    }));
});
