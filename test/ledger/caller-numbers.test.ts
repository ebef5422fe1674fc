import { describe, expect, it } from 'vitest';
import { createAttempts } from '../../src/ledger/attempts/attempts.ts';
import { knownNumber, namedNumber } from '../../src/rules/caller-numbers.ts';
import { until } from '../support/until.ts';
import { type House, openerOn, person, shareBooks, tally } from './support.ts';

const books = await shareBooks();

/** Numbers that no other test has: their calls count over all campaigns. */
let made = 0;
const numbers = (count: number) =>
  Array.from({ length: count }, () => {
    made += 1;
    return `+1212555${String(1_000 + made)}`;
  });
const pool = (names: readonly string[]) => names.map((number) => ({ number }));

async function callerOf(id: string): Promise<string> {
  const { caller } = (
    await books.sql<{ caller: { number: string } }>(
      'select caller from carillon.attempts where id = $1 union all select caller from carillon.ended_attempts where id = $1',
      [id],
    )
  )[0]!;
  return caller.number;
}
const callersOf = async (ids: readonly string[]) => tally(await Promise.all(ids.map(callerOf)));
const turnOf = async ({ ledger }: House, campaign: string) =>
  (await ledger.lanes.turns([campaign])).get(campaign);

/** Calls with the number that is planned, and lets the call end. */
async function callAndEnd(house: House, id: string, outcome = 'answered', again: number | null = null) {
  await house.call(id);
  await house.settle(id, outcome, { again });
}

describe('a pool of caller numbers', () => {
  it('plans only as many calls as its numbers may have at once, and says that the others wait for a number', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    const campaign = await house.campaign({ people: 9, callers: pool([a!, b!]), perNumberCalls: 2 });
    const planned = await house.plan(campaign);
    expect(await callersOf(planned)).toEqual({ [a!]: 2, [b!]: 2 });
    expect(await house.plan(campaign)).toEqual([]);
    expect(await turnOf(house, campaign)).toEqual({ turn: 'number', turnUntil: null });
    const ofA = (await Promise.all(planned.map(async (id) => [id, await callerOf(id)] as const))).find(
      ([, caller]) => caller === a,
    )![0];
    await callAndEnd(house, ofA);
    expect(await callersOf(await house.plan(campaign))).toEqual({ [a!]: 1 });
  });

  it('counts the calls of every campaign, and those of the last 24 hours until the first may call again', async () => {
    const house = books.house();
    const [a] = numbers(1);
    const other = await house.campaign({ people: 2, callers: pool([a!]) });
    for (const id of await house.plan(other)) await callAndEnd(house, id);
    const campaign = await house.campaign({ people: 5, callers: pool([a!]), perNumberDay: 3 });
    const [id, ...more] = await house.plan(campaign);
    expect(more).toEqual([]);
    await callAndEnd(house, id!);
    expect(await house.plan(campaign)).toEqual([]);
    const wait = (await turnOf(house, campaign))!;
    expect(wait.turn).toBe('number');
    const hours = (wait.turnUntil!.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    // A day later the first two count no more.
    await books.sql(
      `update carillon.phone_calls set at = at - interval '25 hours' where caller = $1 and attempt_id <> $2`,
      [a, id],
    );
    expect(await house.plan(campaign)).toHaveLength(2);
  });

  it('tells how many numbers an order has, and when the calls were made that fill their days', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    const lane = await house.lane();
    const days = (most: number) => house.ledger.callerNumbers.days(pool([a!, b!]), [lane], most);
    const used = async (most: number) => (await days(most))!.used.reduce((sum, { n }) => sum + n, 0);
    expect(await days(3)).toEqual({ most: 3, numbers: 2, used: [] });
    const campaign = await house.campaign({ people: 6, callers: pool([a!]) });
    const [live, ...ended] = await house.plan(campaign);
    await house.call(live!);
    for (const id of ended) await callAndEnd(house, id);
    // Of the six of one number, the latest three keep it full.
    expect(await used(3)).toBe(3);
    expect(await used(10)).toBe(6);
    await books.sql(`update carillon.phone_calls set at = at - interval '25 hours' where caller = $1`, [a]);
    const left = (await days(10))!.used;
    expect(left).toEqual([{ at: expect.any(Number), n: 1 }]);
    expect(Math.abs(left[0]!.at - Date.now())).toBeLessThan(3_600_000);
    await house.ledger.callerNumbers.learn([namedNumber(a!)], null);
    await house.ledger.callerNumbers.rest(a!, 'hand');
    expect(await days(3)).toEqual({ most: 3, numbers: 1, used: [] });
    expect(await house.ledger.callerNumbers.days([{ listed: 'all' }], [lane], 3)).toBe(null);
  });

  it('gives a place back when a request surely never left', async () => {
    const house = books.house();
    const [a] = numbers(1);
    const campaign = await house.campaign({ people: 2, callers: pool([a!]), perNumberDay: 1 });
    const [id] = await house.plan(campaign);
    expect(await house.admit(id!)).toBe('open');
    expect(await house.plan(campaign)).toEqual([]);
    await house.ledger.attempts.withhold({ id: id!, sent: false, detail: 'a rest' });
    await house.ledger.attempts.giveBack({ id: id!, why: 'a rest' });
    expect(await house.plan(campaign)).toHaveLength(1);
  });

  it('never has more calls than its numbers may have, however many processes open at once', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    const names = [a!, b!];
    const lane = await house.lane();
    const wish = { people: 30, callers: pool(names), perNumberCalls: 3, perNumberDay: 5 };
    const campaigns = [await house.campaign(wish), await house.campaign(wish)];
    // Planned as if the planner had not looked: the fence has the last word.
    const planned = (
      await Promise.all(
        campaigns.map((campaign) =>
          books.sql<{ id: string }>(
            `with made as (
               insert into carillon.attempts (campaign_id, recipient_id, lane_id, phone, number, caller)
               select campaign_id, id, $2, phone, 1, jsonb_build_object('number', ($3::text[])[1 + row % 2])
               from carillon.recipients where campaign_id = $1 returning id, recipient_id)
             update carillon.recipients r set state = 'live' from made m where r.id = m.recipient_id returning m.id`,
            [campaign, lane, names],
          ),
        ),
      )
    ).flat();
    const dbs = [books.another(), books.another()];
    const processes = dbs.map((db) => createAttempts(db));
    const verdicts = await Promise.all(
      planned.map(({ id }, i) =>
        // Of batches of every size, from two processes at once.
        processes[i % 2]!.open({ id, revision: 0 }, { ...openerOn(lane), dialer: `dialer-${i % 7}` }),
      ),
    );
    expect(tally(verdicts)).toEqual({ open: 6, number: planned.length - 6 });
    const opened = planned.filter((_, i) => verdicts[i] === 'open').map(({ id }) => id);
    expect(await callersOf(opened)).toEqual({ [a!]: 3, [b!]: 3 });
    for (const id of opened) {
      await house.place(id);
      await house.settle(id);
    }
    // Three of the day's five are made: two are left for each.
    const again = await Promise.all(
      planned
        .filter((_, i) => verdicts[i] === 'number')
        .map(({ id }, i) =>
          processes[i % 2]!.open({ id, revision: 0 }, { ...openerOn(lane), dialer: `other-${i % 5}` }),
        ),
    );
    expect(tally(again)).toMatchObject({ open: 4 });
  });

  it('counts a call of another process that is being committed: the second one waits for the first', async () => {
    const house = books.house();
    const [a] = numbers(1);
    await house.ledger.callerNumbers.learn([namedNumber(a!)], null);
    const names = pool([a!]);
    const other = await house.campaign({ people: 1, callers: names });
    const campaign = await house.campaign({ people: 1, callers: names, perNumberCalls: 1 });
    const [first] = await house.plan(campaign);
    const [mine] = await house.plan(other);
    await books.sql(
      'update carillon.campaigns set terms = terms || \'{"perNumberCalls": 1}\' where id = $1',
      [other],
    );
    const hand = await books.hand();
    await hand.query('begin');
    const opened = await hand.query(
      `select verdict from carillon.open_attempts($1::jsonb, 'hand', null, null, 30000, 7200000)`,
      [JSON.stringify([{ id: mine, revision: 0 }])],
    );
    expect(opened.rows).toEqual([{ verdict: 'open' }]);
    let isAnswered = false;
    const second = house.admit(first!).finally(() => {
      isAnswered = true;
    });
    await until(async () => {
      const waiting = await books.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return isAnswered || waiting.length > 0;
    });
    await hand.query('commit');
    expect(await second).toBe('number');
  });

  it('does not call a person again from the number of the last call, where there is another', async () => {
    const house = books.house();
    const names = numbers(3);
    const campaign = await house.campaign({
      people: 12,
      callers: pool(names),
      maxAttempts: 3,
      retry: { 'no-answer': [1] },
    });
    const first = new Map<string, string>();
    for (const id of await house.plan(campaign)) {
      first.set((await house.attempt(id)).phone, await callerOf(id));
      await callAndEnd(house, id, 'no-answer', 0);
    }
    const again = await house.plan(campaign);
    expect(again).toHaveLength(12);
    for (const id of again) expect(await callerOf(id)).not.toBe(first.get((await house.attempt(id)).phone));
  });

  it('calls from near the person: from the area code, the state, then the country', async () => {
    const house = books.house();
    const near = {
      area: '+14155559901',
      state: '+12135559902',
      country: '+12125559903',
      abroad: '+442079469904',
    };
    await house.ledger.callerNumbers.learn(Object.values(near).map(namedNumber), null);
    const callFrom = async (without: readonly string[]) => {
      const names = Object.entries(near).flatMap(([name, number]) =>
        without.includes(name) ? [] : [number],
      );
      const campaign = await house.campaign({ callers: pool(names), caller: 'local' });
      await house.add(campaign, [person(7_000 + without.length, { place: 'America/Los_Angeles;US-CA' })]);
      const [id] = await house.plan(campaign);
      return callerOf(id!);
    };
    expect(await callFrom([])).toBe(near.area);
    expect(await callFrom(['area'])).toBe(near.state);
    expect(await callFrom(['area', 'state'])).toBe(near.country);
    expect(await callFrom(['area', 'state', 'country'])).toBe(near.abroad);
  });

  it('calls from the number that the person knows from another campaign', async () => {
    const house = books.house();
    const names = numbers(4);
    const earlier = await house.campaign({ people: 4, callers: pool(names) });
    const known = new Map<string, string>();
    for (const id of await house.plan(earlier)) {
      known.set((await house.attempt(id)).phone, await callerOf(id));
      await callAndEnd(house, id);
    }
    const campaign = await house.campaign({ callers: pool(names.toReversed()), caller: 'sticky' });
    const people = await house.people(earlier);
    await house.add(
      campaign,
      people.map(({ phone, row }) => person(row, { phone })),
    );
    const planned = await house.plan(campaign);
    expect(planned).toHaveLength(4);
    for (const id of planned) expect(await callerOf(id)).toBe(known.get((await house.attempt(id)).phone));
  });

  it('uses a number only with a key whose account has it, and takes all numbers that a list tells', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    const [one, two] = [await house.lane('one'), await house.lane('two')];
    const listed = (phone: string, label: string) =>
      knownNumber({ id: `id-${phone}`, phone, record: { label } });
    await house.ledger.callerNumbers.learn([listed(a!, 'Sales')], one);
    await house.ledger.callerNumbers.learn([listed(b!, 'Support')], two);
    const all = await house.campaign({ people: 4, callers: [{ listed: 'all' }] });
    expect(await callersOf(await house.planOn(one, all, 2))).toEqual({ [a!]: 2 });
    expect(await callersOf(await house.planOn(two, all, 2))).toEqual({ [b!]: 2 });
    const sales = await house.campaign({ people: 2, callers: [{ listed: 'label:sales' }] });
    expect(await house.planOn(two, sales, 2)).toEqual([]);
    const planned = await house.planOn(one, sales, 2);
    expect(await callersOf(planned)).toEqual({ [a!]: 2 });
    // The key closes: the other one's account does not have the number, so the people wait for the first.
    expect(await house.ledger.lanes.move(one, two)).toEqual(expect.not.arrayContaining(planned));
    expect(await house.states(sales)).toEqual(['waiting', 'waiting']);
  });

  it('counts a number that an order names by its id as the same', async () => {
    const house = books.house();
    const [a] = numbers(1);
    const lane = await house.lane();
    await house.ledger.callerNumbers.learn([knownNumber({ id: 'pn_same', phone: a!, record: {} })], lane);
    const byId = await house.campaign({ people: 1, callers: [{ numberId: 'pn_same' }], perNumberCalls: 1 });
    expect(await house.plan(byId)).toHaveLength(1);
    const byPhone = await house.campaign({ people: 1, callers: pool([a!]), perNumberCalls: 1 });
    expect(await house.plan(byPhone)).toEqual([]);
  });

  it('does not call from a number that a person rests, until it returns', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    await house.ledger.callerNumbers.learn(
      pool([a!, b!]).map(({ number }) => namedNumber(number)),
      null,
    );
    expect(await house.ledger.callerNumbers.rest('+12125550000', 'hand')).toBeNull();
    expect(await house.ledger.callerNumbers.rest(a!, 'hand')).toEqual({ name: a, was: null });
    const campaign = await house.campaign({ people: 6, callers: pool([a!, b!]) });
    expect(await callersOf(await house.plan(campaign, 2))).toEqual({ [b!]: 2 });
    await house.ledger.callerNumbers.rest(b!, 'hand');
    expect(await house.plan(campaign, 2)).toEqual([]);
    expect(await turnOf(house, campaign)).toEqual({ turn: 'number', turnUntil: null });
    expect(await house.ledger.callerNumbers.rest(a!, null)).toEqual({ name: a, was: 'hand' });
    expect(await callersOf(await house.plan(campaign, 2))).toEqual({ [a!]: 2 });
  });
});
