import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/database.ts';
import { type Desk, openDesk, people, summaryOf } from '../support/carillon.ts';
import { until } from '../support/journeys.ts';
import { canUsePgBouncer, type PoolMode, startPgBouncer, type TestPooler } from '../support/pgbouncer.ts';
import { emptyDatabase } from '../support/postgres.ts';

/** A ledger behind PgBouncer: in session mode all works, in the other modes nothing starts. */
const order = ['run', 'people.csv', '--agent', 'agent_1', '--json'];

async function behind(
  mode: PoolMode,
  settings: Record<string, string | number>,
  work: (desk: Desk, pooler: TestPooler, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  const desk = await openDesk('postgres', {}, emptyDatabase);
  const pooler = await startPgBouncer(desk.databaseUrl, mode, settings);
  try {
    await work(desk, pooler, { DATABASE_URL: pooler.url });
  } finally {
    await desk.close();
    await pooler.stop();
  }
}

describe.runIf(canUsePgBouncer('a ledger behind a pooler'))('behind PgBouncer in session mode', () => {
  it.each([
    ['as it comes', {}],
    [
      'that drops what a connection starts with, and clears nothing between its clients',
      {
        ignore_startup_parameters: 'options,extra_float_digits',
        server_reset_query: '',
      },
    ],
  ])('%s, a run on the queue in Postgres calls everyone once', async (_what, settings) => {
    await behind('session', settings, async (desk, _pooler, env) => {
      desk.write('people.csv', people(60));
      const ended = await desk.run(order, env);
      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stderr).not.toMatch(/lost|silent|error/i);
      expect(summaryOf(ended)).toMatchObject({ rows: 60, done: 60, attempts: 60 });
      expect([...desk.created().values()]).toEqual(Array(60).fill(1));
      for (const args of [['audit'], ['campaign', 'list'], ['migrate']]) {
        const told = await desk.run([...args, '--json'], env);
        expect(told.code, told.stderr).toBe(0);
      }
      const doctor = await desk.type(['doctor', '--json'], env);
      const checks = JSON.parse(doctor.stdout).checks as { what: string; state: string }[];
      const stores = checks.filter(({ what }) => what === 'ledger' || what === 'queue');
      expect(stores.map(({ state }) => state)).toEqual(['ok', 'ok']);
    });
  });

  it('a run that was killed releases its campaign, and the next one ends it', async () => {
    await behind('session', {}, async (desk, _pooler, env) => {
      desk.write('people.csv', people(200));
      const killed = desk.start([...order, '--max-calls', '5'], env);
      await until(() => desk.sim.state().created >= 5 || killed.child.exitCode !== null, 'calls were made');
      killed.child.kill('SIGKILL');
      await killed.ended;
      const ended = await desk.run(order, { ...env, VOICE_TIMEOUT_MS: '2000' });
      expect([0, 3], ended.stderr).toContain(ended.code);
      expect([...desk.created().values()].every((times) => times === 1)).toBe(true);
    });
  });

  it('every connection of the ledger has its settings, also in a session that another one left', async () => {
    await behind('session', { default_pool_size: 2 }, async (_desk, pooler) => {
      for (const _round of [1, 2]) {
        const db = openDatabase(pooler.url, { max: 1 });
        const client = await db.connect();
        const names = ['synchronous_commit', 'idle_in_transaction_session_timeout', 'application_name'];
        const values = [];
        for (const name of names)
          values.push(Object.values((await client.query(`show ${name}`)).rows[0]!)[0]);
        expect(values).toEqual(['on', '1min', 'carillon']);
        client.release();
        await db.close();
      }
    });
  });

  it('one that has too few connections is told as that, not as another mode', async () => {
    await behind('session', { default_pool_size: 1 }, async (desk, pooler, env) => {
      const ended = await desk.type(['campaign', 'list'], env);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toBe(
        `carillon: The pooler at DATABASE_URL (${pooler.host}) has no second connection free for this process. Raise its pool size (PgBouncer: default_pool_size) to 27 for each process.\n`,
      );
    });
  });
});

describe.runIf(canUsePgBouncer('a pooler in another mode'))('behind PgBouncer in', () => {
  it.each([
    ['transaction', {}],
    ['transaction', { default_pool_size: 1 }],
    ['transaction', { server_round_robin: 1, min_pool_size: 2 }],
    ['statement', {}],
  ] as const)(
    '%s mode, nothing starts, and one line says why and what to do (%j)',
    async (mode, settings) => {
      await behind(mode, settings, async (desk, pooler, env) => {
        const line = `carillon: DATABASE_URL leads to a pooler in transaction or statement mode (${pooler.host}), where settings, locks and notifications of a session do not hold. Set DATABASE_URL to a pooler in session mode (PgBouncer: pool_mode = session), or to Postgres itself.\n`;
        desk.write('people.csv', people(3));
        for (const args of [order, ['migrate'], ['audit']]) {
          const ended = await desk.run(args, env);
          expect(ended).toEqual({ code: 2, stdout: '', stderr: line });
        }
        const doctor = await desk.type(['doctor', '--json'], env);
        const checks = JSON.parse(doctor.stdout).checks as { what: string; state: string; detail: string }[];
        expect(checks.find(({ what }) => what === 'ledger')).toMatchObject({
          state: 'fail',
          detail: expect.stringContaining('a pooler in transaction or statement mode'),
          remedy: expect.stringContaining('pool_mode = session'),
        });
        expect(desk.created().size).toBe(0);
      });
    },
  );
});
