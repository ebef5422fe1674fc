import { describe, expect, it } from 'vitest';
import { CarillonError } from '../../src/base/errors.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { until } from '../support/until.ts';
import { type Stage, shareHall } from './support.ts';

const hall = await shareHall();

const ended = (stage: Stage, count: number) =>
  until(
    () => stage.sim.state(),
    (state) => state.created === count && state.inFlight === 0,
  );

describe('a poll', () => {
  it('with a status that is not text tells nothing of the end, and the call is followed on', async () => {
    const faults = [{ kind: 'odd-status', on: 'get', next: 2 }] as const;
    await hall.with({ simulator: { shares: { busy: 1 }, faults } }, async (stage) => {
      const { id } = await stage.onePlaced();
      await ended(stage, 1);
      for (const polls of [1, 2]) {
        expect((await stage.track(id)).kind).toBe('wait');
        expect(await stage.ledger.attempts.load(id)).toMatchObject({ state: 'placed', polls });
      }
      expect((await stage.track(id)).kind).toBe('done');
      expect(await stage.attempt(id)).toMatchObject({ state: 'done', outcome: 'busy' });
    });
  });

  it.each([
    ['other-id', 'another call'],
    ['other-phone', 'another phone'],
  ] as const)(
    'that is answered with another call (%s) settles nothing, and is repeated',
    async (kind, words) => {
      const faults = [{ kind, on: 'get', next: 2 }] as const;
      await hall.with({ simulator: { shares: { busy: 1 }, faults } }, async (stage) => {
        const { id } = await stage.onePlaced();
        await ended(stage, 1);
        stage.clock.freeze();
        const waits = [];
        for (let i = 0; i < 2; i++) {
          const step = await stage.track(id);
          waits.push((step as { ms: number }).ms / 1_000);
          expect((await stage.attempt(id)).detail).toContain(words);
        }
        expect(waits).toEqual([2, 4]);
        expect((await stage.track(id)).kind).toBe('done');
        expect(await stage.attempt(id)).toMatchObject({ state: 'done', outcome: 'busy', detail: null });
      });
    },
  );

  it('that is answered with another call until the deadline leaves the call unknown, and says what was wrong', async () => {
    const faults = [{ kind: 'other-phone', on: 'get' }] as const;
    await hall.with({ simulator: { shares: { busy: 1 }, faults }, deadlineMs: 60_000 }, async (stage) => {
      const { id, campaign } = await stage.onePlaced();
      expect((await stage.track(id)).kind).toBe('wait');
      stage.clock.shift(61_000);
      expect(await stage.track(id)).toEqual({ kind: 'drop', why: 'stale' });
      const [unknown] = await stage.ledger.unknowns.list(campaign);
      expect(unknown).toMatchObject({ reason: 'stale', callId: (await stage.attempt(id)).callId });
      expect(unknown!.detail).toMatch(/did not end within its deadline.*another phone, which ends in 0199/);
    });
  });
});

describe('a create', () => {
  it('that is answered with another phone is unknown, never sent again, and keeps its phone', async () => {
    const faults = [{ kind: 'other-phone' }] as const;
    await hall.with({ simulator: { faults } }, async (stage) => {
      const { campaign, id } = await stage.onePlaced();
      const [unknown] = await stage.ledger.unknowns.list(campaign);
      expect(unknown).toMatchObject({ attempt: id, reason: 'mismatch', callId: null });
      const call = [...stage.sim.journal({ method: 'POST' })].at(-1)!.call;
      expect(unknown!.detail).toContain(`another phone, which ends in 0199, ${call}`);
      expect(await stage.states(campaign)).toEqual(['unknown']);
      expect(await stage.dial(id)).toMatchObject({ kind: 'drop' });
      expect(stage.created()).toBe(1);
      const live = await hall.books.sql('select from carillon.live_phones where attempt_id = $1', [id]);
      expect(live).toHaveLength(1);
      // The service is at fault, so it counts as a loss: few more are sent.
      expect((await stage.ledger.attempts.load(id))!.laneLosses).toBe(1);
    });
  });

  it('that is answered with the call of another attempt is unknown, while that attempt is followed to its end', async () => {
    const faults = [{ kind: 'same-id', at: [2] }] as const;
    await hall.with({ simulator: { shares: { busy: 1 }, faults } }, async (stage) => {
      const { id: first, campaign } = await stage.onePlaced();
      const { id: second } = await stage.onePlaced();
      expect(await stage.attempt(second)).toMatchObject({
        state: 'unknown',
        reason: 'mismatch',
        callId: null,
      });
      expect((await stage.attempt(second)).detail).toContain(`which is the attempt ${first}`);
      await ended(stage, 2);
      await stage.follow(first);
      expect(await stage.states(campaign)).toEqual(['done']);
    });
  });

  it('that is answered with an ended call of another process is unknown', async () => {
    const faults = [{ kind: 'same-id', at: [2] }] as const;
    await hall.with({ simulator: { shares: { busy: 1 }, faults } }, async (stage) => {
      const { id: first } = await stage.onePlaced();
      await ended(stage, 1);
      await stage.follow(first);
      const { callId } = await stage.attempt(first);
      const { id: second } = await stage.onePlanned();
      expect(await stage.admit(second)).toBe('open');
      expect(await stage.place(second, callId!)).toBe(false);
      expect(await stage.attempt(second)).toMatchObject({
        state: 'unknown',
        reason: 'mismatch',
        callId: null,
      });
      expect((await stage.attempt(second)).detail).toContain(`which is the attempt ${first}`);
    });
  });
});

it('a live attempt that has the call of one that was given up: it is not known who was called', () =>
  hall.with({ simulator: { shares: { busy: 1 } } }, async (stage) => {
    const { id: first } = await stage.onePlaced();
    const { callId } = await stage.attempt(first);
    await stage.ledger.attempts.stale(first, 'no end');
    const second = await stage.planOne(await stage.campaign({ people: 1 }));
    expect(await stage.admit(second)).toBe('open');
    expect(await stage.place(second, callId!)).toBe(true);
    await stage.stations.reconcile.round();
    expect(await stage.attempt(first)).toMatchObject({ state: 'unknown', reason: 'stale', callId });
    expect(await stage.attempt(second)).toMatchObject({ state: 'unknown', reason: 'mismatch', callId: null });
    expect((await stage.attempt(second)).detail).toContain(`which is the attempt ${first}`);
  }));

it('a call that its attempt cannot have is recorded even when the ledger is away for a moment', async () => {
  let away = 0;
  const through = (ledger: Ledger): Ledger => ({
    ...ledger,
    attempts: {
      ...ledger.attempts,
      late: async (id, callId) => {
        away += 1;
        if (away === 1) throw new CarillonError('ledger-unreachable', 'it is away');
        return ledger.attempts.late(id, callId);
      },
    },
  });
  const faults = [{ kind: 'other-phone' }] as const;
  await hall.with({ simulator: { faults }, through }, async (stage) => {
    const id = await stage.planOne(await stage.campaign({ people: 1 }));
    expect(await stage.dial(id)).toEqual({ kind: 'done' });
    const call = [...stage.sim.journal({ method: 'POST' })].at(-1)!.call;
    expect(
      await hall.books.sql(
        "select detail from carillon.history where attempt_id = $1 and kind = 'late-call'",
        [id],
      ),
    ).toEqual([{ detail: call }]);
    expect((await stage.ledger.attempts.load(id))!.laneLosses).toBe(1);
  });
});

it('a service that tells the number a call comes from, not the person’s, is believed', async () => {
  const own = '+12025550199';
  const faults = [{ kind: 'other-phone' }, { kind: 'other-phone', on: 'get' }] as const;
  const simulator = { numbers: [own], shares: { busy: 1 }, faults: [...faults] };
  await hall.with({ simulator }, async (stage) => {
    const { campaign, id } = await stage.onePlaced({ callers: [{ number: own }] });
    await ended(stage, 1);
    await stage.follow(id);
    expect(await stage.attempt(id)).toMatchObject({ state: 'done', outcome: 'busy' });
    expect((await stage.ledger.calls.find((await stage.people(campaign))[0]!.id))!.caller).toEqual({
      number: own,
    });
  });
});

/** As two processes placed them. */
async function twoOfOneCall(stage: Stage) {
  const { id: first } = await stage.onePlaced();
  const { callId } = await stage.attempt(first);
  const { id: second } = await stage.onePlanned();
  expect(await stage.admit(second)).toBe('open');
  expect(await stage.place(second, callId!)).toBe(true);
  return { first, second, callId };
}

it('two live attempts that have one call, as two processes placed them: it stays with the first', () =>
  hall.with({ simulator: { shares: { busy: 1 } } }, async (stage) => {
    const { first, second, callId } = await twoOfOneCall(stage);
    await stage.stations.reconcile.round();
    expect(await stage.attempt(first)).toMatchObject({ state: 'placed', callId });
    expect(await stage.attempt(second)).toMatchObject({ state: 'unknown', reason: 'mismatch', callId: null });
    expect((await stage.attempt(second)).detail).toContain(`which is the attempt ${first}`);
  }));

it('a live attempt that has the call of one that ended meanwhile, as another process placed it: it is unknown', () =>
  hall.with({ simulator: { shares: { busy: 1 } } }, async (stage) => {
    const { first, second, callId } = await twoOfOneCall(stage);
    await ended(stage, 1);
    await stage.follow(first);
    await stage.stations.reconcile.round();
    expect(await stage.attempt(first)).toMatchObject({ state: 'done', callId });
    expect(await stage.attempt(second)).toMatchObject({ state: 'unknown', reason: 'mismatch', callId: null });
    expect((await stage.attempt(second)).detail).toContain(`which is the attempt ${first}`);
  }));

it('other fields that the service tells of a call are kept: from the create’s answer, and from the record', () =>
  hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
    const { id, campaign } = await stage.onePlaced();
    const { callId } = await stage.attempt(id);
    const results = async () => (await stage.ledger.reports.results(campaign).next()).value![0];
    const provider_call_sid = `CA${callId!.replaceAll('-', '')}`;
    expect(await results()).toMatchObject({ provider_call_sid, direction: null, metadata: null });
    await stage.lane.client.update(callId!, { metadata: { ticket: 'A-17' } });
    await ended(stage, 1);
    await stage.follow(id);
    expect(await results()).toMatchObject({
      provider_call_sid,
      direction: 'outbound',
      contact_id: null,
      org_id: expect.any(String),
      agent_id: (await stage.ledger.calls.course(id))!.line.agent,
      metadata: { ticket: 'A-17' },
    });
  }));
