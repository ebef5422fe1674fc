import { describe, expect, it } from 'vitest';
import { auditPolicy } from '../../src/control/policies/audit.ts';
import { createAttempts } from '../../src/ledger/attempts/attempts.ts';
import { type House, openerOn, person, persons, planBlindly, shareBooks, tally } from './support.ts';

/** Phones are protected, not rows: one live attempt a phone, over all campaigns and single calls. */
const books = await shareBooks();

/** Campaigns that have the same people on their lists. */
async function sharing(house: House, lists: number, people: number): Promise<string[]> {
  const campaigns: string[] = [];
  for (let i = 0; i < lists; i++) {
    const id = await house.campaign({ maxAttempts: 3, retry: { busy: [0] } });
    await house.add(id, persons(people));
    campaigns.push(id);
  }
  return campaigns;
}

describe('a phone', () => {
  it('is dialled by one of the campaigns that want it, however many processes ask at once', async () => {
    const house = books.house();
    const campaigns = await sharing(house, 3, 40);
    const ids = (await Promise.all(campaigns.map((campaign) => planBlindly(books, house, campaign)))).flat();
    const by = openerOn(await house.lane());
    const stores = [1, 2, 3].map(() => books.another());
    const loaded = await Promise.all(ids.map((id) => house.ledger.attempts.load(id)));
    const verdicts = await Promise.all(
      stores.map(createAttempts).flatMap((attempts, n) =>
        // Each process meets them in its own order.
        [...loaded]
          .sort(
            (a, b) => ((Number(a!.recipientId) * (n + 7)) % 31) - ((Number(b!.recipientId) * (n + 7)) % 31),
          )
          .map((each) => attempts.open({ id: each!.id, revision: each!.revision }, by)),
      ),
    );
    expect(tally(verdicts).open).toBe(40);
    expect(new Set(verdicts)).toEqual(new Set(['open', 'moved', 'in-use']));
    const dialled = await books.sql<{ phone: string }>(
      `select phone from carillon.attempts where state = 'dialing' and campaign_id = any ($1)`,
      [campaigns],
    );
    expect(new Set(dialled.map((row) => row.phone)).size).toBe(40);
    expect(await house.faults()).toEqual([]);
  });

  it('is skipped by the planner while it is live, and planned when its call is settled', async () => {
    const house = books.house();
    const [first, second] = await sharing(house, 2, 1);
    const [id] = await house.plan(first!);
    // A plan of this moment is about to call it.
    expect(await house.plan(second!)).toEqual([]);
    await house.call(id!);
    expect(await house.plan(second!)).toEqual([]);
    await house.settle(id!);
    const [next] = await house.plan(second!);
    expect(await house.admit(next!)).toBe('open');
  });

  it('is free again after an attempt that surely did not call it', async () => {
    const house = books.house();
    const [first, second] = await sharing(house, 2, 1);
    const ends: [string, (id: string) => Promise<unknown>][] = [
      ['a 429', (id) => house.ledger.attempts.withhold({ id, sent: true, detail: '429' })],
      ['no credit', async (id) => house.ledger.attempts.park(id, await house.lane(), 'no credit')],
      ['a refusal of the person', (id) => house.ledger.attempts.refusePerson(id, 'no')],
    ];
    const [a] = await planBlindly(books, house, first!);
    const [b] = await planBlindly(books, house, second!);
    for (const [what, end] of ends) {
      expect(await house.admit(a!), what).toBe('open');
      expect(await house.admit(b!), what).toBe('in-use');
      await end(a!);
      if (what === 'no credit') await house.ledger.lanes.open(await house.lane());
    }
    expect(await house.admit(b!)).toBe('open');
  });

  it('is released by an attempt that was taken back during its admission', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(2));
    const ids = await house.plan(campaign);
    const [loser] = ids;
    const by = openerOn(await house.lane());
    const loaded = await Promise.all(ids.map((id) => house.ledger.attempts.load(id)));
    const hand = await books.hand();
    await hand.query('begin');
    await hand.query(
      `select carillon.end_attempts(array[$1::uuid], '{planned}', 'dropped', 'canceled', null)`,
      [loser],
    );
    await hand.query(
      `update carillon.recipients set state = 'waiting' where campaign_id = $1 and phone = $2`,
      [campaign, loaded[0]!.phone],
    );
    const admissions = Promise.all(
      loaded.map((each) => house.ledger.attempts.open({ id: each!.id, revision: each!.revision }, by)),
    );
    // It has both phones by now, and waits for the attempt.
    const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    while ((await books.sql(waits)).length === 0);
    await hand.query('commit');
    expect(await admissions).toEqual(['moved', 'open']);
    const kept = await books.sql<{ id: string }>(
      `select p.attempt_id as id from carillon.live_phones p where p.phone = any ($1)`,
      [loaded.map((each) => each!.phone)],
    );
    expect(kept.map((row) => row.id)).toEqual([ids[1]]);
  });

  it('is held by an unknown attempt until its expiry and the deadline of a call have passed', async () => {
    const house = books.house();
    const [first, second] = await sharing(house, 2, 1);
    const [lost] = await house.plan(first!);
    await house.admit(lost!);
    await house.ledger.attempts.lose({ id: lost!, reason: 'lost', detail: 'reset' });
    const [other] = await planBlindly(books, house, second!);
    expect(await house.admit(other!)).toBe('in-use');
    await house.ledger.attempts.tidy();
    expect(await house.admit(other!)).toBe('in-use');
    await books.sql(`update carillon.attempts set phone_until = now() - interval '1 second' where id = $1`, [
      lost,
    ]);
    await house.ledger.attempts.tidy();
    expect(await house.admit(other!)).toBe('open');
    // It still blocks its own row.
    expect(await house.states(first!)).toEqual(['unknown']);
    expect(await house.plan(first!)).toEqual([]);
  });

  it('that another campaign has called since is not told as live twice when the call of the unknown one is named', async () => {
    const house = books.house();
    const broken = async () =>
      (await auditPolicy(house.ledger)).find(({ rule }) => rule.startsWith('two attempts'))!.broken;
    const [first, second] = await sharing(house, 2, 1);
    const [lost] = await house.plan(first!);
    await house.admit(lost!);
    await house.ledger.attempts.lose({ id: lost!, reason: 'lost', detail: 'reset' });
    await books.sql(`update carillon.attempts set phone_until = now() - interval '1 second' where id = $1`, [
      lost,
    ]);
    await house.ledger.attempts.tidy();
    const [other] = await planBlindly(books, house, second!);
    await house.admit(other!);
    await house.place(other!, 'other');
    await house.settle(other!);
    const before = await broken();
    await house.ledger.unknowns.place(lost!, 'named', 120);
    expect(await house.states(first!)).toEqual(['calling']);
    expect(await broken()).toBe(before);
    await house.settle(lost!);
    expect(await broken()).toBe(before);
  });

  it('is not freed by a journal once a note tells of a later opening, which the ledger has lost', async () => {
    const house = books.house();
    const [campaign] = await sharing(house, 1, 1);
    const [attempt] = await house.plan(campaign!);
    await house.admit(attempt!);
    const [row] = await books.sql<{ recipient: number; service: string }>(
      `update carillon.attempts a set journal = gen_random_uuid(), ticket = gen_random_uuid(),
         expires_at = now() - interval '1 second' from carillon.campaigns c
       where a.id = $1 and c.id = a.campaign_id returning a.recipient_id::integer as recipient, c.base_url as service`,
      [attempt],
    );
    const { recipient, service } = row!;
    const doubted = async () => (await house.ledger.attempts.doubted(service)).map(({ id }) => id);
    expect(await doubted()).toEqual([attempt]);
    const note = { attempt: attempt!, recipient, campaign: campaign!, at: new Date().toISOString() };
    await house.ledger.lostHistory.loseNoted([{ ...note, opens: 1 }], 1_000);
    expect(await doubted()).toEqual([attempt]);
    await house.ledger.lostHistory.loseNoted([{ ...note, opens: 2 }], 1_000);
    expect(await doubted()).toEqual([]);
  });

  it('is taken again by a late answer if nobody else has it', async () => {
    const house = books.house();
    const [first, second] = await sharing(house, 2, 1);
    const [lost] = await house.plan(first!);
    await house.admit(lost!);
    await house.ledger.attempts.lose({ id: lost!, reason: 'lost', detail: 'reset' });
    await books.sql(`update carillon.attempts set phone_until = now() - interval '1 second' where id = $1`, [
      lost,
    ]);
    await house.ledger.attempts.tidy();
    await house.place(lost!, 'late');
    const [other] = await planBlindly(books, house, second!);
    expect(await house.admit(other!)).toBe('in-use');
    await house.settle(lost!);
    expect(await house.admit(other!)).toBe('open');
  });

  it('is called once by two single calls at the same moment', async () => {
    const { house, campaign: calls } = await books.campaign({ kind: 'calls' });
    const lane = await house.lane();
    const { phone } = person(1);
    const ids = await Promise.all([1, 2].map(() => house.single(calls, lane, phone)));
    expect((await Promise.all(ids.map((id) => house.admit(id)))).sort()).toEqual(['in-use', 'open']);
    const waiting = (await Promise.all(ids.map((id) => house.ledger.attempts.load(id)))).filter(
      (each) => each?.inUse,
    );
    expect(waiting).toHaveLength(1);
  });
});
