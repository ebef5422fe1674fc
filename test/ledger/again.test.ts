import { describe, expect, it } from 'vitest';
import { renewPeople } from '../../src/dispatch/renew.ts';
import type { Order } from '../../src/rules/order.ts';
import { type CampaignWish, type House, person, shareBooks } from './support.ts';

/** People who were done and are called again: because a person says so, or the order allows more attempts. */
const books = await shareBooks();

/** A campaign whose people have ended so, each after one call. */
async function ended(
  house: House,
  outcomes: string[],
  wish: CampaignWish = {},
): Promise<{ campaign: string; ended: (id: string, outcome: string) => Promise<void> }> {
  const campaign = await house.campaign({ people: outcomes.length, ...wish });
  const end = async (id: string, outcome: string) => {
    await house.call(id);
    expect(await house.settle(id, outcome)).toBe(true);
  };
  const planned = await house.plan(campaign);
  for (const [i, outcome] of outcomes.entries()) await end(planned[i]!, outcome);
  await house.ledger.campaigns.finish(house.baseUrl);
  return { campaign, ended: end };
}

const change = async (house: House, campaign: string, more: Partial<Order>) => {
  const order = await house.ledger.campaigns.get(campaign);
  expect(await house.ledger.campaigns.change(campaign, { ...order, ...more })).toBe(true);
  return renewPeople(house.ledger, campaign);
};
const stateOf = async (house: House, campaign: string) => (await house.ledger.campaigns.get(campaign)).state;
const outcomesOf = async (house: House, campaign: string) =>
  (await house.ledger.reports.standing(campaign)).outcomes;

describe('people who are tried again because a person says so', () => {
  it('wait again, once more than the order allows, and no one else does', async () => {
    const house = books.house();
    const { campaign, ended: end } = await ended(house, ['busy', 'failed', 'answered', 'busy']);
    expect(await stateOf(house, campaign)).toBe('done');
    expect(await house.retry(campaign, ['busy', 'failed'])).toBe(3);
    await house.ledger.campaigns.wake(campaign);
    expect(await stateOf(house, campaign)).toBe('running');
    expect(await house.states(campaign)).toEqual(['waiting', 'waiting', 'done', 'waiting']);
    expect(await outcomesOf(house, campaign)).toEqual({ answered: 1 });
    const again = await house.plan(campaign);
    expect(again).toHaveLength(3);
    for (const id of again) {
      const attempt = (await house.ledger.attempts.load(id))!;
      expect([attempt.granted, attempt.earlier.length]).toEqual([2, 1]);
      await end(id, 'answered');
    }
    expect(await outcomesOf(house, campaign)).toEqual({ answered: 4 });
  });

  it('are neither the suppressed, nor the unknown, nor those who wait already', async () => {
    const house = books.house();
    const { campaign } = await ended(house, ['busy', 'busy']);
    await house.add(campaign, [person(11, { row: 11 }), person(12, { row: 12 })], { mode: 'more' });
    await house.ledger.campaigns.resume(campaign);
    const [lost] = await house.plan(campaign, 1);
    await house.admit(lost!);
    await house.ledger.attempts.lose({ id: lost!, reason: 'lost', detail: 'x' });
    const [first] = await house.people(campaign);
    await books.sql('insert into carillon.suppressions (phone) values ($1)', [first!.phone]);
    try {
      expect(await house.retry(campaign, ['busy'])).toBe(1);
      expect(await house.states(campaign)).toEqual(['done', 'waiting', 'unknown', 'waiting']);
      expect(await house.retry(campaign, ['busy'])).toBe(0);
      expect(await house.faults()).toEqual([]);
    } finally {
      await books.sql('delete from carillon.suppressions where phone = $1', [first!.phone]);
    }
  });

  it('stay as they are on a canceled campaign', async () => {
    const house = books.house();
    const { campaign } = await ended(house, ['busy']);
    await house.ledger.campaigns.cancel(campaign);
    expect(await house.retry(campaign, ['busy'])).toBe(0);
    expect(await house.states(campaign)).toEqual(['done']);
  });

  it('keep their attempt when the order allows fewer meanwhile', async () => {
    const house = books.house();
    const { campaign } = await ended(house, ['busy'], { maxAttempts: 2, retry: { failed: [60] } });
    await house.retry(campaign, ['busy']);
    await change(house, campaign, { maxAttempts: 1, retry: {} });
    expect(await house.states(campaign)).toEqual(['waiting']);
  });
});

describe('an order that allows more attempts than before', () => {
  const retry = { busy: [600], 'no-answer': [60, 86_400] };

  it('frees those whose last end has a rule, at the time of the rule from that end on', async () => {
    const house = books.house();
    const { campaign } = await ended(house, ['busy', 'answered', 'no-answer', 'failed']);
    await books.sql(
      `update carillon.ended_attempts set ended_at = ended_at - interval '5 minutes' where campaign_id = $1`,
      [campaign],
    );
    expect(await change(house, campaign, { maxAttempts: 2, retry })).toBe(true);
    const people = await house.people(campaign);
    expect(people.map(({ state }) => state)).toEqual(['waiting', 'done', 'waiting', 'done']);
    const inSeconds = (at: Date | null) => (at!.getTime() - Date.now()) / 1_000;
    expect(inSeconds(people[0]!.nextAt)).toBeGreaterThan(200);
    expect(inSeconds(people[0]!.nextAt)).toBeLessThan(305);
    // Its time has passed: it is due at once.
    expect(inSeconds(people[2]!.nextAt)).toBeLessThan(0);
    expect(await house.plan(campaign)).toHaveLength(1);
    expect(await stateOf(house, campaign)).toBe('running');
  });

  it('and one that allows fewer ends them again, and the sums hold', async () => {
    const house = books.house();
    const { campaign, ended: end } = await ended(house, ['no-answer', 'no-answer']);
    await change(house, campaign, { maxAttempts: 3, retry: { 'no-answer': [1] } });
    await books.sql(`update carillon.recipients set next_at = now() where campaign_id = $1`, [campaign]);
    const [again] = await house.plan(campaign, 1);
    await end(again!, 'no-answer');
    await change(house, campaign, { maxAttempts: 1, retry: {} });
    expect(await house.states(campaign)).toEqual(['done', 'done']);
    expect(await outcomesOf(house, campaign)).toEqual({ 'no-answer': 2 });
    // Two calls were had, so a third is the only one left.
    await change(house, campaign, { maxAttempts: 2, retry: { 'no-answer': [1] } });
    expect((await house.states(campaign)).sort()).toEqual(['done', 'waiting']);
  });

  it('leaves a run’s campaign at rest until a person continues it', async () => {
    const house = books.house();
    const { campaign } = await ended(house, ['busy']);
    await books.sql(`update carillon.campaigns set driver = 'run', state = 'done' where id = $1`, [campaign]);
    await change(house, campaign, { maxAttempts: 2, retry });
    expect(await house.ledger.campaigns.get(campaign)).toMatchObject({
      state: 'paused',
      reason: 'people wait again; run or resume it',
    });
  });

  it('is completed by any process when the one that changed it died', async () => {
    const house = books.house();
    const { campaign } = await ended(house, ['busy', 'busy']);
    const order = await house.ledger.campaigns.get(campaign);
    await house.ledger.campaigns.change(campaign, { ...order, maxAttempts: 2, retry });
    await house.ledger.campaigns.resume(campaign);
    // Not done while people are still to be freed.
    expect(await house.ledger.campaigns.finish(house.baseUrl)).toEqual([]);
    expect(await house.ledger.campaigns.toRenew(house.baseUrl)).toEqual([campaign]);
    await renewPeople(house.ledger, campaign);
    expect(await house.ledger.campaigns.toRenew(house.baseUrl)).toEqual([]);
    expect(await house.states(campaign)).toEqual(['waiting', 'waiting']);
  });
});
