import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../simulator/faults.ts';
import type { Call } from '../../src/voice/call.ts';
import type { Outcome } from '../../src/voice/outcomes.ts';
import { until } from '../support/until.ts';
import { type Stage, type StageOptions, shareHall } from './support.ts';

const hall = await shareHall();

/** A record that is complete only a day after the call, unless the test says when. */
const late = (faults: FaultRule[] = [], shares: Record<string, number> = { voicemail: 1 }): StageOptions => ({
  simulator: { shares, faults: [{ kind: 'late-record', ms: 86_400_000 }, ...faults] },
});

/** So many calls, one after the other, to their ends. */
async function ended(
  stage: Stage,
  calls = 1,
  order: { callbackAt?: string } = {},
): Promise<{ campaign: string; ids: string[] }> {
  const campaign = await stage.campaign({ people: calls, ...order });
  const ids: string[] = [];
  for (let i = 0; i < calls; i++) {
    const id = await stage.planOne(campaign);
    expect(await stage.dial(id)).toEqual({ kind: 'done' });
    await until(
      () => stage.sim.state(),
      (state) => state.inFlight === 0,
    );
    await stage.follow(id);
    ids.push(id);
  }
  return { campaign, ids };
}

type Row = { attempt_id: string; tries: number; fields: string[]; seconds: number };
const planned = (ids: string[]) =>
  hall.books.sql<Row>(
    `select attempt_id, tries, fields, extract(epoch from due_at - now())::float8 as seconds
     from carillon.refreshes where attempt_id = any ($1) order by attempt_id`,
    [ids],
  );
const makeDue = (ids: string[]) =>
  hall.books.sql('update carillon.refreshes set due_at = now() where attempt_id = any ($1)', [ids]);
/** The day is over: the service has told everything. */
const fill = (stage: Stage) => stage.sim.control({ speed: 1_000_000 });

const gets = (stage: Stage) => [...stage.sim.journal({ method: 'GET' })].length;

/** The service says so of each call from now on. */
function says({ lane: { client } }: Stage, changes: (call: Call) => Partial<Call>): void {
  const { get } = client;
  client.get = async (call, options) => {
    const answer = await get(call, options);
    return answer.ok ? { ...answer, value: { ...answer.value, ...changes(answer.value) } } : answer;
  };
}

const optOut = { path: 'structured_data.dnc', value: 'yes' };

it('suppresses a person whose late record says that they want no more calls', () =>
  hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
    const { campaign, id } = await stage.onePlanned({ optOut });
    await stage.dial(id);
    const { phone } = await stage.attempt(id);
    await stage.settle(id, 'answered', { refresh: ['structured_data'], refreshIn: 0 });
    const structured_data = { dnc: 'Yes' };
    says(stage, ({ kept, record }) => ({
      kept: { ...kept, structured_data },
      record: { ...record, structured_data },
    }));
    await makeDue([id]);
    await stage.stations.refresh();
    expect((await stage.ledger.reports.standing(campaign)).optOuts).toEqual({ people: 1, read: 1, found: 1 });
    expect(await stage.ledger.suppressions.remove([phone])).toBe(1);
  }));

it('a late record that says when to call back brings the person, and a campaign that was done, back', () =>
  hall.with(late([], { answered: 1 }), async (stage) => {
    stage.sim.control({ callbacks: { share: 1, afterMs: 7_200_000 } });
    const { campaign, ids } = await ended(stage, 1, { callbackAt: 'structured_data.callback_at' });
    expect(await stage.people(campaign)).toMatchObject([{ state: 'done', outcome: 'answered' }]);
    await hall.books.sql(`update carillon.campaigns set state = 'done' where id = $1`, [campaign]);
    fill(stage);
    const { callId } = await stage.attempt(ids[0]!);
    await until(
      () => stage.lane.client.get({ id: callId!, agentId: null }, {}),
      (answer) => answer.ok && answer.value.kept.structured_data !== null,
    );
    for (const _ of [1, 2]) {
      await makeDue(ids);
      await stage.stations.refresh();
    }
    expect(await stage.people(campaign)).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    const { state } = await stage.ledger.campaigns.get(campaign);
    expect(state).toBe('running');
    const notes = await hall.books.sql<{ detail: string }>(
      `select detail from carillon.history where attempt_id = any ($1) and kind = 'callback'`,
      [ids],
    );
    expect(notes).toMatchObject([{ detail: expect.stringMatching(/^asked to be called back at 20/) }]);
  }));

it('the cost of a conversation that was nothing at its end is what the service says later', () =>
  hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
    const { campaign, id } = await stage.onePlanned();
    await stage.dial(id);
    let cost = 0;
    says(stage, ({ kept }) => ({ kept: { ...kept, cost } }));
    await stage.follow(id);
    expect((await planned([id]))[0]?.fields).toContain('cost');
    cost = 0.09;
    await makeDue([id]);
    await stage.stations.refresh();
    const told = await hall.books.sql('select cost from carillon.ended_attempts where id = $1', [id]);
    expect(told).toEqual([{ cost: 0.09 }]);
    expect((await stage.ledger.reports.standing(campaign)).cost).toBeCloseTo(0.09);
  }));

describe('an outcome that the service decides late', () => {
  const settled = async (stage: Stage) => {
    const { campaign, id } = await stage.onePlanned();
    await stage.dial(id);
    await stage.settle(id, 'answered', { refresh: ['outcome'], refreshIn: 0, cost: 0.1 });
    return { campaign, id };
  };
  const decides = (stage: Stage, outcome: Outcome, isFinal: boolean) =>
    says(stage, () => ({ stage: { kind: 'ended', outcome }, isFinal }));
  const answeredIn = async (stage: Stage, campaign: string) => {
    const { outcomes } = await stage.ledger.reports.standing(campaign);
    const [row] = await hall.books.sql<{ n: number }>(
      `select n::float8 as n from carillon.counts where campaign_id = $1 and name = 'reached'`,
      [campaign],
    );
    return { outcomes, reached: row!.n };
  };
  const updates = (id: string) =>
    hall.books.sql(
      `select id from carillon.outbox where type = 'attempt.updated' and $1::uuid = any (attempts)
       union all select first from carillon.events where type = 'attempt.updated' and $1::uuid = any (attempts)`,
      [id],
    );

  it('changes the result once, with everything that counts it, and is told', () =>
    hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
      const { campaign, id } = await settled(stage);
      expect(await answeredIn(stage, campaign)).toEqual({ outcomes: { answered: 1 }, reached: 1 });
      decides(stage, 'voicemail', false);
      await makeDue([id]);
      await stage.stations.refresh();
      // Not decided yet.
      expect(await answeredIn(stage, campaign)).toEqual({ outcomes: { answered: 1 }, reached: 1 });
      const before = (await updates(id)).length;
      decides(stage, 'voicemail', true);
      await makeDue([id]);
      await stage.stations.refresh();
      expect(await stage.attempt(id)).toMatchObject({ outcome: 'voicemail' });
      expect(await answeredIn(stage, campaign)).toEqual({ outcomes: { voicemail: 1 }, reached: 0 });
      expect(await updates(id)).toHaveLength(before + 1);
      expect(await planned([id])).toEqual([]);
    }));

  it('stays as it was decided', () =>
    hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
      const { id } = await stage.onePlanned();
      await stage.dial(id);
      await stage.settle(id, 'answered', { refresh: ['cost'], refreshIn: 0 });
      decides(stage, 'voicemail', true);
      await makeDue([id]);
      await stage.stations.refresh();
      expect(await stage.attempt(id)).toMatchObject({ outcome: 'answered' });
    }));
});

it('fetches a conversation that the service has at an address of its own', () =>
  hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
    const { id } = await stage.onePlanned();
    await stage.dial(id);
    await stage.settle(id, 'answered', { refresh: ['transcript'], refreshIn: 0, transcript: null });
    const { client } = stage.lane;
    says(stage, ({ kept }) => ({ kept: { ...kept, transcript: null } }));
    Object.assign(client.can, { transcript: true });
    client.transcript = async (_, turn) => {
      const value = turn
        ? { items: ['User: Hi.'], next: null }
        : { items: ['Agent: Hello.'], next: { cursor: '1' } };
      return { ok: true, value, status: 200, ms: 1 };
    };
    await makeDue([id]);
    await stage.stations.refresh();
    expect(await stage.attempt(id)).toMatchObject({ transcript: 'Agent: Hello.\nUser: Hi.' });
  }));

/** So that the wait for the record's completion is short: a day passes in a tenth of a second. */
async function filled(stage: Stage, id: string): Promise<void> {
  fill(stage);
  const { callId } = await stage.attempt(id);
  await until(
    () => stage.lane.client.get({ id: callId! }),
    (answer) => answer.ok && answer.value.kept.cost !== null,
  );
}

describe('a record that was not complete at the end of its call', () => {
  it('is asked for again, and what came is kept: the outcome stays as it was', () =>
    hall.with(late(), async (stage) => {
      const { campaign, ids } = await ended(stage);
      const [id] = ids as [string];
      expect(await stage.attempt(id)).toMatchObject({ state: 'done', outcome: 'voicemail', cost: null });
      const [row] = await planned(ids);
      expect(row).toMatchObject({ tries: 0, fields: ['cost', 'recording'] });
      expect(Math.abs(row!.seconds - 10)).toBeLessThan(5);
      // Not before its time.
      expect(await stage.stations.refresh()).toBeNull();

      await filled(stage, id);
      await makeDue(ids);
      const before = await stage.ledger.reports.standing(campaign);
      expect(await stage.stations.refresh()).toBeGreaterThan(0);
      const after = await stage.attempt(id);
      expect(after).toMatchObject({ state: 'done', outcome: 'voicemail', status: 'voicemail' });
      expect(after.cost).toBeGreaterThan(0);
      expect(after.recording_url).toBeTruthy();
      expect(after.transcript).toBeTruthy();
      expect(await planned(ids)).toEqual([]);
      // The request is counted, and the cost is the campaign's.
      const standing = await stage.ledger.reports.standing(campaign);
      expect(standing.polls).toBe(before.polls + 1);
      expect(standing.requests).toBe(before.requests + 1);
      expect(standing.cost).toBeCloseTo(after.cost!);
      expect(standing.outcomes).toEqual(before.outcomes);
      expect(await stage.states(campaign)).toEqual(['done']);
      expect(await stage.faults()).toEqual([]);
      expect(await stage.stations.refresh()).toBeNull();
    }));

  it('is asked for four times, later and later, and then no more', () =>
    hall.with(late(), async (stage) => {
      const { ids } = await ended(stage);
      const before = gets(stage);
      const waits = [];
      for (let i = 0; i < 4; i++) {
        await makeDue(ids);
        expect(await stage.stations.refresh()).not.toBeNull();
        const [row] = await planned(ids);
        waits.push(row ? Math.round(row.seconds / 10) * 10 : null);
      }
      expect(waits).toEqual([60, 600, 3_600, null]);
      expect(gets(stage)).toBe(before + 4);
      expect((await stage.attempt(ids[0]!)).cost).toBeNull();
    }));

  it('is asked for with the first few calls only, where the service never adds anything', () =>
    hall.with(late(), async (stage) => {
      const { ids } = await ended(stage, 7);
      expect(await planned(ids)).toHaveLength(5);
    }));

  it('is asked for with every call, where the service has been seen to add it', () =>
    hall.with(late(), async (stage) => {
      const first = await ended(stage);
      await filled(stage, first.ids[0]!);
      await makeDue(first.ids);
      await stage.stations.refresh();
      // As slow again as it was.
      stage.sim.control({ speed: 600 });
      const { ids } = await ended(stage, 7);
      expect(await planned(ids)).toHaveLength(7);
      // Another process knows it from the ledger.
      const known = await stage.ledger.refreshes.known();
      expect(known).toContainEqual({
        laneId: stage.lane.id,
        outcome: 'voicemail',
        field: 'cost',
        late: 1,
        vain: 0,
      });
    }));

  it('of which nothing is missing is not asked for', () =>
    hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
      const { ids } = await ended(stage);
      expect(await planned(ids)).toEqual([]);
    }));
});

describe('a question for a late record', () => {
  it('is not asked while somebody waits on the lane', () =>
    hall.with(late(), async (stage) => {
      const { ids } = await ended(stage);
      await makeDue(ids);
      const before = gets(stage);
      stage.lane.backlog = 1;
      expect(await stage.stations.refresh()).toBeNull();
      stage.lane.backlog = 0;
      stage.lane.state = 'denied';
      expect(await stage.stations.refresh()).toBeNull();
      expect(gets(stage)).toBe(before);
      expect(await planned(ids)).toMatchObject([{ tries: 0 }]);
    }));

  it.each<[string, FaultRule, number]>([
    ['the service is busy', { kind: 'error', status: 429, on: 'get' }, 0],
    ['the service fails', { kind: 'error', status: 500, on: 'get' }, 1],
    ['another call is told of', { kind: 'other-id', on: 'get' }, 1],
    ['another phone is told of', { kind: 'other-phone', on: 'get' }, 1],
  ])('is asked again when %s, and nothing is written', (_what, fault, tries) =>
    hall.with(late(), async (stage) => {
      const { ids } = await ended(stage);
      await filled(stage, ids[0]!);
      await makeDue(ids);
      stage.sim.control({ faults: [fault] });
      await stage.stations.refresh();
      expect(await planned(ids)).toMatchObject([{ tries }]);
      expect(await stage.attempt(ids[0]!)).toMatchObject({ state: 'done', outcome: 'voicemail', cost: null });
    }),
  );

  it('is given up when the service knows the call no more', () =>
    hall.with(late(), async (stage) => {
      const { ids } = await ended(stage);
      await makeDue(ids);
      stage.sim.reset();
      await stage.stations.refresh();
      expect(await planned(ids)).toEqual([]);
    }));

  it('is asked by one process only, and again when that one died', () =>
    hall.with(late(), async (stage) => {
      const { ids } = await ended(stage, 3);
      await makeDue(ids);
      const taken = await Promise.all(
        [1, 2, 3, 4].map(() => stage.ledger.refreshes.claim([{ id: stage.lane.id, most: 2 }], 120)),
      );
      expect(
        taken
          .flat()
          .map((each) => each.id)
          .sort(),
      ).toEqual([...ids].sort());
      expect(await stage.stations.refresh()).toBeNull();
      const [row] = await planned(ids);
      expect(row!.seconds).toBeLessThan(121);
      await makeDue(ids);
      expect(await stage.stations.refresh()).not.toBeNull();
    }));
});

it('a campaign’s incomplete records are scheduled once more when somebody asks for it', () =>
  hall.with(late(), async (stage) => {
    const { campaign, ids } = await ended(stage, 6);
    await hall.books.sql('delete from carillon.refreshes where attempt_id = any ($1)', [ids]);
    const complete = { voicemail: ['cost', 'recording'] } as const;
    expect(await stage.ledger.refreshes.schedule(campaign, complete, 3)).toBe(6);
    expect(await planned(ids)).toHaveLength(6);
    await filled(stage, ids[0]!);
    while ((await stage.stations.refresh()) !== null);
    expect(await stage.ledger.refreshes.schedule(campaign, complete, 3)).toBe(0);
    const standing = await stage.ledger.reports.standing(campaign);
    expect(standing.cost).toBeGreaterThan(0);
  }));
