import { describe, expect, it } from 'vitest';
import { createWaits } from '../../src/rules/wait-reason.ts';
import { type House, inSeconds, person, persons, shareBooks, suppress } from './support.ts';

/** A person who asked on a call to be called back. */
const books = await shareBooks();

const wish = (seconds: number) => {
  const callbackAt = inSeconds(seconds);
  return { callbackAt, callbackNote: `asked to be called back at ${callbackAt}` };
};
const due = (campaign: string) =>
  books.sql(
    `update carillon.recipients set next_at = now() - interval '1 second'
     where campaign_id = $1 and callback_at is not null`,
    [campaign],
  );
const told = (id: string) =>
  books.sql<{ detail: string }>(
    `select detail from carillon.history where attempt_id = $1 and kind = 'callback' order by at`,
    [id],
  );
const lines = async (house: House, campaign: string) =>
  (await house.ledger.reports.page(campaign, { row: -1, id: -1 }, 10)).rows;
const soundly = async (house: House) => expect(await house.faults()).toEqual([]);

async function asked(house: House, order: Parameters<House['campaign']>[0] = {}, people = 1) {
  const campaign = await house.campaign({ people, ...order });
  const [id] = await house.plan(campaign, 1);
  const first = (await house.ledger.attempts.load(id!))!;
  await house.call(id!);
  await house.settle(id!, 'answered', wish(3_600));
  return { campaign, id: id!, first };
}

describe('a person who asked to be called back', () => {
  it('waits until then, and is told to wait for it', async () => {
    const house = books.house();
    const { campaign, id } = await asked(house);
    expect(await house.plan(campaign)).toEqual([]);
    const [line] = await lines(house, campaign);
    expect(line).toMatchObject({ state: 'waiting', outcome: 'answered', held: 'callback' });
    expect(line!.nextAt).toEqual(line!.callbackAt);
    const campaignNow = { state: 'running', driver: 'background', runLives: false, calendar: null };
    const waits = createWaits({ ...campaignNow, turn: 'rate' }, Date.now());
    expect(waits(line!)).toEqual({ reason: 'callback', until: line!.callbackAt });
    expect(await house.ledger.reports.waiting(campaign)).toMatchObject([{ held: 'callback', n: 1 }]);
    expect((await told(id)).map(({ detail }) => detail)).toEqual([expect.stringContaining('called back at')]);
    await soundly(house);
  });

  it('is called before everyone else once it is time', async () => {
    const house = books.house();
    const { campaign } = await asked(house, { maxAttempts: 2 }, 4);
    // The second of the list waits for a retry that is due for longer.
    const [second] = await house.plan(campaign, 1);
    await house.call(second!);
    await house.settle(second!, 'busy', { again: 0 });
    await books.sql(
      `update carillon.recipients set next_at = now() - interval '1 hour' where campaign_id = $1 and outcome = 'busy'`,
      [campaign],
    );
    await due(campaign);
    const order = await Promise.all((await house.plan(campaign, 4)).map((each) => house.attempt(each)));
    expect(order[0]!.phone).toBe((await house.people(campaign))[0]!.phone);
    expect(order).toHaveLength(4);
    await soundly(house);
  });

  it('waits for an open place like the others', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, [person(900, { place: 'Asia/Tokyo' })]);
    const [id] = await house.plan(campaign);
    await house.call(id!);
    await house.settle(id!, 'answered', wish(60));
    await due(campaign);
    expect(await house.plan(campaign, 1, ['Europe/Paris'])).toEqual([]);
    expect(await house.plan(campaign, 1, ['Europe/Paris', 'Asia/Tokyo'])).toHaveLength(1);
  });

  it('is called by the same agent from the same number, as far as the order has them', async () => {
    const house = books.house();
    const callers = ['+14155550100', '+14155550101', '+14155550102'].map((number) => ({ number }));
    const agents = ['a', 'b', 'c'].map((id) => ({ id, share: 1 }));
    const { campaign, first } = await asked(house, { callers, agents });
    await due(campaign);
    // The share of every other agent is a thousandfold now.
    const shares = agents.map(({ id }) => ({ id, share: id === first.agentId ? 1 : 1_000 }));
    const change = (order: object) =>
      books.sql('update carillon.campaigns set terms = terms || $2::jsonb where id = $1', [
        campaign,
        JSON.stringify(order),
      ]);
    await change({ agents: shares });
    const [back] = await house.plan(campaign);
    const planned = await house.ledger.attempts.load(back!);
    expect(planned).toMatchObject({ agentId: first.agentId, caller: first.caller, number: 2 });
    await house.call(back!);
    await house.settle(back!, 'answered', wish(60));
    await due(campaign);
    await change({
      callers: callers.filter(({ number }) => number !== (first.caller as { number: string }).number),
      agents: agents.filter(({ id }) => id !== first.agentId),
    });
    const [other] = await house.plan(campaign);
    const moved = (await house.ledger.attempts.load(other!))!;
    expect(moved.agentId).not.toBe(first.agentId);
    expect(moved.caller).not.toEqual(first.caller);
    expect(moved.caller).not.toBeNull();
  });

  it('has as many attempts left as without that call', async () => {
    const house = books.house();
    const { campaign } = await asked(house, { maxAttempts: 2 });
    await due(campaign);
    for (const [outcome, again] of [
      ['busy', 0],
      ['busy', null],
    ] as const) {
      const [id] = await house.plan(campaign);
      const { attempts, callbacks } = (await house.ledger.attempts.load(id!))!;
      expect(callbacks).toBe(1);
      await house.call(id!);
      await house.settle(id!, outcome, { again });
      expect(attempts).toBeGreaterThan(0);
    }
    expect((await lines(house, campaign))[0]).toMatchObject({ state: 'done', attempts: 3, callbackAt: null });
    await soundly(house);
    // An order for more attempts is about the others too.
    await house.ledger.campaigns.change(campaign, {
      ...(await house.ledger.campaigns.get(campaign)),
      maxAttempts: 3,
      retry: { busy: [60] },
    } as never);
    const [renewed] = await house.ledger.campaigns.renewable(campaign, ['busy'], { row: -1, id: -1 });
    expect(renewed).toMatchObject({ attempts: 3, callbacks: 1 });
  });

  it('keeps the call when the order allows fewer attempts', async () => {
    const house = books.house();
    const { campaign } = await asked(house, { maxAttempts: 3 });
    const order = await house.ledger.campaigns.get(campaign);
    await house.ledger.campaigns.change(campaign, { ...order, maxAttempts: 1 } as never);
    expect(await house.states(campaign)).toEqual(['waiting']);
  });

  it('is not called sooner by an act on many', async () => {
    const house = books.house();
    const { campaign } = await asked(house);
    const ids = (await house.people(campaign)).map(({ id }) => id);
    const again = await house.ledger.db.transaction((tx) => house.ledger.bulk.retry(tx, ids, true));
    expect(again).toEqual([]);
    const [person] = await house.ledger.bulk.look(ids);
    expect(person).toMatchObject({ held: 'callback', later: true });
    expect(await house.plan(campaign)).toEqual([]);
  });

  it('is not called when the phone is suppressed, or the campaign canceled', async () => {
    const house = books.house();
    const { campaign } = await asked(house);
    const phone = (await house.people(campaign))[0]!.phone;
    await suppress(house.ledger, [phone]);
    expect(await house.people(campaign)).toMatchObject([{ state: 'done', reason: 'suppressed' }]);
    expect((await lines(house, campaign))[0]).toMatchObject({ callbackAt: null });
    await house.ledger.suppressions.remove([phone]);

    const other = await house.campaign({ people: 1 });
    const [id] = await house.plan(other);
    await house.call(id!);
    await house.ledger.campaigns.cancel(other);
    await house.settle(id!, 'answered', wish(60));
    expect(await house.states(other)).toEqual(['done']);
    await soundly(house);
  });
});

describe('a wish that the record tells late', () => {
  const keep = (house: House, id: string, more: object) =>
    house.ledger.refreshes.keep({ id, asked: 1, next: null, over: false, ...more });

  it('brings a person back who was done, once', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(1, 700));
    const [id] = await house.plan(campaign);
    await house.call(id!);
    await house.settle(id!, 'answered', { refresh: ['structured_data'], refreshIn: 10 });
    expect(await house.states(campaign)).toEqual(['done']);
    for (const seconds of [600, 1_200]) await keep(house, id!, wish(seconds));
    const [line] = await lines(house, campaign);
    expect(line).toMatchObject({ state: 'waiting', held: 'callback' });
    expect(line!.callbackAt!.getTime()).toBeLessThan(Date.now() + 700_000);
    expect(await told(id!)).toHaveLength(1);
    await due(campaign);
    const [back] = await house.plan(campaign);
    expect((await house.ledger.attempts.load(back!))!.callbacks).toBe(1);
    await soundly(house);
  });

  it('changes nothing once the person has had another call, or wants none', async () => {
    const { house, campaign } = await books.campaign({ people: 2, maxAttempts: 2 });
    const [first, silent] = await house.plan(campaign, 2);
    for (const id of [first, silent]) await house.call(id!);
    await house.settle(first!, 'answered', { again: 0 });
    await house.settle(silent!, 'answered');
    const [second] = await house.plan(campaign);
    await house.call(second!);
    await house.settle(second!, 'busy');
    await keep(house, first!, wish(600));
    await keep(house, silent!, { optOut: 'said' });
    await keep(house, silent!, wish(600));
    expect(await house.states(campaign)).toEqual(['done', 'done']);
    await soundly(house);
  });
});
