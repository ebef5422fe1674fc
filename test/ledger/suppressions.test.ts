import { describe, expect, it } from 'vitest';
import { person, persons, shareBooks, suppress } from './support.ts';

/** Phones that must not be called: by whom, until when, and what follows at once. */
const books = await shareBooks();

const soon = (ms: number) => new Date(Date.now() + ms);
const all = { phones: null, source: null, campaignId: null };
const start = { phone: '', scope: '00000000-0000-0000-0000-000000000000' };

describe('a suppression', () => {
  it('of one campaign leaves the others their person', async () => {
    const { house, campaign: one } = await books.campaign();
    const other = await house.campaign();
    for (const each of [one, other]) await house.add(each, persons(2));
    const done = await house.ledger.suppressions.add(
      [{ phone: person(1).phone, source: 'manual', reason: 'debt was paid' }],
      one,
    );
    expect(done).toEqual({ added: 1, skipped: 1, calls: [] });
    expect(await house.states(one)).toEqual(['skipped', 'waiting']);
    expect(await house.states(other)).toEqual(['waiting', 'waiting']);
    const [id] = await house.plan(other, 1);
    expect(await house.admit(id!)).toBe('open');
    // And neither an import nor a planner lets the one call.
    await house.add(one, persons(2));
    expect(await house.plan(one)).toHaveLength(1);
    await house.ledger.suppressions.remove([person(1).phone], one);
  });

  it('bars nobody after its end, and who was skipped stays skipped', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, [person(1)]);
    const { phone } = person(1);
    await house.ledger.suppressions.add([{ phone, source: 'api', until: soon(3_600_000) }]);
    expect(await house.states(campaign)).toEqual(['skipped']);
    const later = await house.campaign();
    await house.add(later, [person(1)]);
    expect(await house.states(later)).toEqual(['skipped']);
    await books.sql(`update carillon.suppressions set until = now() - interval '1 ms' where phone = $1`, [
      phone,
    ]);
    const last = await house.campaign();
    await house.add(last, [person(1)]);
    expect(await house.states(last)).toEqual(['waiting']);
    const [id] = await house.plan(last);
    expect(await house.admit(id!)).toBe('open');
    expect(await house.states(campaign)).toEqual(['skipped']);
    await house.ledger.suppressions.remove([phone]);
  });

  it('is only made wider', async () => {
    const { suppressions } = books.ledger;
    const { phone } = person(7_001);
    const add = (until: Date | null) => suppressions.add([{ phone, source: 'manual', until }]);
    const day = 86_400_000;
    expect(await add(soon(day))).toMatchObject({ added: 1 });
    expect(await add(soon(day / 2))).toMatchObject({ added: 0 });
    expect(await add(soon(2 * day))).toMatchObject({ added: 1 });
    expect(await add(null)).toMatchObject({ added: 1 });
    expect(await add(soon(3 * day))).toMatchObject({ added: 0 });
    const [kept] = await suppressions.page(start, 10, { ...all, phones: [phone] });
    expect(kept).toMatchObject({ phone, until: null, campaign: null, source: 'manual' });
    // Twice in one list: the wider one counts.
    const twice = person(7_002).phone;
    await suppressions.add([
      { phone: twice, source: 'import', until: soon(day) },
      { phone: twice, source: 'import', until: null },
    ]);
    expect((await suppressions.page(start, 10, { ...all, phones: [twice] }))[0]?.until).toBeNull();
    expect(await suppressions.page(start, 10, { ...all, source: 'import' })).toHaveLength(1);
    await suppressions.remove([phone, twice]);
  });

  it('waits for a dialer that opens an attempt on the phone, and the next dialer for it', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(2, 7_101));
    const [first, second] = await house.plan(campaign);
    const phones = persons(2, 7_101).map((each) => each.phone);
    const dialer = await books.connect();
    const list = await books.connect();
    try {
      // The dialer has taken the phone and not yet committed.
      await dialer.query('begin');
      await dialer.query(
        `select * from carillon.open_attempts(
           (select jsonb_build_array(jsonb_build_object('id', a.id, 'revision', c.revision))
            from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id where a.id = $1),
           'd', null, null, 30000, 7200000)`,
        [first],
      );
      const suppressing = suppress(house.ledger, phones);
      await books.blocked('%carillon.suppress(%');
      await dialer.query('commit');
      await suppressing;
      expect((await house.attempt(first!)).state).toBe('dialing');
      expect((await house.attempt(second!)).state).toBe('dropped');
      // The other way round: the dialer waits for the list, and is refused.
      await house.add(campaign, persons(3, 7_101), { mode: 'more' });
      const [third] = await house.plan(campaign, 1);
      const { phone } = person(7_103);
      phones.push(phone);
      await list.query('begin');
      await list.query(
        'insert into carillon.live_phones (phone, attempt_id) values ($1, gen_random_uuid())',
        [phone],
      );
      await list.query('delete from carillon.live_phones where phone = $1', [phone]);
      await list.query('insert into carillon.suppressions (phone) values ($1)', [phone]);
      const admission = house.admit(third!);
      await books.blocked('%carillon.open_attempts(%');
      await list.query('commit');
      expect(await admission).toBe('suppressed');
      expect(await books.sql('select from carillon.live_phones where phone = $1', [phone])).toEqual([]);
      expect(await house.faults()).toEqual([]);
    } finally {
      dialer.release();
      list.release();
      await house.ledger.suppressions.remove(phones);
    }
  });
});

/** A person's opt-out in a call takes effect with the settlement of that call. */

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
