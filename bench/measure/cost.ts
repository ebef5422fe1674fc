import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describeMachine, keep, machineLine, say } from '../support/report.ts';
import { type EngineKind, openStage } from '../support/stage.ts';
import { openUp } from '../support/up.ts';
import { childNamed, cpuOf } from './idle.ts';

/** The cost of a call at a rate that the service allows: processor time, statements, commits and WAL. */
export type CostOptions = {
  rate: number;
  seconds: number;
  keys: number;
  /** How many of the keys create calls; the service has closed the others. */
  open: number;
  /** People of the list, if that is more than are called. */
  rows: number;
  engine: readonly EngineKind[];
};

/** How long it dials before the measurement. */
const settleMs = 15_000;

export async function measureCost(options: CostOptions, signal: AbortSignal): Promise<void> {
  const { rate, seconds, keys, open, rows: people, engine: engines } = options;
  const machine = describeMachine();
  say(machineLine(machine));
  const stage = await openStage(engines, false);
  const rows: object[] = [];
  try {
    for (const engine of engines) {
      const redisUrl = engine === 'redis' ? await stage.freshRedis() : undefined;
      // A server of the user's own may count statements.
      const external = process.env.BENCH_DATABASE_URL;
      const up = await openUp(stage, signal, rate, { keys, redisUrl, databaseUrl: external });
      const client = new pg.Client({ connectionString: up.databaseUrl });
      await client.connect();
      try {
        const pids = { program: up.pid, postgres: await serverOf(client), redis: childNamed('redis-server') };
        await client.query(
          `update carillon.lanes set state = 'denied', reason = 'bench' where id not in
            (select id from carillon.lanes order by id limit $1)`,
          [open],
        );
        const counts = await client
          .query('create extension if not exists pg_stat_statements; select from pg_stat_statements limit 1')
          .then(
            () => true,
            () => false,
          );
        const recipients = Math.max(people, Math.ceil(rate * open * (seconds + settleMs / 1_000)));
        const list = stage.peopleCsv(recipients);
        await up.post('/api/campaigns', JSON.stringify({ name: 'bench', agent: 'agent' }));
        await up.post('/api/campaigns/bench/recipients', list, 'text/csv');
        await up.post('/api/campaigns/bench/start');
        await sleep(settleMs, undefined, { signal });
        const before = await read(client, pids, counts);
        await sleep(seconds * 1_000, undefined, { signal });
        const after = await read(client, pids, counts);
        const calls = after.calls - before.calls;
        const each = (name: keyof typeof after) => (after[name] - before[name]) / calls;
        const row = {
          engine,
          callsPerSecond: calls / seconds,
          cpuMs: {
            program: each('program') * 1e3,
            postgres: each('postgres') * 1e3,
            redis: each('redis') * 1e3,
          },
          statements: counts ? each('statements') : null,
          sqlMs: counts ? each('sqlMs') : null,
          commits: each('commits'),
          walKb: each('wal') / 1_024,
        };
        rows.push(row);
        const { program, postgres, redis } = row.cpuMs;
        say(
          `queue in ${engine}, ${open} of ${keys} keys at ${rate} requests/s: ${row.callsPerSecond.toFixed(1)} calls/s; a call takes ` +
            `${(program + postgres + redis).toFixed(1)} ms of processor (program ${program.toFixed(1)}, Postgres ${postgres.toFixed(1)}, ` +
            `Redis ${redis.toFixed(1)}), ${row.commits.toFixed(1)} commits, ${row.walKb.toFixed(1)} KB of WAL` +
            (counts ? `, ${row.statements!.toFixed(1)} statements, ${row.sqlMs!.toFixed(2)} ms in them` : ''),
        );
        if (counts) for (const line of await dearest(client, after.calls)) say(line);
      } finally {
        await client.end();
        await up.close();
      }
    }
  } finally {
    await stage.close();
  }
  keep('cost', { ...options, rows });
}

type Pids = { program: number; postgres: number; redis: number | null };

async function read(client: pg.Client, pids: Pids, counts: boolean) {
  const { rows } = await client.query(
    `select (select count(*)::int from carillon.ended_attempts) as calls,
      (select xact_commit::int from pg_stat_database where datname = current_database()) as commits,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`,
  );
  const sql = counts
    ? await client.query(
        `select sum(calls)::int as statements, sum(total_exec_time)::float8 as "sqlMs" from pg_stat_statements
          where toplevel and dbid = (select oid from pg_database where datname = current_database())`,
      )
    : { rows: [{ statements: 0, sqlMs: 0 }] };
  return {
    ...(rows[0] as { calls: number; commits: number; wal: number }),
    ...(sql.rows[0] as { statements: number; sqlMs: number }),
    program: cpuOf(pids.program),
    postgres: cpuOf(pids.postgres),
    redis: pids.redis === null ? 0 : cpuOf(pids.redis),
  };
}

/** The statements that took most time since the start. */
async function dearest(client: pg.Client, calls: number): Promise<string[]> {
  const { rows } = await client.query(
    `select calls, total_exec_time as ms, left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as text from pg_stat_statements
      where toplevel and dbid = (select oid from pg_database where datname = current_database())
      order by calls desc limit 25`,
  );
  return rows.map(
    (row) => `  ${(row.calls / calls).toFixed(2)} times, ${(row.ms / calls).toFixed(3)} ms  ${row.text}`,
  );
}

/** The id of the Postgres server's process, which must be on this machine. */
async function serverOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const text = readFileSync(`/proc/${rows[0].pid}/stat`, 'utf8');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
}
