import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../simulator/faults.ts';
import { suppress } from '../ledger/support.ts';
import { until } from '../support/until.ts';
import { type Stage, shareHall } from './support.ts';

/** Calls in progress that a person wants to end. */
const hall = await shareHall();

/** Calls that never end by themselves. */
const endless = (...more: FaultRule[]) => ({
  simulator: { shares: { answered: 1 }, faults: [{ kind: 'endless' as const }, ...more] },
});

async function onCall(stage: Stage, wish: Parameters<Stage['campaign']>[0] = {}) {
  const { campaign, id } = await stage.onePlaced({ ...wish });
  return { campaign, id, callId: (await stage.attempt(id)).callId! };
}

const outcome = async (stage: Stage, id: string) => {
  const [told] = await stage.ledger.hangUps.outcomes([id]);
  return told && [told.outcome, told.detail];
};
const patches = (stage: Stage) => [...stage.sim.journal({ method: 'PATCH' })].length;
const makeDue = () => hall.books.sql('update carillon.hang_ups set due_at = now() where outcome is null');
const hangUp = async (stage: Stage) => {
  await makeDue();
  return stage.stations.hangUp();
};

describe('a call that is to be hung up', () => {
  it('ends at the service, is asked for at once, and settles with its outcome', () =>
    hall.with(endless(), async (stage) => {
      const { campaign, id, callId } = await onCall(stage);
      expect(await stage.ledger.hangUps.ofCampaigns([campaign])).toEqual([id]);
      expect(await stage.stations.hangUp()).toBe(true);
      expect(await outcome(stage, id)).toEqual(['hung-up', null]);
      expect((await stage.attempt(id)).nextPollAt!.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
      expect(await stage.track(id)).toEqual({ kind: 'done' });
      expect((await stage.people(campaign))[0]).toMatchObject({ state: 'done', outcome: 'canceled' });
      // Said twice, it is hung up once.
      expect(await stage.ledger.hangUps.ofCampaigns([campaign])).toEqual([]);
      expect(await stage.stations.hangUp()).toBe(false);
      expect(patches(stage)).toBe(1);
      const history = await stage.ledger.calls.history((await stage.people(campaign))[0]!.id, 50);
      expect(history.map((each) => [each.kind, each.detail])).toContainEqual(['hang-up', 'hung-up']);
      expect((await stage.lane.client.get({ id: callId })).ok).toBe(true);
    }));

  it('is told as ended when it ended before', () =>
    hall.with({ simulator: { shares: { answered: 1 }, speed: 1_000 } }, async (stage) => {
      const { campaign, id, callId } = await onCall(stage);
      await until(
        () => stage.sim.state(),
        (state) => state.inFlight === 0,
      );
      await stage.ledger.hangUps.ofCampaigns([campaign]);
      await stage.stations.hangUp();
      expect(await outcome(stage, id)).toEqual(['ended', null]);
      expect(callId).not.toBe('');
    }));

  it('is told with the service’s words when the service refuses', () =>
    hall.with(endless({ kind: 'error', on: 'update', status: 400 }), async (stage) => {
      const { id } = await onCall(stage);
      await stage.ledger.hangUps.ofAttempt(id);
      await stage.stations.hangUp();
      const [what, words] = (await outcome(stage, id))!;
      expect(what).toBe('refused');
      expect(words).not.toBe(null);
      // A person may ask again.
      stage.sim.control({ faults: [] });
      await stage.ledger.hangUps.ofAttempt(id);
      await stage.stations.hangUp();
      expect(await outcome(stage, id)).toEqual(['hung-up', null]);
    }));

  it('is tried again, later each time, until the service answers', () =>
    hall.with(endless({ kind: 'error', on: 'update', status: 503, next: 3 }), async (stage) => {
      const { id } = await onCall(stage);
      await stage.ledger.hangUps.ofAttempt(id);
      const gaps: number[] = [];
      for (let i = 0; i < 3; i++) {
        expect(await hangUp(stage)).toBe(true);
        expect((await outcome(stage, id))![0]).toBeNull();
        const [row] = await hall.books.sql<{ ms: number; tries: number }>(
          'select extract(epoch from due_at - now())::float8 * 1000 as ms, tries from carillon.hang_ups where attempt_id = $1',
          [id],
        );
        gaps.push(row!.tries);
      }
      expect(gaps).toEqual([1, 2, 3]);
      await hangUp(stage);
      expect(await outcome(stage, id)).toEqual(['hung-up', null]);
    }));

  it('that is being created is hung up when it exists, or needs nothing when it was not made', () =>
    hall.with(endless(), async (stage) => {
      const campaign = await stage.campaign({ people: 2 });
      const [first, second] = await stage.planOn(stage.lane.id, campaign, 2);
      for (const id of [first!, second!]) expect(await stage.admit(id)).toBe('open');
      expect(await stage.ledger.hangUps.ofCampaigns([campaign])).toHaveLength(2);
      expect(await stage.stations.hangUp()).toBe(false);
      const answer = await stage.lane.client.create({
        agentId: 'a',
        phone: (await stage.attempt(first!)).phone,
      });
      await stage.place(first!, answer.ok ? answer.value.id : '');
      await stage.ledger.attempts.withhold({ id: second!, sent: true, detail: 'busy' });
      expect(await hangUp(stage)).toBe(true);
      expect(await outcome(stage, first!)).toEqual(['hung-up', null]);
      expect(await outcome(stage, second!)).toEqual(['no-call', null]);
      expect(patches(stage)).toBe(1);
    }));

  it('by a suppression, if its campaign or the person who suppresses wants it', () =>
    hall.with(endless(), async (stage) => {
      const spared = await onCall(stage);
      const ordered = await onCall(stage, { hangUp: true });
      const forced = await onCall(stage);
      const phone = async (id: string) => (await stage.attempt(id)).phone;
      const { suppressions } = stage.ledger;
      const entry = async (id: string) => [{ phone: await phone(id), source: 'manual' as const }];
      expect((await suppressions.add(await entry(spared.id))).calls).toEqual([]);
      expect((await suppressions.add(await entry(ordered.id))).calls).toEqual([ordered.id]);
      expect((await suppressions.add(await entry(forced.id), null, true)).calls).toEqual([forced.id]);
      // Already on the list, and asked to hang up now.
      expect((await suppressions.add(await entry(spared.id), null, true)).calls).toEqual([spared.id]);
      await stage.stations.hangUp();
      for (const { id } of [spared, ordered, forced])
        expect(await outcome(stage, id)).toEqual(['hung-up', null]);
      await suppressions.remove(await Promise.all([spared, ordered, forced].map(({ id }) => phone(id))));
    }));

  it('leaves before the creates and polls that wait', () =>
    hall.with({ ...endless(), rate: 5 }, async (stage) => {
      const { id } = await onCall(stage);
      const order: string[] = [];
      const take = async (kind: 'create' | 'poll') => {
        await stage.lane.pacer.take(kind);
        order.push(kind);
      };
      const others = Promise.all([take('create'), take('poll'), take('create'), take('poll')]);
      await stage.ledger.hangUps.ofAttempt(id);
      const work = stage.stations.hangUp().then(() => order.push('hang-up'));
      await Promise.all([others, work]);
      expect(order.indexOf('hang-up')).toBeLessThan(3);
      expect(await suppress(stage.ledger, [], null)).toMatchObject({ added: 0 });
    }));
});
