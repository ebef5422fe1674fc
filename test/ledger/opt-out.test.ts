import { describe, expect, it } from 'vitest';
import { person, persons, shareBooks, suppress } from './support.ts';

/** A person's opt-out in a call takes effect with the settlement of that call. */
const books = await shareBooks();

const entry = (phone: string) =>
  books.sql<{ source: string; reason: string; until: Date | null }>(
    'select source, reason, until from carillon.suppressions where phone = $1',
    [phone],
  );

describe('an opt-out', () => {
  it('suppresses the phone everywhere in the settling transaction', async () => {
    const { house, campaign } = await books.campaign({ maxAttempts: 3 });
    await house.add(campaign, persons(2));
    const waits = await house.campaign();
    const plans = await house.campaign();
    for (const each of [waits, plans]) await house.add(each, persons(2));
    const [id] = await house.plan(campaign, 1);
    await house.call(id!);
    await books.sql(`update carillon.attempts set planned_at = now() - interval '1 hour' where id = $1`, [
      id,
    ]);
    // Planned on another campaign before its phone was live: the dialer would be refused.
    const [rowId] = (await house.people(plans)).map((each) => each.id);
    await books.sql(
      `with made as (
         insert into carillon.attempts (campaign_id, recipient_id, lane_id, phone, number)
         select campaign_id, id, $2, phone, 1 from carillon.recipients where id = $1 returning recipient_id)
       update carillon.recipients r set state = 'live' from made m where r.id = m.recipient_id`,
      [rowId, await house.lane()],
    );
    await house.settle(id!, 'answered', { optOut: 'said', again: null });
    const { phone } = person(1);
    expect(await entry(phone)).toEqual([
      { source: 'opt-out', reason: `asked on a call of ${house.baseUrl} 1`, until: null },
    ]);
    // The person's own row keeps its outcome.
    expect((await house.people(campaign))[0]).toMatchObject({
      state: 'done',
      outcome: 'answered',
      reason: null,
    });
    for (const each of [waits, plans]) {
      expect(await house.people(each)).toMatchObject([
        { state: 'skipped', reason: 'suppressed', outcome: null },
        { state: 'waiting' },
      ]);
    }
    expect((await house.ledger.reports.standing(campaign)).optOuts).toEqual({ people: 1, read: 1, found: 1 });
    expect(await house.faults()).toEqual([]);
    await house.ledger.suppressions.remove([phone]);
  });

  it('is heard late, from a record that is asked for again, and counted once', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(1, 101));
    const waits = await house.campaign();
    await house.add(waits, persons(1, 101));
    const [id] = await house.plan(campaign);
    await house.call(id!);
    await house.settle(id!, 'answered', { refresh: ['structured_data'], refreshIn: 10 });
    expect(await house.states(waits)).toEqual(['waiting']);
    const kept = { id: id!, asked: 1, next: null, over: true, optOut: 'said' as const };
    await house.ledger.refreshes.keep(kept);
    expect(await house.states(waits)).toEqual(['skipped']);
    expect((await house.people(campaign))[0]).toMatchObject({ state: 'done', outcome: 'answered' });
    await house.ledger.refreshes.keep(kept);
    expect((await house.ledger.reports.standing(campaign)).optOuts.people).toBe(1);
    expect(await house.faults()).toEqual([]);
    await house.ledger.suppressions.remove([person(101).phone]);
  });

  it('turns a suppression that would end into one for ever', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(1, 201));
    const { phone } = person(201);
    const [id] = await house.plan(campaign);
    await house.call(id!);
    await suppress(house.ledger, [phone], 'by letter');
    await house.settle(id!, 'answered', { optOut: 'said' });
    expect(await entry(phone)).toMatchObject([{ source: 'opt-out', until: null }]);
    expect((await house.ledger.reports.standing(campaign)).optOuts.people).toBe(1);
    await house.ledger.suppressions.remove([phone]);
  });

  it('that is not said changes nothing but the counts', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(3, 301));
    for (const [i, id] of (await house.plan(campaign)).entries()) {
      await house.call(id);
      await house.settle(id, 'answered', { optOut: (['unsaid', 'absent', null] as const)[i]! });
    }
    expect((await house.ledger.reports.standing(campaign)).optOuts).toEqual({ people: 0, read: 2, found: 1 });
    expect(await entry(person(301).phone)).toEqual([]);
  });
});
