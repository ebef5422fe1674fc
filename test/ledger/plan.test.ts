import { describe, expect, it } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { person, persons, shareBooks, tally } from './support.ts';

const books = await shareBooks();

describe('planning', () => {
  it('claims people in the order of the list, as many as requested', async () => {
    const { house, campaign } = await books.campaign({ people: 5 });
    expect(await house.plan(campaign, 2)).toHaveLength(2);
    expect(await house.states(campaign)).toEqual(['queued', 'queued', 'waiting', 'waiting', 'waiting']);
    expect(await house.plan(campaign, 10)).toHaveLength(3);
    expect(await house.plan(campaign, 10)).toEqual([]);
  });

  it('by many planners at once claims nobody twice', async () => {
    const { house, campaign } = await books.campaign({ people: 300 });
    const lane = await house.lane();
    const rounds = Array.from({ length: 24 }, () => house.planOn(lane, campaign, 25));
    const planned = (await Promise.all(rounds)).flat();
    for (;;) {
      const more = await house.plan(campaign, 100);
      if (more.length === 0) break;
      planned.push(...more);
    }
    expect(new Set(planned).size).toBe(300);
    const people = await Promise.all(planned.map(async (id) => (await house.attempt(id)).phone));
    expect(new Set(people).size).toBe(300);
  });

  it('skips rows that another planner is claiming, and does not wait for them', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    const [first] = await house.people(campaign);
    const hand = await books.hand();
    await hand.query('begin');
    await hand.query('select from carillon.recipients where id = $1 for update', [first!.id]);
    const planned = await house.plan(campaign, 2);
    expect((await house.attempt(planned[0]!)).row).toBe(3);
    expect(await house.states(campaign)).toEqual(['waiting', 'queued', 'queued']);
  });

  it('skips people whose window is closed, and claims those whose zones are open', async () => {
    const { house, campaign } = await books.campaign();
    const places = ['Europe/Berlin', 'America/New_York', 'America/New_York,America/Chicago', ''];
    await house.add(
      campaign,
      places.map((each, i) => person(i + 1, { place: each })),
    );
    const planned = await house.plan(campaign, 10, ['America/New_York', '']);
    expect(
      (await Promise.all(planned.map((id) => house.attempt(id)))).map((each) => each.row).sort(),
    ).toEqual([3, 5]);
    expect(await house.plan(campaign, 10, [])).toEqual([]);
    expect(await house.ledger.campaigns.places(campaign)).toHaveLength(4);
  });

  it('waits until the next attempt is due', async () => {
    const { house, campaign } = await books.campaign({ people: 1, maxAttempts: 3, retry: { busy: [60] } });
    const [first] = await house.plan(campaign);
    await house.call(first!);
    await house.settle(first!, 'busy', { again: 60 });
    expect(await house.plan(campaign)).toEqual([]);
    expect(await house.ledger.lanes.plannable(null, null)).toEqual([]);
    await books.sql(`update carillon.recipients set next_at = now() where campaign_id = $1`, [campaign]);
    const [second] = await house.plan(campaign);
    expect((await house.ledger.attempts.load(second!))!.number).toBe(2);
  });

  it('uses the callers in turn, and another one for the next attempt', async () => {
    const house = books.house();
    const callers = [{ number: '+14155550100' }, { numberId: 'number-2' }];
    const campaign = await house.campaign({ people: 4, callers, maxAttempts: 2, retry: { busy: [0] } });
    const planned = await house.plan(campaign);
    const used = await Promise.all(planned.map(async (id) => (await house.attempt(id)).caller));
    expect(tally(used.map((caller) => JSON.stringify(caller)))).toEqual({
      [JSON.stringify(callers[0])]: 2,
      [JSON.stringify(callers[1])]: 2,
    });
    await house.call(planned[0]!);
    await house.settle(planned[0]!, 'busy', { again: 0 });
    const [again] = await house.plan(campaign);
    expect((await house.attempt(again!)).caller).not.toEqual(used[0]);
  });

  it('plans nobody for a campaign that is not running', async () => {
    const { house, campaign } = await books.campaign({ people: 2 });
    await house.ledger.campaigns.pause([campaign], 'a person');
    expect(await house.plan(campaign)).toEqual([]);
    expect(await house.states(campaign)).toEqual(['waiting', 'waiting']);
  });

  it.each<[string, string[] | null]>([
    ['without a window', null],
    ['in open zones', ['']],
  ])('looks up a phone in use only by its key, however many are planned: %s', async (_, places) => {
    const { house, campaign } = await books.campaign({ people: 400 });
    const lane = await house.lane();
    await house.planOn(lane, campaign, 300);
    const hand = await books.hand();
    const rowsRead = async (): Promise<number> => {
      const { rows } = await hand.query(
        `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_xact_all_tables
         where relid = 'carillon.attempts'::regclass`,
      );
      return rows[0].read;
    };
    await hand.query('begin');
    const before = await rowsRead();
    const request = { id: campaign, limit: 100, due: 100, queued: 0, places };
    const planned = await hand.query('select from carillon.plan_attempts($1, $2, 100, 100)', [
      lane,
      JSON.stringify([request]),
    ]);
    expect(planned.rowCount).toBe(100);
    expect((await rowsRead()) - before).toBe(0);
  });

  it('skips people who were suppressed while they were being imported', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    // A suppression that crossed with the import: it saw nobody to skip.
    await books.sql(`insert into carillon.suppressions (phone) values ($1)`, [person(2).phone]);
    try {
      expect(await house.plan(campaign)).toHaveLength(2);
      expect(await house.states(campaign)).toEqual(['queued', 'skipped', 'queued']);
    } finally {
      await house.ledger.suppressions.remove([person(2).phone]);
    }
  });

  it('shows the planner which campaigns have due rows, and how many up to its limit', async () => {
    const { house, campaign: small } = await books.campaign({ people: 3 });
    const large = await house.campaign({ people: 30 });
    await house.campaign();
    await house.campaign({ people: 2, state: 'draft' });
    await house.campaign({ people: 2, driver: 'run' });
    const found = await house.ledger.lanes.plannable(null, null, 20);
    expect(found.map(({ id, due }) => [id, due])).toEqual([
      [small, 3],
      [large, 20],
    ]);
  });

  it('shows a run’s campaign only to that run', async () => {
    const { house, campaign } = await books.campaign({ people: 1, driver: 'run', state: 'draft' });
    const runId = '00000000-0000-4000-8000-000000000001';
    expect(await house.ledger.campaigns.take(campaign, runId)).toBe(true);
    expect(await house.ledger.lanes.plannable(null, null)).toEqual([]);
    expect(await house.ledger.lanes.plannable(campaign, '00000000-0000-4000-8000-000000000002')).toEqual([]);
    expect(await house.ledger.lanes.plannable(campaign, runId)).toHaveLength(1);
  });

  it('leaves the plans of a resting campaign out of the lane’s load', async () => {
    const { house, campaign: busy } = await books.campaign({ people: 5 });
    const resting = await house.campaign();
    await house.add(resting, persons(4, 100));
    await house.plan(busy, 3);
    await house.plan(resting, 4);
    await house.ledger.campaigns.pause([resting], 'a person');
    const loads = await house.ledger.lanes.loads();
    expect(loads.map((room) => room.planned).sort()).toEqual([0, 3]);
  });
});

describe('people who are due again and people who were never called', () => {
  /** Of six people two are due again; returns the attempts' numbers in the order in which they are planned. */
  const line = async (retryFirst: boolean, sizes: number[]): Promise<number[]> => {
    const { house, campaign } = await books.campaign({
      people: 6,
      maxAttempts: 2,
      retry: { busy: [0] },
      retryFirst,
    });
    for (const id of await house.plan(campaign, 2)) {
      await house.call(id);
      await house.settle(id, 'busy', { again: 0 });
    }
    const numbers: number[] = [];
    for (const size of sizes) {
      for (const id of await house.plan(campaign, size)) {
        numbers.push((await house.ledger.attempts.load(id))!.number);
      }
    }
    expect(await house.faults()).toEqual([]);
    await books.vacate();
    return numbers;
  };

  it('take turns, also when they are planned one at a time', async () => {
    expect(tally((await line(false, [4])).map(String))).toEqual({ 1: 2, 2: 2 });
    expect((await line(false, [1, 1, 1, 1])).sort()).toEqual([1, 1, 2, 2]);
    expect((await line(false, [1, 1])).sort()).toEqual([1, 2]);
  });

  it('leave their turns to the others when there are none of them', async () => {
    expect(tally((await line(false, [6])).map(String))).toEqual({ 1: 4, 2: 2 });
  });

  it('go first when they are due again, where the order says so', async () => {
    expect(await line(true, [6])).toEqual([2, 2, 1, 1, 1, 1]);
    expect(await line(true, [1, 1, 1])).toEqual([2, 2, 1]);
  });
});

describe('an order that is changed to fewer attempts', () => {
  it('ends people who have had that many, and leaves the balance sound', async () => {
    const house = books.house();
    const wish = readOrder({ agent: 'a' });
    const campaign = await house.campaign({ people: 2, maxAttempts: 3, retry: { busy: [0] } });
    for (let round = 0; round < 2; round++) {
      const planned = await house.plan(campaign, 1);
      await house.call(planned[0]!);
      await house.settle(planned[0]!, 'busy', { again: 0 });
      await books.sql(`update carillon.recipients set next_at = '-infinity' where campaign_id = $1`, [
        campaign,
      ]);
    }
    await house.ledger.campaigns.change(campaign, { ...wish, maxAttempts: 1, retry: {} });
    const people = await house.people(campaign);
    expect(people.map((each) => [each.state, each.outcome, each.attempts])).toEqual([
      ['done', 'busy', 2],
      ['waiting', null, 0],
    ]);
    expect(await house.faults()).toEqual([]);
    await house.ledger.campaigns.change(campaign, { ...wish, maxAttempts: 2, retry: { busy: [0] } });
  });
});
