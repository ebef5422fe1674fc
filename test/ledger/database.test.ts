import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { CarillonError } from '../../src/base/errors.ts';
import { createListener } from '../../src/base/postgres/listener.ts';
import { isLedgerAway, openDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { migrations } from '../../src/ledger/schema.ts';
import { inspectLedger } from '../../src/ledger/server/inspect.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { once, person, persons, shareBooks, suppress } from './support.ts';

const books = await shareBooks();

describe('the ledger', () => {
  it('creates its schema once when several processes start at once', async () => {
    const database = await emptyDatabase();
    try {
      expect((await inspectLedger(database.url, Date.now)).empty).toBe(true);
      const done = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
      const laid = done.filter((names) => names.length > 0);
      expect(laid).toHaveLength(1);
      expect(laid[0]).toEqual(['001_ledger']);
      expect(await migrate(database.url)).toEqual([]);
      const asked = performance.now();
      const facts = await inspectLedger(database.url, Date.now);
      expect(facts).toMatchObject({ empty: false, pending: [], standby: false });
      // Both clocks are the same: the difference is the time that the question took.
      expect(Math.abs(facts.aheadMs)).toBeLessThanOrEqual(performance.now() - asked);
    } finally {
      await database.drop();
    }
  });

  it('gets the migrations that it lacks, all or none of them, and its tables stay', async () => {
    const database = await freshDatabase();
    const later = { name: '002_later', text: 'create table carillon.later (n integer)', digest: 'later' };
    const broken = { name: '003_broken', text: 'create table carillon.later (n integer)', digest: 'broken' };
    const known = migrations as (typeof later)[];
    try {
      known.push(later, broken);
      const facts = () => inspectLedger(database.url, Date.now);
      expect((await facts()).pending).toEqual(['002_later', '003_broken']);
      await expect(migrate(database.url)).rejects.toThrow('already exists');
      expect((await facts()).pending).toEqual(['002_later', '003_broken']);
      known.pop();
      expect(await migrate(database.url)).toEqual(['002_later']);
      expect(await migrate(database.url)).toEqual([]);
      expect(await facts()).toMatchObject({ empty: false, pending: [] });
    } finally {
      known.splice(1);
      await database.drop();
    }
  });

  it('says in one line that it cannot be reached', async () => {
    const nowhere = 'postgres://nobody:secret@127.0.0.1:1/nothing';
    const db = openDatabase(nowhere);
    const error = await db.ping().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(CarillonError);
    expect(isLedgerAway(error)).toBe(true);
    expect((error as Error).message).not.toContain('secret');
    expect(isLedgerAway(await migrate(nowhere).catch((failure: unknown) => failure))).toBe(true);
    await db.close();
  });

  it('tells a wrong statement from a server that is away', async () => {
    const { db } = books.ledger;
    const wrong = await db
      .query('campaigns/places', { campaignId: 'no uuid' })
      .catch((failure: unknown) => failure);
    expect(isLedgerAway(wrong)).toBe(false);
    // @ts-expect-error The compiler knows every statement by its name.
    await expect(db.query('nothing_of_the_kind')).rejects.toThrow('does not exist');
  });
});

describe('an act that may give others work', () => {
  it('wakes them once it is committed, and a hundred acts at once wake them a few times', async () => {
    const { ledger } = books;
    const complaints: Error[] = [];
    const listener = createListener({ url: books.url, complain: (error) => complaints.push(error) });
    let woken = 0;
    let listens = false;
    listener.onBack(() => {
      listens = true;
    });
    listener.subscribe('carillon_work', '', () => {
      woken += 1;
    });
    try {
      await until(
        () => listens,
        (does) => does,
      );
      let seen = -1;
      await ledger.together(async ({ activity }) => {
        await activity.record({ verb: 'policy.set' });
        // Long enough for a notice that would come too early.
        await ledger.db.query('lanes/idle', { baseUrl: '' });
        seen = woken;
      });
      expect(seen).toBe(0);
      await until(
        () => woken,
        (count) => count === 1,
      );
      await Promise.all(
        Array.from({ length: 100 }, () => ledger.activity.record({ verb: 'policy.set', subject: 'x' })),
      );
      await until(
        () => woken,
        (count) => count >= 2,
      );
      await ledger.activity.record({ verb: 'policy.set', subject: 'last' });
      const before = woken;
      await until(
        () => woken,
        (count) => count > before,
      );
      expect(woken).toBeLessThan(20);
      expect(complaints).toEqual([]);
    } finally {
      await listener.close();
    }
  });
});

describe('two statements that want the same rows in a different order', () => {
  it('are both carried out', async () => {
    const { house, campaign, id } = await books.planned({ people: 1 });
    const [who] = await house.people(campaign);
    const [gate, hand] = [await books.connect(), await books.connect()];
    try {
      await gate.query('begin');
      await gate.query('select from carillon.attempts where id = $1 for update', [id]);
      await hand.query('begin');
      // The verb loses the deadlock, and gives way.
      await hand.query(`set local deadlock_timeout = '10min'`);
      await hand.query('select from carillon.recipients where id = $1 for update', [who!.id]);
      // Both want the attempt, the verb first; when it has it, it wants the person, whom the other holds.
      const skipped = house.ledger.attempts.skip(id, 'gone');
      await books.blocked("%end_attempts(array[$1::uuid], '{planned,parked}', 'dropped'%");
      const wanted = hand.query('select 1 as wanted from carillon.attempts where id = $1 for update', [id]);
      await books.blocked('%as wanted%');
      await gate.query('rollback');
      await wanted;
      await hand.query('rollback');
      expect(await skipped).toBe(true);
    } finally {
      // Nobody else must wait for the rows that they hold, whatever went wrong.
      gate.release(true);
      hand.release(true);
    }
    expect(await house.states(campaign)).toEqual(['skipped']);
  });

  it('do not turn a clear answer into an unknown one while a key loses its credit', async () => {
    const { house, campaign } = await books.campaign({ people: 120 });
    const lane = await house.lane();
    const ids = await house.plan(campaign, 120);
    const first = ids.splice(0, 20);
    for (const id of first) await house.admit(id);
    await Promise.all([
      ...first.map((id) => house.ledger.attempts.park(id, lane, 'no credit')),
      ...ids.map((id) => house.admit(id)),
      suppress(
        house.ledger,
        persons(120).map((each) => each.phone),
        null,
      ),
    ]);
    expect(await house.faults()).toEqual([]);
    for (const id of first) expect((await house.attempt(id)).state).not.toBe('dialing');
    await house.ledger.suppressions.remove(persons(120).map((each) => each.phone));
  });
});

describe('a connection that dies', () => {
  it('in the middle of an import undoes it and leaves the process alive', async () => {
    const { house, campaign } = await books.campaign();
    const input = async function* () {
      yield { accepted: [person(1)], rejected: [] };
      await until(
        () =>
          books.sql(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'copy carillon.recipients%'`,
          ),
        (ended) => ended.length > 0,
      );
      yield { accepted: [person(2)], rejected: [] };
    };
    const options = { columns: [], mode: 'whole' as const };
    const error = await house.ledger.people
      .import(campaign, input(), options)
      .catch((failure: unknown) => failure);
    expect(isLedgerAway(error)).toBe(true);
    expect(await house.states(campaign)).toEqual([]);
    await house.add(campaign, persons(2));
    expect(await house.states(campaign)).toHaveLength(2);
  });

  it('between two statements of a transaction is reported to its caller', async () => {
    const work = books.ledger.db.transaction(async (tx) => {
      const { rows } = await tx.client.query('select pg_backend_pid() as pid');
      const ended = new Promise((resolve) => tx.client.once('end', resolve));
      await books.sql('select pg_terminate_backend($1)', [rows[0].pid]);
      await ended;
      await tx.client.query('select 1');
    });
    await expect(work).rejects.toMatchObject({ code: 'ledger-unreachable' });
    await books.ledger.ping();
  });

  it('is replaced by the next statement', async () => {
    const proxy = await startDatabaseProxy(books.url);
    const db = openDatabase(proxy.url, { max: 2 });
    try {
      await db.ping();
      await proxy.cut();
      expect(isLedgerAway(await db.ping().catch((failure: unknown) => failure))).toBe(true);
      await proxy.restore();
      await until(
        () =>
          db.ping().then(
            () => true,
            () => false,
          ),
        (answers) => answers,
      );
    } finally {
      await db.close();
      await proxy.close();
    }
  });
});

it('an error inside a transaction undoes all of it', async () => {
  const { house, campaign } = await books.campaign();
  const broken = books.ledger.db.transaction(async (tx) => {
    await tx.query('campaigns/requests', { campaignId: campaign, requests: 5 });
    throw new Error('no further');
  });
  await expect(broken).rejects.toThrow('no further');
  expect((await house.ledger.reports.standing(campaign)).requests).toBe(0);
});

it('numbers of the ledger are numbers, not text', async () => {
  const { house, campaign } = await books.campaign({ people: 1 });
  await house.ledger.people.import(campaign, once(), { columns: [], mode: 'more' });
  const [line] = (await house.ledger.reports.results(campaign).next()).value!;
  expect(typeof line!.id).toBe('number');
  const client = new pg.Client({ connectionString: books.url });
  await client.connect();
  expect((await client.query('select 1::bigint as n')).rows[0].n).toBe('1');
  await client.end();
});

async function markAt(url: string): Promise<string> {
  const ledger = await openLedger(url, 'https://voice.example/v1');
  const mark = await ledger.mark();
  await ledger.close();
  return mark;
}

it('a ledger keeps its mark, and a copy of it has another', async () => {
  const database = await freshDatabase();
  const mark = await markAt(database.url);
  expect(mark).toMatch(/^[0-9a-f]{12}$/);
  expect(await markAt(database.url)).toBe(mark);

  const { pathname } = new URL(database.url);
  const copy = `${pathname.slice(1)}_copy`;
  const at = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const admin = new pg.Client({ connectionString: at(database.maintenanceUrl, 'postgres') });
  await admin.connect();
  await admin.query(
    `create database ${copy} template ${pathname.slice(1)} owner ${new URL(database.url).username}`,
  );
  expect(await markAt(at(database.url, copy))).not.toBe(mark);
  await admin.query(`drop database ${copy}`);
  await admin.end();
  await database.drop();
});
