import { afterEach, describe, expect, it } from 'vitest';
import { auditPolicy } from '../../src/control/policies/audit.ts';
import { createAttempts } from '../../src/ledger/attempts/attempts.ts';
import { createPolicies, writtenPolicy } from '../../src/ledger/policies/policies.ts';
import { type House, openerOn, person, persons, planBlindly, shareBooks, tally } from './support.ts';

/** The contact rules in the ledger: what counts for a phone, over all campaigns, and what the fence makes of it. */
const books = await shareBooks();
afterEach(async () => {
  await books.sql('truncate carillon.policies, carillon.phone_calls');
  await books.ledger.policies.refresh();
});

const rule = (body: Record<string, unknown>) => books.ledger.policies.set(writtenPolicy(body), 'api');

/** So much time passes for everything that was dialled. */
async function pass(seconds: number): Promise<void> {
  const back = 'make_interval(secs => $1)';
  await books.sql(
    `update carillon.attempts set dialing_at = dialing_at - ${back}, expires_at = expires_at - ${back},
       phone_until = phone_until - ${back}, placed_at = placed_at - ${back}`,
    [seconds],
  );
  await books.sql(`update carillon.phone_calls set at = at - ${back}, ended_at = ended_at - ${back}`, [
    seconds,
  ]);
  await books.sql(`update carillon.recipients set next_at = next_at - ${back} where next_at > '-infinity'`, [
    seconds,
  ]);
}

/** One campaign for each attempt, all with the same one person. */
async function lists(house: House, count: number, phone = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = await house.campaign({ maxAttempts: 9 });
    await house.add(id, [person(phone)]);
    ids.push(id);
  }
  return ids;
}

/** Plans the one person of a list as if the planner had not looked, so that the fence is asked. */
const planOne = async (house: House, campaign: string) => (await planBlindly(books, house, campaign))[0]!;

/** A call that ends with this outcome. */
async function callOnce(house: House, campaign: string, outcome = 'busy'): Promise<void> {
  const id = await planOne(house, campaign);
  await house.call(id);
  expect(await house.settle(id, outcome)).toBe(true);
}

const held = (campaign: string) =>
  books.sql<{ held: string | null; until: number | null }>(
    `select held, extract(epoch from next_at - now())::double precision as until from carillon.recipients
     where campaign_id = $1 order by row`,
    [campaign],
  );

describe('the fence', () => {
  it('lets a phone ring as often as a cap allows, over all campaigns, and again when the oldest call has left its time', async () => {
    const house = books.house();
    await rule({ caps: [{ calls: 2, per: '24h' }] });
    const [a, b, c] = await lists(house, 3);
    await callOnce(house, a!);
    await pass(3_600);
    await callOnce(house, b!);
    const third = await planOne(house, c!);
    expect(await house.admit(third)).toBe('held');
    expect(await house.ledger.attempts.hold(third)).toBe(true);
    const [row] = await held(c!);
    expect(row!.held).toBe('cap');
    expect(Math.abs(row!.until! - 23 * 3_600)).toBeLessThan(60);
    expect(await books.sql('select from carillon.live_phones where phone = $1', [person(1).phone])).toEqual(
      [],
    );
    await pass(23 * 3_600);
    expect(await house.admit(await planOne(house, c!))).toBe('open');
  });

  // policy-model.test.ts draws calls that end, and conversations, gaps and findings of a person.
  it.each([
    ['a refusal', 'open', (h: House, id: string) => h.ledger.attempts.refusePerson(id, 'no')],
    [
      'an unknown call of which a person says that it was not made',
      'open',
      async (h: House, id: string) => {
        await h.ledger.attempts.lose({ id, reason: 'lost', detail: 'x' });
        await h.free(id);
      },
    ],
    [
      'an unknown call that lost its phone',
      'held',
      async (h: House, id: string) => {
        await h.ledger.attempts.lose({ id, reason: 'lost', detail: 'x' });
        await pass(8_000);
        await h.ledger.attempts.tidy();
      },
    ],
    [
      'an unknown call that is redialled',
      'held',
      async (h: House, id: string) => {
        await h.ledger.attempts.lose({ id, reason: 'lost', detail: 'x' });
        await h.age();
        await books.sql(
          `update carillon.campaigns set terms = terms || '{"onUnknown": "redial"}' where base_url = $1`,
          [h.baseUrl],
        );
        expect(await h.ledger.attempts.redial(h.baseUrl, null)).toHaveLength(1);
      },
    ],
  ])('after %s it says %s', async (_, verdict, end) => {
    const house = books.house();
    await rule({ caps: [{ calls: 1, per: '24h' }] });
    const [a, b] = await lists(house, 2);
    const id = await planOne(house, a!);
    expect(await house.admit(id)).toBe('open');
    await end(house, id);
    expect(await house.admit(await planOne(house, b!))).toBe(verdict);
  });

  it('refuses hours that were judged by other rules, or that have closed by its own clock', async () => {
    const house = books.house();
    const [a] = await lists(house, 1);
    const { id, revision } = (await house.ledger.attempts.load(await planOne(house, a!)))!;
    const by = openerOn(await house.lane());
    const open = (policy: number | null, validUntil: Date | null) =>
      house.ledger.attempts.open({ id, revision, policy, validUntil: validUntil?.toISOString() ?? null }, by);
    const { version } = await rule({ gap: '1h' });
    expect(await open(null, null)).toBe('changed');
    expect(await open(version - 1, null)).toBe('changed');
    expect(await open(version, new Date(Date.now() - 3_600_000))).toBe('shut');
    expect(await open(version, new Date(Date.now() + 3_600_000))).toBe('open');
    const [kept] = await books.sql('select policy_version from carillon.attempts where id = $1', [id]);
    expect(kept).toEqual({ policy_version: version });
  });

  it('never lets a phone exceed its cap, however many connections ask and settle at once', async () => {
    const house = books.house();
    const { version } = await rule({ caps: [{ calls: 2, per: '24h' }] });
    const phones = 8;
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const campaign = await house.campaign({ maxAttempts: 9 });
      await house.add(campaign, persons(phones));
      ids.push(...(await planBlindly(books, house, campaign)));
    }
    const by = openerOn(await house.lane());
    const stores = [1, 2, 3].map(() => books.another());
    const verdicts: string[] = [];
    await Promise.all(
      stores.map(createAttempts).map(async (attempts, n) => {
        for (const mine = ids.filter((_, i) => i % 3 === n); mine.length > 0; ) {
          const id = mine.shift()!;
          const { revision } = (await attempts.load(id))!;
          const verdict = await attempts.open({ id, revision, policy: version }, by);
          if (verdict === 'in-use') mine.push(id);
          else verdicts.push(verdict);
          if (verdict !== 'open') continue;
          await house.place(id);
          await house.settle(id, 'busy');
        }
      }),
    );
    expect(tally(verdicts)).toEqual({ open: 2 * phones, held: 3 * phones });
    expect(await house.faults()).toEqual([]);
  });
});

describe('the planner', () => {
  it('passes over people whom a rule holds, and reaches those behind them in the same round', async () => {
    const house = books.house();
    await rule({ caps: [{ calls: 1, per: '24h' }] });
    const campaign = await house.campaign();
    await house.add(campaign, persons(300));
    await books.sql(
      `insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id)
       select phone, now() - interval '1 hour', now() - interval '1 hour', false, gen_random_uuid()
       from carillon.recipients where campaign_id = $1 and row <= 281`,
      [campaign],
    );
    expect(await house.plan(campaign, 10)).toHaveLength(10);
    const rows = await held(campaign);
    expect(
      rows.slice(0, 280).every((row) => row.held === 'cap' && Math.abs(row.until! - 23 * 3_600) < 60),
    ).toBe(true);
    expect(rows.slice(280).every((row) => row.held === null)).toBe(true);
    expect((await house.states(campaign)).slice(278, 292)).toEqual([
      'waiting',
      'waiting',
      ...Array.from({ length: 10 }, () => 'queued'),
      'waiting',
      'waiting',
    ]);
    expect(await house.plan(campaign, 100)).toHaveLength(10);
  });

  it('asks again about people whom older rules hold, and leaves those that the new rules hold', async () => {
    const house = books.house();
    await rule({ gap: '4h' });
    const [a, b] = await lists(house, 2);
    await callOnce(house, a!);
    expect(await house.plan(b!)).toEqual([]);
    expect((await held(b!))[0]!.held).toBe('gap');
    expect(await house.ledger.policies.freeHeld()).toBe(false);
    expect((await held(b!))[0]!.held).toBe('gap');
    await rule({ gap: '5h' });
    await house.ledger.policies.freeHeld();
    expect(await house.plan(b!)).toEqual([]);
    expect((await held(b!))[0]!.until).toBeGreaterThan(4.9 * 3_600);
    await rule({});
    await house.ledger.policies.freeHeld();
    expect((await held(b!))[0]!.held).toBe(null);
    expect(await house.plan(b!)).toHaveLength(1);
  });

  it('holds at once who will be held longer than until the next attempt, and leaves that time when the rule is gone', async () => {
    const house = books.house();
    await rule({ gap: '4h' });
    const [a, b] = [await house.campaign({ maxAttempts: 9 }), await house.campaign({ maxAttempts: 9 })];
    await house.add(a, [person(1)]);
    await house.add(b, [person(2)]);
    for (const [campaign, again] of [
      [a, 3_600],
      [b, 6 * 3_600],
    ] as const) {
      const id = await planOne(house, campaign);
      await house.call(id);
      await house.settle(id, 'busy', { again });
      await house.ledger.policies.holdAhead((await house.attempt(id)).recipientId);
    }
    const [[soon], [late]] = [await held(a), await held(b)];
    expect(soon!.held).toBe('gap');
    expect(soon!.until).toBeGreaterThan(3.9 * 3_600);
    expect(late!.held).toBe(null);
    expect(late!.until).toBeGreaterThan(5.9 * 3_600);
    await rule({});
    await house.ledger.policies.freeHeld();
    const [free] = await held(a);
    expect(free!.held).toBe(null);
    expect(free!.until).toBeGreaterThan(0.9 * 3_600);
    expect(free!.until).toBeLessThan(1.1 * 3_600);
  });

  it('asks again about people whom an unknown call held, once a person says that it was not made', async () => {
    const house = books.house();
    await rule({ caps: [{ calls: 1, per: '24h' }] });
    const [a, b] = await lists(house, 2);
    const id = await planOne(house, a!);
    await house.admit(id);
    await house.ledger.attempts.lose({ id, reason: 'lost', detail: 'x' });
    await pass(8_000);
    await house.ledger.attempts.tidy();
    expect(await house.plan(b!)).toEqual([]);
    expect(await house.ledger.unknowns.free(id)).toBe(true);
    expect(await house.plan(b!)).toHaveLength(1);
  });

  it('calls people of a campaign that ignores the rules', async () => {
    const house = books.house();
    await rule({ gap: '4h' });
    const [a] = await lists(house, 1);
    await callOnce(house, a!);
    const campaign = await house.campaign({ kind: 'calls' });
    await books.sql(
      `update carillon.campaigns set terms = terms || '{"times": {"ignoresPolicy": true}}' where id = $1`,
      [campaign],
    );
    await house.add(campaign, [person(1)]);
    const [id] = await house.plan(campaign);
    expect(await house.admit(id!)).toBe('open');
    const last = await house.campaign();
    await house.add(last, [person(1)]);
    await house.place(id!);
    await house.settle(id!);
    expect(await house.plan(last)).toEqual([]);
  });
});

describe('a policy', () => {
  it('becomes one version, however many processes start with its file', async () => {
    const stores = [1, 2, 3, 4].map(() => books.another());
    const written = writtenPolicy({ gap: '1h', caps: [{ calls: 3, per: '24h' }] });
    const made = await Promise.all(
      stores.flatMap((db) => [1, 2].map(() => createPolicies(db).set(written, 'file'))),
    );
    expect(made.filter((each) => each.made)).toHaveLength(1);
    expect(new Set(made.map((each) => each.version))).toEqual(new Set([1]));
    // Written in another way, it is the same.
    const same = writtenPolicy({ caps: [{ per: '1d', calls: 3 }], gap: '60m' });
    expect(await createPolicies(stores[0]!).set(same, 'file')).toEqual({
      version: 1,
      made: false,
      refused: false,
    });
  });

  it('of a file is replaced by another file, and by the API only when it has no rules', async () => {
    const { policies } = books.ledger;
    const set = (body: Record<string, unknown>, source: 'file' | 'api') =>
      policies.set(writtenPolicy(body), source);
    expect(await set({ gap: '1h' }, 'api')).toEqual({ version: 1, made: true, refused: false });
    expect(await set({ gap: '2h' }, 'file')).toEqual({ version: 2, made: true, refused: false });
    expect(await set({ gap: '3h' }, 'api')).toEqual({ version: 2, made: false, refused: true });
    await policies.refresh();
    expect([policies.version()?.source, policies.now()?.gapSeconds]).toEqual(['file', 7_200]);
    expect((await set({}, 'file')).version).toBe(3);
    await policies.refresh();
    expect(policies.now()).toBe(null);
    expect((await set({ gap: '3h' }, 'api')).version).toBe(4);
    expect([...(await policies.all())].map(([version, { gapSeconds }]) => [version, gapSeconds])).toEqual([
      [1, 3_600],
      [2, 7_200],
      [3, null],
      [4, 10_800],
    ]);
  });

  it('forgets calls that are older than its longest rule, and none of the last month', async () => {
    const calls = async () =>
      Number((await books.sql<{ n: string }>('select count(*) as n from carillon.phone_calls'))[0]!.n);
    await books.sql(
      `insert into carillon.phone_calls select '+1', t, t, false, gen_random_uuid()
       from (select now() - make_interval(days => d) as t from unnest(array[1, 30, 40, 100]) d) x`,
    );
    await rule({ after_conversation: '60d' });
    expect(await books.ledger.policies.prune()).toBe(false);
    expect(await calls()).toBe(3);
    await rule({ gap: '1h' });
    await books.ledger.policies.prune();
    expect(await calls()).toBe(2);
  });

  it('says of a phone which rule holds it longest, at any time', async () => {
    const house = books.house();
    const [a] = await lists(house, 1);
    await callOnce(house, a!);
    const { policy } = writtenPolicy({ gap: '4h', caps: [{ calls: 1, per: '24h' }] });
    const { judge } = books.ledger.policies;
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    const now = await judge(person(1).phone, policy);
    expect(now?.rule).toBe('cap');
    expect(Math.abs(now!.until.getTime() - at(24).getTime())).toBeLessThan(60_000);
    expect(await judge(person(1).phone, policy, at(25))).toBe(null);
    expect(await judge(person(2).phone, policy)).toBe(null);
  });

  it('is asked of nobody by the audit who may have been called in a history that is lost', async () => {
    const house = books.house();
    const broken = async () => (await auditPolicy(house.ledger)).map((each) => each.broken);
    const before = await broken();
    await rule({ caps: [{ calls: 1, per: '1h' }] });
    const campaigns = await lists(house, 2);
    for (const campaign of campaigns) {
      const id = await planOne(house, campaign);
      expect(await house.admit(id)).toBe('open');
      // A 429: it waits for another try, and the rules under which it was opened stay with it.
      await house.ledger.attempts.withhold({ id, sent: true, detail: 'slower' });
    }
    for (const campaign of campaigns)
      expect(await house.ledger.lostHistory.loseWaiting(campaign, 1_000)).toBe(1);
    expect(await broken()).toEqual(before);
  });
});
