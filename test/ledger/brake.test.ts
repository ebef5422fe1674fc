import { describe, expect, it } from 'vitest';
import { leastCalls } from '../../src/rules/order.ts';
import { type House, person, shareBooks } from './support.ts';

/** Campaigns that pause by themselves, and those that continue by themselves. */
const books = await shareBooks();

const brake = async (house: House) =>
  (await house.ledger.campaigns.brake(house.baseUrl, leastCalls)).map(({ reason }) => reason);
const end = async (house: House, id: string, outcome = 'answered', again: number | null = null) => {
  await house.call(id);
  expect(await house.settle(id, outcome, { again })).toBe(true);
};
const stateOf = async (house: House, campaign: string) => {
  const { state, reason, driver } = await house.ledger.campaigns.get(campaign);
  return [state, reason, driver];
};

describe('a campaign that calls some people first', () => {
  it('calls that many, pauses with their outcomes, and calls the rest when it is resumed', async () => {
    const { house, campaign, ids: planned } = await books.planned({ people: 6, first: 3 });
    expect(planned).toHaveLength(3);
    expect(await house.plan(campaign)).toEqual([]);
    await end(house, planned[0]!);
    await end(house, planned[1]!, 'busy');
    await house.admit(planned[2]!);
    expect(await brake(house)).toEqual([]);
    await house.place(planned[2]!);
    await house.settle(planned[2]!, 'busy');
    expect(await brake(house)).toEqual(['first']);
    expect(await stateOf(house, campaign)).toEqual(['paused', 'first', 'background']);
    const { firstOutcomes } = await house.ledger.reports.standing(campaign);
    expect(firstOutcomes).toEqual({ answered: 1, busy: 2 });
    const verbs = ['campaign.pause'];
    const filter = { who: null, verbs, subject: null, campaignId: campaign, since: null, until: null };
    expect(await house.ledger.activity.page(null, 9, filter)).toMatchObject([
      { who: 'carillon', verb: 'campaign.pause', after: { state: 'paused', reason: 'first' } },
    ]);
    await house.ledger.campaigns.resume(campaign);
    expect(await house.plan(campaign)).toHaveLength(3);
    expect(await brake(house)).toEqual([]);
  });

  it('by many planners on several keys calls no one more', async () => {
    const { house, campaign } = await books.campaign({ people: 40, first: 7 });
    const lanes = await Promise.all(['a', 'b', 'c'].map((name) => house.lane(name)));
    const rounds = Array.from({ length: 18 }, (_, n) => house.planOn(lanes[n % 3]!, campaign, 5));
    expect((await Promise.all(rounds)).flat()).toHaveLength(7);
  });

  it('takes another person for a plan that was given back, and one who was called stays counted', async () => {
    const { house, campaign } = await books.campaign({
      people: 5,
      first: 2,
      maxAttempts: 2,
      retry: { busy: [0] },
    });
    const [one, two] = await house.plan(campaign);
    await house.ledger.attempts.giveBack({ id: one!, why: 'the window is closed' });
    await end(house, two!, 'busy', 0);
    const again = await house.plan(campaign);
    const numbers = await Promise.all(
      again.map(async (id) => (await house.ledger.attempts.load(id))!.number),
    );
    expect(numbers.sort()).toEqual([1, 2]);
    // An unknown call waits for a person, and holds nothing up.
    const first = again[numbers.indexOf(1)]!;
    for (const id of again) await house.admit(id);
    await Promise.all(
      again.map((id) => house.ledger.attempts.lose({ id, reason: 'lost', detail: 'no answer' })),
    );
    expect(first).toBeDefined();
    expect(await brake(house)).toEqual(['first']);
  });

  it('opens no more calls than its order says now, whatever order planned them', async () => {
    const house = books.house();
    for (const first of [null, 4]) {
      const campaign = await house.campaign({ people: 6, first });
      const planned = await house.plan(campaign);
      expect(planned).toHaveLength(first ?? 6);
      const order = await house.ledger.campaigns.get(campaign);
      await house.ledger.campaigns.change(campaign, { ...order, first: 2 });
      const admitted = await Promise.all(planned.map((id) => house.admit(id)));
      expect(admitted.filter((each) => each === 'open')).toHaveLength(2);
      expect(new Set(admitted)).toEqual(new Set(['open', 'full']));
      for (const [i, id] of planned.entries()) {
        if (admitted[i] !== 'open') continue;
        await house.place(id);
        await house.settle(id);
      }
      expect(await brake(house)).toEqual(['first']);
    }
  });

  it('stops again when the order wants more people first, and is done when the list has no more', async () => {
    const { house, campaign } = await books.campaign({ people: 3, first: 1 });
    await end(house, (await house.plan(campaign))[0]!);
    expect(await brake(house)).toEqual(['first']);
    const order = await house.ledger.campaigns.get(campaign);
    await house.ledger.campaigns.change(campaign, { ...order, first: 3 });
    await house.ledger.campaigns.resume(campaign);
    const more = await house.plan(campaign);
    expect(more).toHaveLength(2);
    for (const id of more) await end(house, id);
    expect(await brake(house)).toEqual([]);
    expect(await house.ledger.campaigns.finish(house.baseUrl)).toHaveLength(1);
  });
});

describe('a campaign that stops when too many calls fail', () => {
  const stopAt = { percent: 50, seconds: 120 };
  const endAll = async (house: House, campaign: string, outcomes: string[]) => {
    const planned = await house.plan(campaign, outcomes.length);
    for (const [i, outcome] of outcomes.entries()) await end(house, planned[i]!, outcome);
  };

  it('pauses at that share, says so, and judges only new calls when it is resumed', async () => {
    const { house, campaign } = await books.campaign({ people: 20, stopAt });
    await endAll(house, campaign, ['answered', 'failed', 'answered', 'failed', 'answered']);
    expect(await brake(house)).toEqual([]);
    await endAll(house, campaign, ['failed']);
    expect(await brake(house)).toEqual(['stop-at: 3 of 6 calls in 2 min failed']);
    expect(await stateOf(house, campaign)).toEqual([
      'paused',
      'stop-at: 3 of 6 calls in 2 min failed',
      'background',
    ]);
    await house.ledger.campaigns.resume(campaign);
    await endAll(house, campaign, ['failed']);
    expect(await brake(house)).toEqual([]);
  });

  it('does not judge by few calls, by old ones, or by those of other campaigns', async () => {
    const { house, campaign } = await books.campaign({ people: 20, stopAt });
    const other = await house.campaign({ people: 20 });
    await endAll(house, other, ['failed', 'failed', 'failed', 'failed', 'failed']);
    await endAll(house, campaign, ['failed', 'failed', 'failed', 'failed']);
    expect(await brake(house)).toEqual([]);
    await books.sql(`update carillon.recent_ends set at = at - interval '3 minutes'`);
    await endAll(house, campaign, ['failed', 'answered', 'answered', 'answered', 'answered']);
    expect(await brake(house)).toEqual([]);
    await house.ledger.campaigns.forgetEnds();
    const [kept] = await books.sql<{ n: number }>('select count(*)::integer as n from carillon.recent_ends');
    expect(kept!.n).toBe(5);
  });
});

describe('people who are added to a campaign that is done', () => {
  const add = (house: House, campaign: string, n: number) =>
    house.add(campaign, [person(n, { row: n })], { mode: 'more' });

  it('are called at once by an evergreen one, on the background workers', async () => {
    const { house, campaign } = await books.campaign({ people: 1, from: 50, evergreen: true });
    await end(house, (await house.plan(campaign))[0]!);
    await house.ledger.campaigns.finish(house.baseUrl);
    await house.ledger.campaigns.wakeGrown(campaign);
    expect((await stateOf(house, campaign))[0]).toBe('done');
    await books.sql(`update carillon.campaigns set driver = 'run' where id = $1`, [campaign]);
    await add(house, campaign, 60);
    await house.ledger.campaigns.wakeGrown(campaign);
    expect(await stateOf(house, campaign)).toEqual(['running', null, 'background']);
    expect(await house.plan(campaign)).toHaveLength(1);
  });

  it('are found when it was finished at the very moment when they came', async () => {
    const { house, campaign } = await books.campaign({ people: 1, from: 50, evergreen: true });
    await books.sql(`update carillon.campaigns set state = 'done' where id = $1`, [campaign]);
    expect(await house.ledger.campaigns.wakeEvergreen('http://other.example/v1')).toEqual([]);
    expect(await house.ledger.campaigns.wakeEvergreen(house.baseUrl)).toEqual([campaign]);
    expect((await stateOf(house, campaign))[0]).toBe('running');
  });

  it('wait until another is started again, also when its run ends at that moment', async () => {
    const { house, campaign } = await books.campaign({ people: 1, from: 50, driver: 'run' });
    const run = '00000000-0000-4000-8000-000000000001';
    await house.ledger.campaigns.take(campaign, run);
    await house.ledger.campaigns.rest(campaign, run, 'done', null);
    expect(await stateOf(house, campaign)).toEqual([
      'paused',
      'recipients were added; start it again',
      'run',
    ]);
    expect(await house.ledger.campaigns.wakeEvergreen(house.baseUrl)).toEqual([]);
  });
});
