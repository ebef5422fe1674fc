import { describe, expect, it } from 'vitest';
import { asLedgerError, isLedgerAway } from '../../src/ledger/database.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import { takeRunLock } from '../../src/run/prepare.ts';
import { startDatabaseProxy, type Proxy as Wire } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { once, person, shareBooks } from './support.ts';

/** Connections to the ledger that go silent and do not end either. New ones work. */
const books = await shareBooks();

/** A ledger behind its own proxy. */
async function withWire(work: (far: Ledger, wire: Wire) => Promise<void>): Promise<void> {
  const wire = await startDatabaseProxy(books.url);
  const far = await openLedger(wire.url, 'http://far.example/v1', undefined, 4);
  try {
    await work(far, wire);
  } finally {
    await far.close();
    await wire.close();
  }
}

describe.concurrent('a connection that falls silent', () => {
  it('is detected while it is idle, and the next statement succeeds', () =>
    withWire(async (far, wire) => {
      await Promise.all([far.ping(), far.ping(), far.ping(), far.ping()]);
      wire.hush();
      // Asked repeatedly, as a loop would; each answer comes or fails within a statement's limit.
      await until(
        () =>
          Promise.all([far.ping(), far.ping(), far.ping(), far.ping()]).then(
            () => true,
            () => false,
          ),
        (answers) => answers,
        120_000,
      );
    }));

  it('is distinguished from a statement that takes long', () =>
    withWire(async (far, wire) => {
      const hold = await books.connect();
      await hold.query('select pg_advisory_lock(4711)');
      const sessions = () =>
        books.sql(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%pg_advisory_xact_lock(4711)%'`,
        );
      const work = far.db.transaction(async (tx) => tx.client.query('select pg_advisory_xact_lock(4711), 1'));
      await until(sessions, (found) => found.length === 1);
      // The server works for it, however often it is asked on a connection of its own. Then its answers are lost.
      const before = wire.taken();
      await until(() => wire.taken() >= before + 2);
      expect(await sessions()).toHaveLength(1);
      wire.hush();
      await hold.query('select pg_advisory_unlock(4711)');
      hold.release();
      const error = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(isLedgerAway(error)).toBe(true);
      // Its locks are released.
      await until(
        () => books.sql<{ got: boolean }>('select pg_try_advisory_xact_lock(4711) as got'),
        ([row]) => row!.got,
      );
    }));

  it('under a short statement ends it as an outage', () =>
    withWire(async (far, wire) => {
      const gate = await books.connect();
      await gate.query('begin');
      await gate.query('lock table carillon.campaign_places in access exclusive mode');
      const asked = far.campaigns
        .places('00000000-0000-4000-8000-000000000001')
        .catch((error: unknown) => error);
      await books.blocked('%campaign_places%');
      wire.hush();
      expect(isLedgerAway(await asked)).toBe(true);
      await gate.query('rollback');
      gate.release();
    }));

  it('of an import is undone at the server, so that the next import of the list need not wait', () =>
    withWire(async (far, wire) => {
      const house = books.house('http://far.example/v1');
      const campaign = await house.campaign();
      const options = { columns: [], mode: 'whole' as const };
      const silent = async function* () {
        yield { accepted: [person(1)], rejected: [] };
        await until(
          () =>
            books.sql(
              `select from pg_stat_activity where state = 'active' and query like 'copy carillon.recipients%'`,
            ),
          (found) => found.length > 0,
        );
        wire.hush();
        yield { accepted: [person(2)], rejected: [] };
      };
      const error = await far.people.import(campaign, silent(), options).catch((thrown: unknown) => thrown);
      expect(isLedgerAway(error)).toBe(true);
      await house.ledger.people.import(campaign, once({ accepted: [person(1)], rejected: [] }), options);
      expect(await house.states(campaign)).toEqual(['waiting']);
    }));

  it('does not cost a run its campaign', () =>
    withWire(async (far, wire) => {
      const house = books.house('http://farther.example/v1');
      const campaign = await house.campaign({ driver: 'run' });
      const runLock = await takeRunLock(far, campaign, 'x');
      wire.hush();
      // Detected by a query; the lock is then taken from the silent session.
      const holders = () =>
        books.sql<{ pid: number }>(
          `select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 1
             and ((classid::bigint << 32) | objid::bigint)
               = ('x' || substr(md5('carillon run ' || $1), 1, 16))::bit(64)::bigint`,
          [campaign],
        );
      const [before] = await holders();
      await until(
        async () => {
          expect(await runLock.keep()).toBe(true);
          return (await holders())[0]?.pid;
        },
        (pid) => pid !== undefined && pid !== before!.pid,
        120_000,
      );
      await expect(takeRunLock(books.ledger, campaign, 'x')).rejects.toMatchObject({ code: 'campaign-busy' });
      await runLock.release();
    }));
});

describe('an error of the ledger', () => {
  it.each([
    ['25006', 'a standby after a failover'],
    ['40001', 'a lost race'],
    ['57014', 'a statement that was ended'],
    ['26000', 'a pooler that forgot a prepared statement'],
    ['58030', 'a disk that failed'],
    ['53300', 'a server without a free connection'],
    ['ETIMEDOUT', 'a connection that fell silent'],
  ])('%s is waited out: %s', (code) => {
    expect(isLedgerAway(Object.assign(new Error('x'), { code }))).toBe(true);
  });

  it.each(['23505', '42601', '22P02', 'P0001'])('%s is a fault, and is not waited out', (code) => {
    expect(isLedgerAway(Object.assign(new Error('x'), { code }))).toBe(false);
  });

  it('that means a server without a free connection says what to do', () => {
    const full = asLedgerError(
      Object.assign(new Error('sorry, too many clients already'), { code: '53300' }),
    );
    expect(full).toMatchObject({
      message: expect.stringContaining('no connection left'),
      remedy: expect.stringContaining('max_connections'),
    });
  });
});
