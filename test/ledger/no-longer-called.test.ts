import { afterEach, describe, expect, it } from 'vitest';
import { type House, person, persons, shareBooks, suppress, tally } from './support.ts';

/** A plan or an attempt ends without a call, while its campaign is canceled or its phone suppressed: each way says why. */
const books = await shareBooks();
afterEach(() => books.sql('delete from carillon.suppressions'));

type Cause = [why: string, reason: string, happen: (house: House, campaign: string) => Promise<unknown>];
/** As it crosses with what the ledger is doing: nothing was swept yet. */
const cancelAs = (sweep: string) => (_house: House, campaign: string) =>
  books.sql(`update carillon.campaigns set state = 'canceled', sweep = $2 where id = $1`, [campaign, sweep]);
const suppressAll = (_house: House, campaign: string) =>
  books.sql(
    `insert into carillon.suppressions (phone) select phone from carillon.recipients where campaign_id = $1`,
    [campaign],
  );
const canceled: Cause = ['the campaign was canceled', 'campaign canceled', cancelAs('campaign canceled')];
const startedOver: Cause = ['the campaign was started over', 'started over', cancelAs('started over')];
const byHand: Cause = ['a person canceled the call', 'canceled', async () => undefined];
const suppressed: Cause = ['the phone was suppressed', 'suppressed', suppressAll];

type Way = [
  way: string,
  ready: (house: House, ids: string[]) => Promise<unknown>,
  take: (house: House, campaign: string, ids: string[]) => Promise<unknown>,
];
const each = (ids: string[], work: (id: string) => Promise<unknown>) => Promise.all(ids.map(work));
const nothing = async () => undefined;
const admit = (house: House, ids: string[]) => each(ids, (id) => house.admit(id));
const freed: Way[] = [
  ['given back', nothing, (house, _, ids) => each(ids, (id) => giveBack(house, id))],
  ['held by a contact rule', nothing, ({ ledger }, _, ids) => each(ids, (id) => ledger.attempts.hold(id))],
  ['left without its key', nothing, ({ ledger }, campaign) => ledger.attempts.rehome(campaign, [])],
  ['left by its run', nothing, ({ ledger }, campaign) => ledger.attempts.release(campaign, 'the run ended')],
  [
    'refused with its order',
    admit,
    ({ ledger }, _, ids) => each(ids, (id) => ledger.attempts.refuseOrder(id, 'x', 9)),
  ],
  ['proved unsent by a journal', admit, freeUnsent],
  ['not called, as a person says', lose, (house, _, ids) => each(ids, (id) => house.free(id))],
];
const withheld: Way = [
  'withheld by its dialer',
  admit,
  ({ ledger }, _, ids) => each(ids, (id) => ledger.attempts.withhold({ id, sent: true, detail: null })),
];
const swept: Way = ['swept', nothing, ({ ledger, baseUrl }) => ledger.campaigns.sweep(baseUrl)];
const reopened: Way = [
  'parked until its key opened',
  (house, ids) =>
    each(ids, async (id) => {
      await house.admit(id);
      await house.ledger.attempts.park(id, await house.lane(), 'no credit');
    }),
  async (house) => {
    expect(await house.ledger.lanes.open(await house.lane())).toEqual([]);
    await house.ledger.campaigns.sweep(house.baseUrl);
  },
];
const withdrawn: Way = [
  'withdrawn',
  nothing,
  ({ ledger }, _, ids) => each(ids, (id) => ledger.attempts.skip(id, 'canceled')),
];
const listed: Way = ['put on the list', nothing, (house, campaign) => suppressAgain(house, campaign)];

const giveBack = (house: House, id: string) => house.ledger.attempts.giveBack({ id, why: 'x' });

async function freeUnsent(house: House, _: string, ids: string[]): Promise<void> {
  await books.sql(
    'update carillon.attempts set ticket = gen_random_uuid(), journal = gen_random_uuid() where id = any ($1)',
    [ids],
  );
  await house.age();
  await house.ledger.attempts.freeUnsent(await house.ledger.attempts.doubted(house.baseUrl));
}

async function lose(house: House, ids: string[]): Promise<void> {
  await admit(house, ids);
  await each(ids, (id) => house.ledger.attempts.lose({ id, reason: 'lost', detail: 'x' }));
}

async function suppressAgain(house: House, campaign: string): Promise<void> {
  const phones = (await house.people(campaign)).map(({ phone }) => phone);
  await suppress(house.ledger, phones);
}

const cases = [
  ...freed.flatMap((way) => [canceled, startedOver, suppressed].map((cause) => ({ way, cause }))),
  ...[withheld, swept, reopened].flatMap((way) => [canceled, startedOver].map((cause) => ({ way, cause }))),
  { way: listed, cause: suppressed },
  { way: withdrawn, cause: byHand },
].map(({ way, cause }) => [way[0], cause[0], way, cause] as const);

describe('a person who is not called any more', () => {
  it.each(cases)('is skipped, or done when called before, and says why: %s, and %s', async (...the) => {
    const [, , [, ready, take], [, reason, happen]] = the;
    const { house, campaign } = await books.campaign({ people: 2, maxAttempts: 2, retry: { busy: [0] } });
    const [first] = await house.plan(campaign, 1);
    await house.call(first!);
    await house.settle(first!, 'busy', { again: 0 });
    const ids = await house.plan(campaign);
    expect(ids).toHaveLength(2);
    await ready(house, ids);
    await happen(house, campaign);
    await take(house, campaign, ids);
    const people = await house.people(campaign);
    expect(people.map((person) => [person.state, person.outcome, person.reason])).toEqual([
      ['done', 'busy', reason],
      ['skipped', null, reason],
    ]);
  });
});

describe('a person whose attempt ends without a call', () => {
  it.each(freed)('waits again: %s', async (_, ready, take) => {
    const { house, campaign, ids } = await books.planned({ people: 1 });
    await ready(house, ids);
    await take(house, campaign, ids);
    expect(await house.states(campaign)).toEqual(['waiting']);
  });
});

const past = '2020-01-01T00:00:00.000Z';

it('people who were not called by the end are skipped with that reason, and calls in progress are left', async () => {
  const { house, campaign } = await books.campaign({});
  await house.add(campaign, persons(4));
  const [first] = await house.plan(campaign, 1);
  await house.call(first!);
  await house.ledger.campaigns.sweep(house.baseUrl);
  expect(tally(await house.states(campaign))).toEqual({ calling: 1, waiting: 3 });
  const { id: _, ...order } = await house.ledger.campaigns.get(campaign);
  await house.ledger.campaigns.change(campaign, { ...order, times: { endAt: past } });
  while (await house.ledger.campaigns.sweep(house.baseUrl));
  expect(tally(await house.states(campaign))).toEqual({ calling: 1, skipped: 3 });
  const reasons: { reason: string }[] = await books.sql(
    `select distinct reason from carillon.recipients where campaign_id = $1 and state = 'skipped'`,
    [campaign],
  );
  expect(reasons).toEqual([{ reason: 'ended' }]);
  await house.settle(first!, 'answered');
  expect(tally(await house.states(campaign))).toEqual({ done: 1, skipped: 3 });
});

it('a paused campaign ends too, and another that ends later does not', async () => {
  const { house, campaign } = await books.campaign({ times: { endAt: past } });
  const other = await house.campaign({ times: { endAt: '2999-01-01T00:00:00.000Z' } });
  await house.add(campaign, [person(1)]);
  await house.add(other, [person(2)]);
  await house.ledger.campaigns.pause([campaign], 'by hand');
  while (await house.ledger.campaigns.sweep(house.baseUrl));
  expect(tally(await house.states(campaign))).toEqual({ skipped: 1 });
  expect(tally(await house.states(other))).toEqual({ waiting: 1 });
});
