import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSeal } from '../../src/base/seal.ts';
import { showBalance } from '../../src/control/campaigns/show.ts';
import { readTrial } from '../../src/control/imports/try.ts';
import { importList, withoutErased } from '../../src/control/lists/batches.ts';
import { orderOf } from '../../src/control/order/order.ts';
import type { RejectedRow, RowBatch } from '../../src/intake/recipients.ts';
import { createErasures } from '../../src/ledger/erasures/erasures.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ImportOptions, OnKnown } from '../../src/ledger/people/import.ts';
import type { Order } from '../../src/rules/order.ts';
import { prepareCampaign } from '../../src/run/prepare.ts';
import { loadService } from '../../src/voice/load-service.ts';
import { type Books, type House, once, openBooks, person, suppress, tally } from '../ledger/support.ts';
import { act, moves, size, order as walked } from '../ledger/walk.ts';

/** A preview tells what follows: the balance that it names is the one with which the run begins, or the import ends. */
let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());
beforeEach(() => books.sql('delete from carillon.suppressions'));

type Wish = { mode?: ImportOptions['mode']; onKnown?: OnKnown; order?: Partial<Order>; startOver?: boolean };

const erasing = (): Ledger => ({
  ...books.ledger,
  erasures: createErasures(books.ledger.db, () => createSeal('the secret of these tests')),
});

/** The preview's word on a list, and what was then the case; both as a balance and as the reasons of those skipped. */
async function both(house: House, name: string, batches: RowBatch[], wish: Wish = {}) {
  const ledger = { ...house.ledger, erasures: erasing().erasures };
  const campaign = await ledger.campaigns.get(name);
  const { mode = 'whole', startOver = false, onKnown = mode === 'more' ? 'keep' : 'replace' } = wish;
  const order = mode === 'more' ? null : { ...orderOf(campaign), ...wish.order };
  const before = await dump();
  const onto = { campaign: startOver ? null : campaign, order, mode, onKnown };
  const told = await readTrial(ledger, onto, { csv: null, batches });
  expect(await dump(), 'nothing is stored').toEqual(before);
  const { rows, rejected, skipped, waiting, queued, calling, done, parked, unknown } = told.balance;
  expect(rows).toBe(rejected + skipped + waiting + queued + calling + done + parked + unknown);

  let { id } = campaign;
  let imported: { new: number; known: number; changed: number };
  if (order) {
    const described = loadService(undefined, undefined);
    const deps = { ledger, baseUrl: house.baseUrl, clock: { now: () => Date.now() }, described };
    const run = await prepareCampaign(deps, { name: campaign.name, order, startOver });
    await run.runLock.release();
    id = run.campaign.id;
    const mixed = withoutErased(ledger, once(...batches));
    imported = await ledger.people.import(id, mixed, { columns: ['phone', 'name'], mode, onKnown });
  } else imported = await importList(ledger, id, { batches, columns: ['phone', 'name'] }, { onKnown });
  const { new: fresh, known, changed } = imported;
  expect([told.new, told.known, told.changed]).toEqual([fresh, known, changed]);
  const standing = await ledger.reports.standing(id);
  const people = await house.people(id);
  const reasons = people.filter(({ state }) => state === 'skipped').map(({ reason }) => reason ?? 'erased');
  return {
    told,
    expected: { balance: told.balance, skips: skipsOf(told.skips) },
    found: { balance: showBalance(standing), skips: tally(reasons) },
  };
}

const skipsOf = (skips: { reason: string; rows: number }[]) =>
  Object.fromEntries(skips.map(({ reason, rows }) => [reason, rows]));

/** The parts of the ledger that a preview could have changed. */
const dump = () =>
  books.sql(
    `select (select count(*) from carillon.campaigns) as campaigns, (select count(*) from carillon.activity) as acts,
       (select coalesce(max(updated_at)::text, '') from carillon.campaigns) as changed,
       (select md5(string_agg(r::text, ' ' order by r.id)) from carillon.recipients r) as people,
       (select md5(string_agg(j::text, ' ' order by j.id)) from carillon.rejects j) as rejects,
       (select count(*) from carillon.tally_deltas) as deltas`,
  );

const never = (n: number): RejectedRow => ({
  row: 40 + n,
  phone: person(n).phone,
  reason: 'can never be called: the window is never open',
  input: { phone: person(n).phone },
});
const broken = (n: number): RejectedRow => ({
  row: 60 + n,
  reason: '"x" is not a number',
  input: { phone: `x${n}` },
});
const rowOf = (n: number) => ({ ...person(n), agent: undefined });

/** As a file of rejects gives a row back: with what it said of it, perhaps changed by hand. */
const repairs = fc
  .record({ n: fc.nat(3), isLine: fc.boolean() })
  .map(({ n, isLine }) => ({ line: isLine ? broken(n).row : 99, reason: broken(n).reason }));
const given = fc.record({
  kind: fc.constantFrom('taken', 'taken', 'changed', 'never', 'gone'),
  repairs: fc.option(repairs, { nil: undefined }),
});

/** A list of some of the people, some of them never to be called, and a few broken rows. */
const list = fc
  .record({
    people: fc.array(given, { minLength: size + 3, maxLength: size + 3 }),
    broken: fc.array(fc.tuple(fc.nat(3), fc.option(repairs, { nil: undefined })), { maxLength: 3 }),
  })
  .map(({ people, broken: bad }): RowBatch[] => {
    const rows = people.map((each, at) => ({ ...each, n: at + 1, row: rowOf(at + 1) }));
    const [first, ...rest] = rows.flatMap(({ kind, row, repairs }) => {
      const changed = kind === 'changed' && { input: { ...row.input, city: 'Oslo' } };
      return changed || kind === 'taken' ? [{ ...row, ...changed, repairs }] : [];
    });
    const nevers = rows.flatMap(({ kind, n, repairs }) =>
      kind === 'never' ? [{ ...never(n), repairs }] : [],
    );
    return [
      { accepted: first ? [first] : [], rejected: bad.map(([n, repairs]) => ({ ...broken(n), repairs })) },
      { accepted: rest, rejected: nevers },
    ];
  });
const wishes: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({
    mode: fc.constant('more' as const),
    onKnown: fc.constantFrom<OnKnown>('keep', 'merge', 'replace'),
  }),
  fc.record({ mode: fc.constant('repair' as const) }),
  fc.record({
    startOver: fc.nat(5).map((n) => n === 0),
    order: fc.record({
      maxAttempts: fc.integer({ min: 1, max: 4 }),
      retry: fc.constantFrom<Order['retry']>({ busy: [0] }, { answered: [60], busy: [5] }),
    }),
  }),
);

describe('the balance that a preview tells', () => {
  it('is the one that follows, whatever happened to the campaign and whatever the list and the order are', async () => {
    await fc.assert(
      fc.asyncProperty(moves, list, wishes, async (walk, batches, wish) => {
        await books.vacate();
        const house = books.house();
        const campaign = await house.campaign({ people: size, ...walked });
        await books.sql('delete from carillon.suppressions');
        const before = { accepted: [], rejected: [0, 1, 1, 2].map(broken) };
        await importList(house.ledger, campaign, { batches: [before], columns: ['phone'] });
        for (const move of walk) await act(books, house, campaign, move);
        const { expected, found } = await both(house, campaign, batches, wish);
        expect(expected).toEqual(found);
        expect(await house.faults()).toEqual([]);
      }),
      { numRuns: 30, seed: 20_262, endOnFailure: false },
    );
  });

  it('counts those who are done, in a call, unknown, parked or waiting to be tried again as what they are', async () => {
    const house = books.house();
    const campaign = await house.campaign({ people: 8, maxAttempts: 2, retry: { busy: [600] } });
    const ids = await house.plan(campaign, 6);
    for (const id of ids.slice(0, 3)) await house.call(id);
    await house.settle(ids[0]!);
    await house.settle(ids[1]!, 'busy', { again: 600 });
    await house.admit(ids[3]!);
    await house.ledger.attempts.lose({ id: ids[3]!, reason: 'lost', detail: 'x' });
    await house.admit(ids[4]!);
    await house.ledger.attempts.park(ids[4]!, await house.lane(), 'no credit');
    await suppress(house.ledger, [person(9).phone]);
    // The last one is not in the list any more, and three are new.
    const accepted = [1, 2, 3, 4, 5, 6, 7, 9, 10].map(rowOf);
    const { told, expected, found } = await both(house, campaign, [{ accepted, rejected: [broken(1)] }]);
    expect(expected).toEqual(found);
    expect(told.balance).toMatchObject({ rows: 11, rejected: 1, skipped: 2, waiting: 3 });
    expect(told.balance).toMatchObject({ queued: 0, calling: 1, done: 1, parked: 2, unknown: 1 });
    expect(told.balance.outcomes).toEqual({ answered: 1 });
    expect(told.balance.attempts).toBe(4);
    expect(skipsOf(told.skips)).toEqual({ suppressed: 1, 'not in the file any more': 1 });
  });

  it('has people wait again whom the new order allows another attempt, and ends those whom it does not', async () => {
    const house = books.house();
    const campaign = await house.campaign({ people: 3, maxAttempts: 2, retry: { busy: [600] } });
    for (const [at, id] of (await house.plan(campaign)).entries()) {
      await house.call(id);
      await house.settle(id, ['busy', 'failed', 'answered'][at], { again: at === 0 ? 600 : null });
    }
    const batches = [{ accepted: [1, 2, 3].map(rowOf), rejected: [] }];
    const fewer = await both(house, campaign, batches, { order: { maxAttempts: 1, retry: {} } });
    expect(fewer.expected).toEqual(fewer.found);
    expect(fewer.told.balance).toMatchObject({ done: 3, waiting: 0, outcomes: { busy: 1 } });
    const retry = { busy: [600], failed: [60] };
    const more = await both(house, campaign, batches, { order: { maxAttempts: 3, retry } });
    expect(more.expected).toEqual(more.found);
    expect(more.told.balance).toMatchObject({ done: 1, waiting: 2, outcomes: { answered: 1 } });
  });

  it('rejects an erased person, who stays the erased row of a campaign that has it', async () => {
    const house = books.house();
    const campaign = await house.campaign({ people: 2, from: 701 });
    await erasing().erasures.erase(person(701).phone);
    const rows = { accepted: [701, 702, 703].map(rowOf), rejected: [] };
    const whole = await both(house, campaign, [rows]);
    expect(whole.expected).toEqual(whole.found);
    expect(whole.told.balance).toMatchObject({ rows: 3, skipped: 1, rejected: 0, waiting: 2 });
    const more = await both(house, campaign, [rows], { mode: 'more' });
    expect(more.expected).toEqual(more.found);
    const other = await both(house, await house.campaign(), [rows]);
    expect(other.expected).toEqual(other.found);
    expect(other.told.balance).toMatchObject({ rows: 3, rejected: 1, waiting: 2 });
  });

  it('counts a broken row once, however often its list is added', async () => {
    const house = books.house();
    const campaign = await house.campaign({ people: 1 });
    const rows = (...bad: RejectedRow[]): RowBatch[] => [{ accepted: [rowOf(1)], rejected: bad }];
    const rejects: number[] = [];
    for (const batches of [rows(broken(1), broken(2)), rows(broken(2), broken(2), broken(3))]) {
      const { told, expected, found } = await both(house, campaign, batches, { mode: 'more' });
      expect(expected).toEqual(found);
      rejects.push(told.balance.rejected);
    }
    // A row that could not be read before is read now.
    const repaired = [{ accepted: [{ ...rowOf(2), input: broken(1).input }], rejected: [broken(2)] }];
    const { told, expected, found } = await both(house, campaign, repaired, { mode: 'more' });
    expect(expected).toEqual(found);
    expect([...rejects, told.balance.rejected]).toEqual([2, 4, 3]);
  });
});
