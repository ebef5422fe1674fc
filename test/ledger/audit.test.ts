import { describe, expect, it } from 'vitest';
import { statements } from '../../src/ledger/statements.ts';
import { recipientStates } from '../../src/ledger/states.ts';
import { countsOf } from '../../src/ledger/tallies/tallies.ts';
import { type House, persons, shareBooks } from './support.ts';

const audit = statements.get('reports/audit')!.text;

const books = await shareBooks({ audited: false });

/** A campaign with a recipient in every state that a working ledger has. */
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
  it('finds nothing in a working ledger', async () => {
    const house = books.house();
    const { campaign } = await manyStates(house);
    expect(await house.faults()).toEqual([]);
    const standing = await house.ledger.reports.standing(campaign);
    expect(standing).toMatchObject({
      rows: 10,
      counts: { done: 1, calling: 2, unknown: 1, rejected: 2, skipped: 1, queued: 1, waiting: 2, parked: 0 },
      dialing: 1,
      placed: 1,
      attempts: 4,
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
      'in progress without an attempt',
      `delete from carillon.attempts where campaign_id = $1 and state = 'planned'`,
      'no live attempt',
    ],
    [
      'waiting while a call continues',
      `update carillon.recipients r set state = 'waiting' from carillon.attempts a
         where a.recipient_id = r.id and r.campaign_id = $1 and a.state = 'placed'`,
      'not in progress',
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
      'counted as called without a call',
      `update carillon.recipients set attempts = 1 where campaign_id = $1 and state = 'rejected'`,
      'other attempts than its rows',
    ],
    [
      'called twice',
      `insert into carillon.ended_attempts (id, campaign_id, recipient_id, lane_id, number, requests, polls, planned_at,
           phone, state, was, call_id)
         select gen_random_uuid(), campaign_id, recipient_id, lane_id, 2, 1, 0, now(), phone, 'done', 'placed', 'second'
         from carillon.ended_attempts where campaign_id = $1 and state = 'done'`,
      'more often',
    ],
    [
      'one call under two attempts',
      `update carillon.attempts set call_id = (
           select call_id from carillon.ended_attempts where campaign_id = $1 and state = 'done')
         where campaign_id = $1 and state = 'placed'`,
      'two attempts',
    ],
    [
      'called without its phone',
      `delete from carillon.live_phones p using carillon.attempts a where a.id = p.attempt_id and a.campaign_id = $1`,
      'does not hold its phone',
    ],
    [
      'held by an attempt that is over',
      `insert into carillon.live_phones (phone, attempt_id)
         select '+1999', id from carillon.ended_attempts where campaign_id = $1 limit 1`,
      'phone is held',
    ],
    [
      'counted wrongly',
      `insert into carillon.tally_deltas (campaign_id, name, n) values ($1, 'done', 1)`,
      'tally differs',
    ],
  ])('finds this damage: %s', async (_what, damage, word) => {
    const house = books.house();
    const { campaign } = await manyStates(house);
    const hand = await books.hand();
    // The constraints are dropped, and restored afterwards.
    await hand.query('begin');
    await hand.query('alter table carillon.attempts disable trigger user');
    await hand.query(damage, [campaign]);
    const { rows } = await hand.query<{ rule: string; broken: number }>(audit);
    const faults = rows.filter((each) => each.broken > 0).map((each) => each.rule);
    expect(faults.join('; ')).toContain(word);
    expect(await house.faults()).toEqual([]);
  });
});

it('the audit finds a call that the service began outside the hours', async () => {
  const { house, campaign } = await books.campaign();
  await house.add(campaign, persons(1));
  const [id] = await house.plan(campaign, 1);
  await house.call(id!);
  await house.settle(id!, 'answered', {
    lateStart: 'the service began the call at 21:02, outside the hours',
  });
  expect((await house.faults()).join()).toContain('the service began a call outside the hours');
});

it('a campaign’s rows are its tallies and its live attempts', () => {
  const counts = countsOf({
    tally: { waiting: 2, rejected: 1, refused: 3 },
    live: { dialing: 1, placed: 2 },
  });
  expect(Object.keys(counts)).toEqual([...recipientStates]);
  expect(counts).toMatchObject({ waiting: 2, rejected: 4, done: 0, calling: 3 });
});
