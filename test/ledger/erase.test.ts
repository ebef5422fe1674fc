import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSeal } from '../../src/base/seal.ts';
import { withoutErased } from '../../src/control/lists/batches.ts';
import { finishErasure } from '../../src/dispatch/sweep.ts';
import { createErasures } from '../../src/ledger/erasures/erasures.ts';
import { type House, openerOn, person, persons, shareBooks, suppress } from './support.ts';

/** A person is erased from every table, counts on, and is not called again. */
const books = await shareBooks();

const ours = () => createErasures(books.ledger.db, () => createSeal('the secret of these tests'));

/** Every row of every table as text, by table: what a dump of the database would hold. */
async function dump(): Promise<Map<string, string>> {
  const tables: { name: string }[] = await books.sql(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema = 'carillon' and table_type = 'BASE TABLE' order by 1`,
  );
  const all = new Map<string, string>();
  for (const { name } of tables) {
    const rows: { row: string }[] = await books.sql(`select t::text as row from ${name} t`);
    all.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return all;
}

async function whereStands(words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [table, text] of await dump())
    for (const word of words) if (text.includes(word)) found.push(`${table}: ${word}`);
  return found;
}

const admit = async (house: House, erasures: ReturnType<typeof ours>, id: string) => {
  const { revision, laneId, phone } = (await house.ledger.attempts.load(id))!;
  const hash = erasures.hashOf([phone]);
  return house.ledger.attempts.open({ id, revision, policy: null, hash }, openerOn(laneId));
};

async function call(house: House, erasures: ReturnType<typeof ours>, id: string) {
  await erasures.look();
  expect(await admit(house, erasures, id)).toBe('open');
  expect(await house.place(id)).toBe(true);
}

async function importInto(house: House, campaign: string, people: ReturnType<typeof persons>) {
  const batches = withoutErased({ erasures: ours() }, [{ accepted: people as never[], rejected: [] }]);
  return house.ledger.people.import(campaign, batches, { columns: ['phone', 'name'], mode: 'whole' });
}

describe('an erased person', () => {
  const phone = '+14155550911';
  const words = [phone, '4155550911', 'Wilhelmina', 'Zanzibar', 'sid-wilhelmina', 'contact-wilhelmina'];

  it('stands nowhere in the database, and every count is as it was', async () => {
    const house = books.house();
    const erasures = ours();
    const wilhelmina = person(1, {
      phone,
      name: 'Wilhelmina',
      input: { phone, name: 'Wilhelmina', city: 'Zanzibar' },
      variables: { city: 'Zanzibar' },
    });
    const one = await house.campaign();
    const other = await house.campaign();
    await house.add(one, [wilhelmina, person(2)], {
      rejected: [
        { row: 9, reason: 'duplicate of line 2', input: { phone: '(415) 555-0911', name: 'Wilhelmina' } },
        { row: 10, reason: 'is too short', input: { phone: '911' } },
      ],
    });
    const calls = await house.plan(one);
    for (const id of calls) {
      await house.call(id);
      if (id === calls[1]) await house.settle(id);
      await house.settle(id, 'answered', {
        transcript: 'I am Wilhelmina from Zanzibar',
        recording_url: 'https://x.example/Wilhelmina',
        structured_data: { city: 'Zanzibar' },
        metadata: { who: 'Wilhelmina' },
        provider_call_sid: 'sid-wilhelmina',
        contact_id: 'contact-wilhelmina',
        direction: 'to Wilhelmina',
        ended_reason: 'Wilhelmina hung up',
        record: { phone_number: phone, org_id: 'org-1', asked_for: 'Wilhelmina' },
      });
    }
    await house.add(other, [wilhelmina, person(3)]);
    await suppress(house.ledger, [phone], 'Wilhelmina asked');
    await books.sql(`update carillon.campaigns set reason = 'refused: Wilhelmina, ${phone}' where id = $1`, [
      other,
    ]);
    await books.sql(`update carillon.lanes set refused_words = 'no room for ${phone}' where id = $1`, [
      await house.lane(),
    ]);
    await house.ledger.events.number();
    const { events } = await house.ledger.events.read(0, 1_000, { types: ['attempt.done'], campaignId: one });
    await books.sql(
      `with hook as (
         insert into carillon.webhooks (id, url, secret, cursor)
         values (gen_random_uuid(), 'https://hook.example', '', 0) returning id)
       insert into carillon.webhook_deliveries (webhook_id, delivered, slot, n, at, event, type, try, status, ms, error)
       select h.id, false, n, n, now(), e, 'attempt.done', 1, 422, 1, (array['Zanzibar', 'Reno'])[n] || ' has no contact'
       from hook h, unnest($1::text[]) with ordinality as x(e, n)`,
      [events.map((event) => event.id)],
    );
    const before = (await house.ledger.reports.results(one)) as unknown;
    expect(before).toBeDefined();
    expect((await whereStands(words)).length).toBeGreaterThan(8);

    const told = await erasures.erase(phone);
    expect(told).toEqual({ people: 2, campaigns: 2, calls: [], live: 0, until: null });
    expect(await finishErasure(erasures, phone)).toBe(true);
    expect(await whereStands(words)).toEqual([]);
    // What was said to an event about somebody else stays.
    expect(await whereStands(['has no contact'])).toHaveLength(1);
    const [first, second] = await house.people(one);
    expect(first).toMatchObject({ phone: '', state: 'done', outcome: 'answered', attempts: 1, reason: null });
    expect(second).toMatchObject({ phone: person(2).phone, state: 'done' });
    expect(await house.states(other)).toEqual(['skipped', 'waiting']);
    expect(await house.faults()).toEqual([]);
    // Rows that are over are erased only by the one function.
    await expect(books.sql('delete from carillon.history')).rejects.toThrow('append-only');
  });

  it('comes back by no list: on the same campaign the row is theirs, on another one it is rejected', async () => {
    const house = books.house();
    const erasures = ours();
    const campaign = await house.campaign();
    await importInto(house, campaign, persons(3, 40));
    await erasures.erase(person(41).phone);
    expect(await finishErasure(erasures, person(41).phone)).toBe(true);
    expect(await importInto(house, campaign, persons(3, 40))).toMatchObject({ accepted: 2, rejected: 0 });
    expect(await house.states(campaign)).toEqual(['waiting', 'skipped', 'waiting']);
    const next = await house.campaign();
    expect(await importInto(house, next, persons(3, 40))).toMatchObject({ accepted: 2, rejected: 1 });
    expect(await whereStands([person(41).phone])).toEqual([]);
  });

  it('is refused by the fence after coming in by an import that had begun before', async () => {
    const house = books.house();
    const erasures = ours();
    const campaign = await house.campaign();
    await erasures.erase(person(60).phone);
    await erasures.look();
    await house.add(campaign, [person(60), person(61)]);
    const [first, second] = await house.plan(campaign);
    expect(await admit(house, erasures, first!)).toBe('erased');
    expect(await admit(house, erasures, second!)).toBe('open');
    // Without a hash, or with the hash of another secret, nobody is admitted.
    const { revision, laneId } = (await house.ledger.attempts.load(first!))!;
    const ask = (hash: string | null) =>
      house.ledger.attempts.open({ id: first!, revision, policy: null, hash }, openerOn(laneId));
    expect(await ask(null)).toBe('changed');
    const others = createErasures(books.ledger.db, () => createSeal('another secret than that'));
    await others.look();
    expect(await ask(others.hashOf([person(60).phone]))).toBe('changed');
    expect(others.trouble()?.code).toBe('erasures-differ');
    await expect(others.erase('+14155550999')).rejects.toMatchObject({ code: 'erasures-differ' });
  });

  it('is erased when a live call has ended, and is not called again', async () => {
    const house = books.house();
    const erasures = ours();
    const campaign = await house.campaign({ maxAttempts: 3 });
    await house.add(campaign, [person(70)]);
    const [id] = await house.plan(campaign);
    await call(house, erasures, id!);
    const { phone } = person(70);
    const told = await erasures.erase(phone);
    expect(told).toMatchObject({ people: 0, campaigns: 1, calls: [id], live: 1 });
    expect(await finishErasure(erasures, phone)).toBe(false);
    // Another process, later.
    const later = ours();
    expect(await later.open()).toContain(phone);
    await house.settle(id!, 'no-answer', { again: 60, transcript: 'Hello Person 70' });
    expect(await house.states(campaign)).toEqual(['waiting']);
    expect(await finishErasure(later, phone)).toBe(true);
    expect(await later.open()).not.toContain(phone);
    expect(await house.states(campaign)).toEqual(['done']);
    expect(await whereStands([phone, 'Person 70'])).toEqual([]);
  });

  it.each(['queued', 'parked'])('is erased at once while %s', async (state) => {
    const house = books.house();
    const erasures = ours();
    const campaign = await house.campaign();
    const one = person(state === 'parked' ? 76 : 75);
    await house.add(campaign, [one]);
    const [id] = await house.plan(campaign);
    if (state === 'parked') await house.ledger.attempts.park(id!, await house.lane(), 'no credit');
    expect(await house.states(campaign)).toEqual([state]);
    expect(await erasures.erase(one.phone)).toMatchObject({ people: 1, live: 0 });
    expect(await whereStands([one.phone])).toEqual([]);
  });

  it('is erased when nobody can find out about an unknown call any more', async () => {
    const house = books.house();
    const erasures = ours();
    const campaign = await house.campaign();
    await house.add(campaign, [person(80)]);
    const [id] = await house.plan(campaign);
    await erasures.look();
    expect(await admit(house, erasures, id!)).toBe('open');
    await house.crash();
    expect(await house.states(campaign)).toEqual(['unknown']);
    const { phone } = person(80);
    expect(await erasures.erase(phone)).toMatchObject({ live: 1, until: expect.any(Date) });
    await books.sql(`update carillon.attempts set phone_until = now() - interval '1 second' where id = $1`, [
      id,
    ]);
    expect(await finishErasure(erasures, phone)).toBe(true);
    expect(await house.people(campaign)).toMatchObject([{ state: 'done', phone: '', attempts: 1 }]);
    expect(await whereStands([phone])).toEqual([]);
  });

  it('may be called again when a person lifts it, and what was suppressed stays suppressed', async () => {
    const house = books.house();
    const erasures = ours();
    const campaign = await house.campaign();
    await house.add(campaign, [person(90)]);
    const { phone } = person(90);
    await suppress(house.ledger, [phone]);
    await erasures.erase(phone);
    expect(await erasures.lift(phone)).toBe(false);
    expect(await finishErasure(erasures, phone)).toBe(true);
    expect(await erasures.lift(phone)).toBe(true);
    await importInto(house, campaign, [person(90)]);
    expect(await house.states(campaign)).toEqual(['skipped', 'skipped']);
    await erasures.erase(phone);
    expect(await finishErasure(erasures, phone)).toBe(true);
    expect(await whereStands([phone])).toEqual([]);
  });
});

const guide = readFileSync(new URL('../../docs/guides/privacy.md', import.meta.url), 'utf8');

/** The tables whose columns the guide lists: what is erased, and what stays. */
const listed = [...guide.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)]
  .map(([, table, erased, stays]) => ({ table: table!, erased: named(erased!), stays: named(stays!) }))
  .filter(({ stays }) => stays.includes('campaign_id') || stays.includes('attempt_id'));
function named(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
}

it.each(['on request', 'by its age'])(
  'what is erased %s is every column that the guide does not keep',
  async (how) => {
    const marker = `Xanadu ${how}`;
    const byAge = how === 'by its age';
    const { house, campaign } = await books.campaign();
    const one = person(byAge ? 121 : 120);
    await house.add(campaign, [one]);
    const [id] = await house.plan(campaign);
    await call(house, ours(), id!);
    await house.settle(id!);
    const [row] = await books.sql<{ id: string }>('select id from carillon.recipients where phone = $1', [
      one.phone,
    ]);
    await books.sql(`insert into carillon.hang_ups (attempt_id, outcome) values ($1, 'ended')`, [id]);
    await books.sql(
      `insert into carillon.judgements (attempt_id, recipient_id, campaign_id, is_first, judgement, by)
     values ($1, $2, $3, false, 'fine', 'someone')`,
      [id, row!.id, campaign],
    );
    await books.sql(`insert into carillon.exchanges (attempt_id, at, told) values ($1, now(), $2)`, [
      id,
      JSON.stringify({ marker }),
    ]);
    await books.sql(`insert into carillon.history (recipient_id, kind, detail) values ($1, 'noted', $2)`, [
      row!.id,
      marker,
    ]);
    expect(listed.map(({ table }) => table).sort()).toEqual([
      'ended_attempts',
      'hang_ups',
      'judgements',
      'recipients',
    ]);
    for (const { table, erased, stays } of listed) {
      const columns: { name: string; type: string }[] = await books.sql(
        `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'carillon' and table_name = $1`,
        [table],
      );
      const all = [...new Set([...erased, ...stays])].sort();
      expect([table, all]).toEqual([table, columns.map(({ name }) => name).sort()]);
      for (const { name, type } of columns) {
        // The phone finds the person, and has tests of its own; by age, place and reason stay too.
        if (name === 'phone' || (byAge && ['place', 'reason'].includes(name)) || !erased.includes(name))
          continue;
        if (type !== 'text' && type !== 'jsonb') continue;
        const key = table === 'recipients' ? 'id' : table === 'ended_attempts' ? 'id' : 'attempt_id';
        await books.sql(`update carillon.${table} set ${name} = $1 where ${key} = $2`, [
          type === 'jsonb' ? JSON.stringify({ marker }) : marker,
          table === 'recipients' ? row!.id : id,
        ]);
      }
    }
    expect((await whereStands([marker])).length).toBeGreaterThan(5);
    if (byAge) {
      await books.sql(
        `update carillon.recipients set updated_at = now() - interval '40 days' where id = $1`,
        [row!.id],
      );
      while (await books.ledger.erasures.old(30));
    } else {
      await ours().erase(one.phone);
      expect(await finishErasure(ours(), one.phone)).toBe(true);
    }
    expect(await whereStands([marker])).toEqual([]);
  },
);

it('the guide says of every table what is erased', async () => {
  const tables = [...(await dump()).keys()].map((name) => name.replace('carillon.', ''));
  expect(tables.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

describe('data that is older than it is kept', () => {
  it('goes in the order of its age, and the row counts on', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(4, 100));
    const ids = await house.plan(campaign, 3);
    for (const id of ids) {
      await call(house, ours(), id);
      await house.settle(id, 'answered', { transcript: 'what they said long ago' });
    }
    await books.sql(
      `update carillon.recipients set updated_at = now() - interval '40 days' where campaign_id = $1 and row <> $2`,
      [campaign, person(102).row],
    );
    const { erasures } = books.ledger;
    while (await erasures.old(30));
    const seen: { phone: string; input: object; state: string; name: string | null }[] = await books.sql(
      'select phone, input, state, name from carillon.recipients where campaign_id = $1 order by row',
      [campaign],
    );
    expect(seen.map(({ state, name }) => [state, name])).toEqual([
      ['done', null],
      ['done', null],
      ['done', 'Person 102'],
      // Nobody who waits is too old.
      ['waiting', 'Person 103'],
    ]);
    expect(seen[0]).toMatchObject({ phone: person(100).phone, input: {} });
    const said: { n: number }[] = await books.sql(
      `select count(*)::integer as n from carillon.ended_attempts where campaign_id = $1 and transcript is not null`,
      [campaign],
    );
    expect(said).toEqual([{ n: 1 }]);
    expect(await erasures.old(30)).toBe(false);
  });
});
