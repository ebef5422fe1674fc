import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { createTogether } from '../../src/engine/postgres/together.ts';
import { emptyDatabase, type TestDatabase } from '../support/postgres.ts';

/** The steps of jobs, asked for by many at once. */
let database: TestDatabase;
let engine: Engine;
let pool: pg.Pool;
beforeAll(async () => {
  database = await emptyDatabase();
  engine = await createEngine({ databaseUrl: database.url, log: createLog('silent') });
  pool = new pg.Pool({ connectionString: database.url, options: '-c search_path=carillon_queue' });
});
afterAll(async () => {
  await pool?.end();
  await engine?.close();
  await database?.drop();
});

const claim = 'SELECT * FROM move_to_active($1, $2, $3, $4, $5, $6, $7);';
const finish =
  'SELECT * FROM move_to_completed_fetch($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10, $11, $12, $13)';
const putOff = 'SELECT move_to_delayed($1, $2, $3, $4, $5, $6, $7, $8)';

/** Asks, and counts the statements that were sent. */
function open(clock = () => performance.now()) {
  const sent: number[] = [];
  const ask = createTogether((text, values) => {
    const [first] = values as unknown[];
    sent.push(Array.isArray(first) ? first.length : 1);
    return pool.query(text, values);
  }, clock);
  const claims = (queue: string, tokens: string[]) =>
    Promise.all(tokens.map((token) => ask(claim, [queue, token, 30_000, Date.now(), 'w', null, null])));
  const finishes = (queue: string, jobs: { id: string; token: string }[]) =>
    Promise.allSettled(
      jobs.map(({ id, token }) =>
        ask(finish, [
          queue,
          id,
          token,
          '"done"',
          Date.now(),
          true,
          null,
          null,
          30_000,
          Date.now(),
          'w',
          null,
          null,
        ]),
      ),
    );
  return { ask, sent, claims, finishes };
}
async function addJobs(queue: string, count: number) {
  const jobs = Array.from({ length: count }, (_, nth) => ({
    name: 'x',
    data: { nth },
    opts: { jobId: `j${nth}` },
  }));
  const made = engine.newQueue<{ nth: number }>(queue);
  await made.addBulk(jobs as never);
  await made.close();
}
const statesOf = async (queue: string) => {
  const found = await pool.query(
    'select state::text, count(*)::int as n from job where queue = $1 group by 1',
    [queue],
  );
  return Object.fromEntries(found.rows.map(({ state, n }) => [state, n]));
};
const tokens = (count: number) => Array.from({ length: count }, (_, nth) => `t${nth}`);

it('those that ask at once go together, and each gets a job of its own', async () => {
  await addJobs('many', 40);
  const { sent, claims } = open();
  const got = await claims('many', tokens(40));
  expect(sent).toEqual([40]);
  expect(new Set(got.map(({ rows }) => rows[0].id)).size).toBe(40);
  for (const [nth, { rows }] of got.entries())
    expect(rows[0]).toMatchObject({ lock_token: `t${nth}`, state: 'active' });
  expect(got[0]!.rows[0]).not.toHaveProperty('nth');
});

it('of more jobs wanted than there are, the others get none', async () => {
  await addJobs('few', 3);
  const got = await open().claims('few', tokens(10));
  expect(got.map(({ rows }) => rows.length).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
});

it('each is told when to look again: at once, later, or when a notice comes', async () => {
  await addJobs('told', 4);
  const { claims, finishes } = open();
  const opensOf = async (count: number) =>
    (await claims('told', tokens(count))).map(({ opensAt }) => opensAt);
  expect(await opensOf(1)).toEqual([0]);
  expect(await opensOf(3)).toEqual([null, null, null]);
  const queue = engine.newQueue<{ nth: number }>('told');
  await queue.addBulk([{ name: 'x', data: { nth: 9 }, opts: { jobId: 'later', delay: 600_000 } }] as never);
  const [job] = await queue.getDelayed();
  await queue.close();
  const due = job!.timestamp + 600_000;
  expect(await opensOf(1)).toEqual([due]);
  const [ended] = await finishes('told', [{ id: 'j0', token: 't0' }]);
  expect(ended).toMatchObject({ status: 'fulfilled', value: { rows: [], opensAt: due } });
});

it('claims and ends of several queues go in one statement, and each gets a job of its own queue', async () => {
  await Promise.all(['one', 'two'].map((queue) => addJobs(queue, 4)));
  const { sent, claims, finishes } = open();
  const [first] = await claims('two', ['t']);
  const [ones, [ended]] = await Promise.all([
    claims('one', tokens(3)),
    finishes('two', [{ id: first!.rows[0].id, token: 't' }]),
  ]);
  expect(sent).toEqual([1, 4]);
  expect(ones.map(({ rows }) => rows[0].queue)).toEqual(['one', 'one', 'one']);
  expect(ended).toMatchObject({ status: 'fulfilled', value: { rows: [{ queue: 'two', id: 'j1' }] } });
  expect(await statesOf('two')).toEqual({ active: 1, waiting: 2 });
});

it('jobs that are put off come back at their time, after those that wait, and one that was lost is refused alone', async () => {
  await addJobs('off', 4);
  const { ask, claims } = open();
  const held = (await claims('off', tokens(3))).map(({ rows: [job] }) => job);
  const ended = await Promise.allSettled(
    held.map(({ id, lock_token: token }, nth) =>
      ask(putOff, ['off', id, nth === 1 ? 'of another' : token, Date.now() - 10 + nth, 5, true, null, null]),
    ),
  );
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await statesOf('off')).toEqual({ active: 1, delayed: 2, waiting: 1 });
  const got = await claims('off', ['a', 'b', 'c']);
  expect(got.map(({ rows }) => rows[0]?.id)).toEqual(['j3', held[0].id, held[2].id]);
});

it('a job that is committed behind those that are over is found within five seconds', async () => {
  await addJobs('late', 3);
  let now = 0;
  const { claims } = open(() => now);
  const claim1 = async () => (await claims('late', ['t']))[0]!.rows[0]?.id;
  expect(await claim1()).toBe('j0');
  for (now of [1_000, 2_000]) await claim1();
  await addJobs('late', 5);
  const first = "update job set seq = 1 where queue = 'late' and id = 'j4'";
  await pool.query(first);
  now = 3_000;
  expect([await claim1(), await claim1()]).toEqual(['j3', undefined]);
  now = 5_000;
  expect(await claim1()).toBe('j4');
});

it('a job that was lost to another worker is refused alone: the others of its statement are finished', async () => {
  await addJobs('lost', 12);
  const { claims, finishes, sent } = open();
  const held = (await claims('lost', tokens(6))).map(({ rows: [job] }) => ({
    id: job.id,
    token: job.lock_token,
  }));
  held[3]!.token = 'of another';
  const ended = await finishes('lost', held);
  expect(ended.map(({ status }) => status)).toEqual(
    held.map((_, nth) => (nth === 3 ? 'rejected' : 'fulfilled')),
  );
  expect(ended[3]).toMatchObject({ reason: { code: 'BM001', detail: '-6' } });
  // Five were finished, and each fetched the next.
  expect(await statesOf('lost')).toEqual({ active: 6, waiting: 1 });
  expect(sent.filter((members) => members > 1)).toHaveLength(2);
});

it('a queue that rests hands out none and tells for how long; one that BullMQ counted a claim of does not rest', async () => {
  await addJobs('resting', 2);
  const { claims } = open();
  const queue = engine.newQueue('resting');
  await pool.query("select rate_limit_consume('resting', 60000, $1)", [Date.now()]);
  expect((await claims('resting', ['t']))[0]).toMatchObject({ rows: [{ id: 'j0' }], restsMs: 0 });
  await queue.rateLimit(60_000);
  const [told] = await claims('resting', ['t']);
  expect(told).toMatchObject({ rows: [], opensAt: 0 });
  expect(told!.restsMs).toBeGreaterThan(50_000);
  await queue.removeRateLimitKey();
  expect((await claims('resting', ['t']))[0]).toMatchObject({ rows: [{ id: 'j1' }], opensAt: null });
  await queue.close();
});
