import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAttempts } from '../../src/ledger/attempts/attempts.ts';
import { createBudgets } from '../../src/ledger/budgets/budgets.ts';
import { until } from '../support/until.ts';
import { type House, openerOn, shareBooks, tally } from './support.ts';

const books = await shareBooks();

const budgetsOf = (house: House) => createBudgets(house.ledger.db, house.baseUrl);
const known = async (house: House, campaign: string) => (await budgetsOf(house).ofCampaign(campaign))!;

/** The currency of a campaign's costs, by itself and in the list. */
const currencies = async ({ ledger }: House, campaign: string) => {
  const { currency } = await ledger.reports.standing(campaign);
  const listed = await ledger.campaigns.page(null, 200, null, null, null);
  return [currency, listed.find(({ id }) => id === campaign)!.currency];
};

/** Calls this many people whose calls cost so much each, so that it is known what a call costs. */
async function spend(house: House, campaign: string, calls: number, cost = 0.1): Promise<void> {
  for (const id of await house.plan(campaign, calls)) {
    await house.call(id);
    expect(await house.settle(id, 'answered', { cost })).toBe(true);
  }
}

/** Opens the second while the first one's opening is not committed yet. */
async function openAtOnce(house: House, first: string, second: string): Promise<unknown[]> {
  const [one, two] = [await books.hand(), await books.hand()];
  const { rows } = await two.query('select pg_backend_pid() as pid');
  const open = async (client: typeof one, id: string) => {
    const { revision, agentId: agent } = (await house.ledger.attempts.load(id))!;
    const want = JSON.stringify([{ id, revision, agent }]);
    const opened = 'select verdict from carillon.open_attempts($1, $2, null, null, 30000, 1000)';
    return (await client.query(opened, [want, 'd'])).rows[0]!.verdict;
  };
  await one.query('begin');
  const verdict = await open(one, first);
  let done = false;
  const other = open(two, second).finally(() => {
    done = true;
  });
  const waits = 'select from pg_stat_activity where pid = $1 and wait_event_type = $2';
  await until(async () => (await books.sql(waits, [rows[0]!.pid, 'Lock'])).length > 0 || done);
  await one.query('commit');
  return [verdict, await other];
}

/** Plans whatever the planner thinks of money: only the fence judges. */
const admitAll = async (house: House, ids: readonly string[]) => {
  const verdicts: string[] = [];
  for (const id of ids) verdicts.push(await house.admit(id));
  return tally(verdicts);
};

describe('the budget of a campaign', () => {
  it('lets the last call pass that fits, and no further one', async () => {
    const { house, campaign } = await books.campaign({ people: 20, maxCost: 1 });
    let calls = 0;
    for (const id of await house.plan(campaign, 20)) {
      const verdict = await house.admit(id);
      if (verdict === 'budget') break;
      calls += 1;
      await house.place(id);
      await house.settle(id, 'answered', { cost: 0.1 });
    }
    expect(calls).toBe(10);
    expect(await known(house, campaign)).toMatchObject({ most: 1, reserved: 0, fits: false });
    expect((await known(house, campaign)).spent).toBeCloseTo(1);
  });

  it('is told as nearly spent while somebody is left to call', async () => {
    const { house, campaign } = await books.campaign({ people: 10, maxCost: 1 });
    const near = async () => (await budgetsOf(house).near(0.8)).map(({ subject }) => subject);
    await spend(house, campaign, 9);
    expect(await near()).toEqual([campaign]);
    await house.plan(campaign, 1);
    expect(await near()).toEqual([]);
  });

  it('makes one call at a time until a cost is known, then no more at once than are known', async () => {
    const { house, campaign, ids } = await books.planned({ people: 8, maxCost: 100 }, 8);
    expect(await admitAll(house, ids)).toEqual({ open: 1, budget: 7 });
    await house.place(ids[0]!);
    // The service has yet to work out what the conversation costs.
    const refresh = { refresh: ['cost'] as const, refreshIn: 10 };
    await house.settle(ids[0]!, 'answered', { cost: null, ...refresh });
    expect(await house.admit(ids[1]!)).toBe('budget');
    expect(await known(house, campaign)).toMatchObject({ awaits: true, next: null });
    const told = { asked: 1, next: null, over: true, cost: 0.5 };
    await house.ledger.refreshes.keep({ id: ids[0]!, ...told });
    expect(await known(house, campaign)).toMatchObject({ spent: 0.5, next: 0.5 });
    expect(await admitAll(house, ids.slice(1))).toEqual({ open: 2, budget: 5 });
  });

  it('is kept by two processes that open at once', async () => {
    const { house, campaign } = await books.campaign({ people: 120, maxCost: 4 });
    await spend(house, campaign, 20);
    const ids = await house.plan(campaign, 100);
    const db = books.another();
    const other = createAttempts(db);
    const loaded = await Promise.all(ids.map((id) => house.ledger.attempts.load(id)));
    const verdicts = await Promise.all(
      loaded.map((attempt, i) => {
        const { id, revision, laneId, agentId: agent } = attempt!;
        const attempts = i % 2 === 0 ? house.ledger.attempts : other;
        return attempts.open({ id, revision, agent }, { ...openerOn(laneId), dialer: `process ${i % 2}` });
      }),
    );
    const { open = 0, budget = 0 } = tally(verdicts);
    expect(open + budget).toBe(100);
    // 2 of 4 are spent, and 20 calls of 0.1 take the rest.
    expect(open).toBe(20);
    const { spent, reserved } = await known(house, campaign);
    expect(spent + reserved).toBeLessThanOrEqual(4 + 1e-6);
  });

  it('reserves for each call as much as the dearest of its agent so far, and never passes', async () => {
    const house = books.house();
    const agents = [
      { id: 'dear', share: 1 },
      { id: 'cheap', share: 1 },
    ];
    await spend(house, await house.campaign({ people: 8, agents: [agents[1]!] }), 8, 0.1);
    const dear = await house.campaign({ people: 9, agents: [agents[0]!] });
    await spend(house, dear, 7, 0.2);
    await spend(house, dear, 1, 0.9);
    const campaign = await house.campaign({ people: 40, agents, maxCost: 2 });
    const opened: Record<string, number> = {};
    for (const id of await house.plan(campaign, 40)) {
      const { agentId } = (await house.ledger.attempts.load(id))!;
      if ((await house.admit(id)) === 'open') opened[agentId] = (opened[agentId] ?? 0) + 1;
    }
    const { dear: costly = 0, cheap = 0 } = opened;
    const { reserved, next } = await known(house, campaign);
    expect(next).toBe(0.9);
    expect(reserved).toBeCloseTo(costly * 0.9 + cheap * 0.1);
    expect(reserved).toBeLessThanOrEqual(2);
    expect(reserved).toBeGreaterThan(0.7);
  });

  it('reserves what the service’s description says, until a cost of the agent is known', async () => {
    const { house, campaign, ids } = await books.planned({ people: 8, maxCost: 2.2 }, 8);
    await house.ledger.lanes.join(['main'], 0.5);
    expect(await admitAll(house, ids)).toEqual({ open: 4, budget: 4 });
    expect(await known(house, campaign)).toMatchObject({ reserved: 2, next: 0.5, awaits: false });
    await house.place(ids[0]!);
    await house.settle(ids[0]!, 'answered', { cost: 0.3 });
    expect(await known(house, campaign)).toMatchObject({ spent: 0.3, next: 0.3 });
    expect((await known(house, campaign)).reserved).toBeCloseTo(0.9);
  });

  it('counts a currency no more that was corrected', async () => {
    const { house, campaign } = await books.campaign({ people: 9, maxCost: 100 });
    const told = { asked: 1, next: null, over: true };
    for (const cost of [0.1, 0.2, 0.3]) {
      const [id] = await house.plan(campaign, 1);
      await house.call(id!);
      await house.settle(id!, 'answered', { cost, currency: 'EUR', refresh: ['cost'], refreshIn: 10 });
      await house.ledger.refreshes.keep({ id: id!, ...told, cost, currency: 'USD' });
    }
    await house.ledger.tallies.fold();
    expect(await known(house, campaign)).toMatchObject({ mixed: false, currency: 'USD' });
    expect(await currencies(house, campaign)).toEqual(['USD', 'USD']);
  });

  it('is judged after the other process has committed what it opened', async () => {
    const { house, campaign } = await books.campaign({ people: 5, maxCost: 0.4 });
    await spend(house, campaign, 3);
    // 0.3 of 0.4 are spent: one more fits.
    const [first, second] = await house.plan(campaign, 2);
    expect(await openAtOnce(house, first!, second!)).toEqual(['open', 'budget']);
  });

  const ways: [string, (house: House, id: string) => Promise<unknown>, string][] = [
    [
      'a request that surely never left',
      ({ ledger }, id) => ledger.attempts.withhold({ id, sent: false, detail: null }),
      'planned',
    ],
    ['a 402', async (house, id) => house.ledger.attempts.park(id, await house.lane(), 'no credit'), 'parked'],
    ['a refusal of the person', ({ ledger }, id) => ledger.attempts.refusePerson(id, 'no'), 'refused'],
    ['a refusal of the order', ({ ledger }, id) => ledger.attempts.refuseOrder(id, 'no', 9), 'refused'],
    [
      'a person who says that no call was made',
      async (house, id) => {
        await house.ledger.attempts.lose({ id, reason: 'lost', detail: 'reset' });
        expect((await known(house, (await house.attempt(id)).campaignId)).reserved).toBeCloseTo(0.1);
        await house.free(id);
      },
      'dropped',
    ],
    [
      'a record that says that nobody was dialled',
      async (house, id) => {
        await house.place(id);
        await house.ledger.attempts.undialled(id, 'no-room', 'full', 1);
      },
      'dropped',
    ],
    [
      'a call that cost nothing',
      async (house, id) => {
        await house.place(id);
        await house.settle(id, 'no-answer', { cost: null });
      },
      'done',
    ],
  ];
  it.each(ways)('gives back what %s had reserved', async (_, way, state) => {
    const { house, campaign } = await books.campaign({ people: 12, maxCost: 50 });
    await spend(house, campaign, 10);
    const [id] = await house.plan(campaign, 1);
    expect(await house.admit(id!)).toBe('open');
    expect(await known(house, campaign)).toMatchObject({ calls: 1 });
    expect((await known(house, campaign)).reserved).toBeCloseTo(0.1);
    await way(house, id!);
    expect((await house.attempt(id!)).state).toBe(state);
    const left = await known(house, campaign);
    expect(left).toMatchObject({ calls: 0, reserved: 0 });
    expect(left.spent).toBeCloseTo(1);
  });

  it('reserves for an answered call until its cost is told, and takes a cost that changes', async () => {
    const { house, campaign } = await books.campaign({ people: 12, maxCost: 50 });
    await spend(house, campaign, 10);
    const [id] = await house.plan(campaign, 1);
    await house.call(id!);
    await house.settle(id!, 'answered', { cost: 0, refresh: ['cost'], refreshIn: 10 });
    expect((await known(house, campaign)).reserved).toBeCloseTo(0.1);
    const told = { id: id!, asked: 1, next: null, over: true };
    await house.ledger.refreshes.keep({ ...told, cost: 0.3 });
    expect(await known(house, campaign)).toMatchObject({ reserved: 0 });
    expect((await known(house, campaign)).spent).toBeCloseTo(1.3);
    await house.ledger.refreshes.keep({ ...told, cost: 0.25 });
    expect((await known(house, campaign)).spent).toBeCloseTo(1.25);
    await house.ledger.tallies.fold();
    expect((await known(house, campaign)).spent).toBeCloseTo(1.25);
  });

  it('that is spent plans nobody, and says why they wait until it is raised', async () => {
    const { house, campaign } = await books.campaign({ people: 14, maxCost: 1 });
    await spend(house, campaign, 10);
    const plannable = async () =>
      (await house.ledger.lanes.plannable(null, null, 10)).map(({ allowed }) => allowed);
    expect(await plannable()).toEqual([0]);
    expect((await house.ledger.lanes.turns([campaign])).get(campaign)).toEqual({
      turn: 'budget',
      turnUntil: null,
    });
    await books.sql(`update carillon.campaigns set terms = terms || '{"maxCost": 1.2}' where id = $1`, [
      campaign,
    ]);
    expect(await plannable()).toEqual([2]);
    expect((await house.ledger.lanes.turns([campaign])).get(campaign)?.turn).toBe('rate');
  });

  it('of costs in two currencies lets nothing pass', async () => {
    const { house, campaign } = await books.campaign({ people: 3, maxCost: 100 });
    for (const currency of ['USD', 'EUR']) {
      const [id] = await house.plan(campaign, 1);
      await house.call(id!);
      await house.settle(id!, 'answered', { cost: 0.1, currency });
    }
    const [id] = await house.plan(campaign, 1);
    expect(await house.admit(id!)).toBe('budget');
    expect(await known(house, campaign)).toMatchObject({ mixed: true, fits: false });
    expect(await budgetsOf(house).currencies()).toEqual(['EUR', 'USD']);
    await house.ledger.tallies.fold();
    expect(await currencies(house, campaign)).toEqual([null, null]);
  });
});

describe('the budget of a day and a month', () => {
  it('is that of the process with the lowest, and holds for every campaign', async () => {
    const house = books.house();
    const budgets = budgetsOf(house);
    const [one, two] = [randomUUID(), randomUUID()];
    const [first, second] = [await house.campaign({ people: 9 }), await house.campaign({ people: 9 })];
    await spend(house, first, 3);
    await spend(house, second, 3);
    expect(await budgets.keep(one, { day: 5, month: null })).toEqual({ day: 5, month: null });
    expect(await budgets.keep(two, { day: null, month: 0.7 })).toEqual({ day: 5, month: 0.7 });
    const [id] = await house.plan(first, 1);
    const [other] = await house.plan(second, 1);
    expect(await house.admit(id!)).toBe('open');
    expect(await house.admit(other!)).toBe('budget');
    const [day, month] = await budgets.ofService();
    expect(day).toMatchObject({ kind: 'day', most: 5, calls: 1, fits: true });
    expect(month).toMatchObject({ kind: 'month', most: 0.7, calls: 1, fits: false });
    const { turn: reason, turnUntil: until } = (await house.ledger.lanes.turns([second])).get(second)!;
    const now = new Date();
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    expect({ reason, until: until?.getTime() }).toEqual({ reason: 'budget', until: next });
    // The process stops: its budget no longer holds.
    await house.ledger.processes.leave(two);
    expect(await house.admit(other!)).toBe('open');
  });

  it('is judged after the other process has committed what it opened', async () => {
    const house = books.house();
    const [first, second] = [await house.campaign({ people: 9 }), await house.campaign({ people: 9 })];
    await spend(house, first, 3);
    await budgetsOf(house).keep(randomUUID(), { day: 0.4, month: null });
    const ids = [...(await house.plan(first, 1)), ...(await house.plan(second, 1))];
    expect(await openAtOnce(house, ids[0]!, ids[1]!)).toEqual(['open', 'budget']);
  });

  it('counts a call on the day on which it was dialled', async () => {
    const { house, campaign } = await books.campaign({ people: 9 });
    await spend(house, campaign, 4);
    await budgetsOf(house).keep(randomUUID(), { day: 0.4, month: null });
    const [id] = await house.plan(campaign, 1);
    expect(await house.admit(id!)).toBe('budget');
    await house.ledger.tallies.fold();
    await books.sql(`update carillon.costs set day = day - 1 where base_url = $1`, [house.baseUrl]);
    expect(await house.admit(id!)).toBe('open');
  });

  it('of another service does not count', async () => {
    const [house, other] = [books.house(), books.house()];
    await budgetsOf(other).keep(randomUUID(), { day: 0.01, month: null });
    const campaign = await house.campaign({ people: 3 });
    await spend(house, campaign, 3);
  });
});

it('the next call’s cost follows the agent’s other calls where the campaign has none', async () => {
  const house = books.house();
  const agents = [{ id: 'dear', share: 1 }];
  await spend(house, await house.campaign({ people: 30, agents }), 30, 2);
  await spend(house, await house.campaign({ people: 30 }), 30, 0.1);
  const campaign = await house.campaign({ people: 50, agents, maxCost: 10 });
  expect((await budgetsOf(house).price(campaign)).price).toBeCloseTo(2);
  expect((await known(house, campaign)).next).toBe(2);
});
