import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countsOf, recipientStates } from '../../src/ledger/reports.ts';
import { type Books, type House, openBooks, persons } from './support.ts';

const audit = readFileSync(new URL('../../src/ledger/queries/audit.sql', import.meta.url), 'utf8');

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

/** A campaign with somebody in every state that a ledger at work has. */
async function manyStates(house: House) {
  const campaign = await house.campaign();
  await house.add(campaign, persons(9), { rejected: [{ row: 99, reason: 'broken', input: {} }] });
  const ids = await house.plan(campaign, 7);
  const { attempts } = house.ledger;
  await house.call(ids[0]!);
  await house.settle(ids[0]!);
  await house.call(ids[1]!);
  await house.admit(ids[2]!);
  await attempts.lose({ id: ids[2]!, reason: 'lost', detail: 'reset' });
  await house.admit(ids[3]!);
  await attempts.refusePerson(ids[3]!, 'no');
  await attempts.skip(ids[4]!, 'gone');
  await house.admit(ids[5]!);
  return { campaign, ids };
}

describe('the audit', () => {
  it('finds nothing in a ledger at work', async () => {
    const house = books.house();
    const { campaign } = await manyStates(house);
    expect(await house.faults()).toEqual([]);
    const standing = await house.ledger.reports.standing(campaign);
    expect(standing).toMatchObject({
      rows: 10,
      counts: { done: 1, calling: 2, unknown: 1, rejected: 2, skipped: 1, queued: 1, waiting: 2, parked: 0 },
      dialing: 1,
      placed: 1,
      attempts: 5,
    });
    const balance = (await house.ledger.reports.balance()).find((each) => each.id === campaign)!;
    expect(balance).toMatchObject({
      people: 9,
      refused: 1,
      live: { dialing: 1, placed: 1, planned: 1, unknown: 1 },
    });
  });

  it.each([
    [
      'queued without a plan',
      `update carillon.attempts set state = 'dropped' where campaign_id = $1 and state = 'planned'`,
      'queued',
    ],
    [
      'calling without a call',
      `update carillon.attempts set state = 'done', ended_at = now() where campaign_id = $1 and state = 'dialing'`,
      'calling',
    ],
    [
      'unknown for no reason',
      `update carillon.attempts set state = 'dropped' where campaign_id = $1 and state = 'unknown'`,
      'unknown',
    ],
    [
      'waiting while a call goes on',
      `update carillon.recipients set state = 'waiting' where campaign_id = $1 and state = 'calling'`,
      'live attempt',
    ],
    [
      'skipped while a plan stands',
      `update carillon.recipients set state = 'skipped' where campaign_id = $1 and state = 'queued'`,
      'live attempt',
    ],
    [
      'done without a call',
      `update carillon.recipients set state = 'done' where campaign_id = $1 and state = 'skipped'`,
      'never called',
    ],
    [
      'called without being counted',
      `update carillon.recipients set attempts = 0 where campaign_id = $1 and state = 'done'`,
      'more accepted calls',
    ],
    [
      'called twice',
      `insert into carillon.attempts (campaign_id, recipient_id, lane_id, number, state, dialing_at, placed_at, ended_at, call_id)
         select campaign_id, recipient_id, lane_id, 2, 'done', now(), now(), now(), 'second'
         from carillon.attempts where campaign_id = $1 and state = 'done'`,
      'more often',
    ],
    [
      'one call under two names',
      `update carillon.attempts set call_id = (select call_id from carillon.attempts where campaign_id = $1 and state = 'done')
         where campaign_id = $1 and state = 'placed'`,
      'two attempts',
    ],
  ])('finds somebody who is %s', async (_what, damage, word) => {
    const house = books.house();
    const { campaign } = await manyStates(house);
    const hand = await books.connect();
    try {
      // The walls are taken down, and stand again afterwards.
      await hand.query('begin');
      await hand.query('alter table carillon.attempts disable trigger user');
      await hand.query(damage, [campaign]);
      const { rows } = await hand.query<{ rule: string; broken: number }>(audit);
      const faults = rows.filter((each) => each.broken > 0).map((each) => each.rule);
      expect(faults.join('; ')).toContain(word);
    } finally {
      await hand.query('rollback');
      hand.release();
    }
    expect(await house.faults()).toEqual([]);
  });
});

it('a campaign’s rows are its states and its rejects', () => {
  const counts = countsOf({ waiting: 2, rejected: 1 }, 3);
  expect(Object.keys(counts)).toEqual([...recipientStates]);
  expect(counts).toMatchObject({ waiting: 2, rejected: 4, done: 0 });
});
