import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describeMachine, keep, machineLine, say } from '../support/report.ts';
import { type EngineKind, openStage, type Stage } from '../support/stage.ts';
import { openUp } from '../support/up.ts';

/**
 * Calls a second while a transaction of somebody else keeps a snapshot, as a report or a backup does: until it ends,
 * Postgres can remove no version of a row.
 */
export type HeldOptions = { people: number; seconds: number; turns: number; engine: readonly EngineKind[] };

type Turn = { engine: EngineKind; held: boolean; rates: number[]; dead: Record<string, number> };

/** How often the calls are counted. */
const quarter = 15;
const settleMs = 5_000;

export async function measureHeld(options: HeldOptions, signal: AbortSignal): Promise<void> {
  const machine = describeMachine();
  say(machineLine(machine));
  const stage = await openStage(options.engine, false);
  const turns: Turn[] = [];
  try {
    for (const engine of options.engine) {
      for (let nth = 0; nth < options.turns * 2; nth++) {
        const turn = await play(stage, options, engine, nth % 2 === 1, signal);
        turns.push(turn);
        const dead = Object.entries(turn.dead).map(([name, rows]) => `${name} ${rows}`);
        say(
          `queue in ${engine}, ${turn.held ? 'a snapshot held' : 'no snapshot'}: ` +
            `${turn.rates.map((rate) => rate.toFixed(0)).join(' ')} calls a second; dead rows: ${dead.join(', ')}`,
        );
      }
    }
  } finally {
    await stage.close();
  }
  keep('held', { ...options, turns });
}

async function play(
  stage: Stage,
  options: HeldOptions,
  engine: EngineKind,
  held: boolean,
  signal: AbortSignal,
): Promise<Turn> {
  const redisUrl = engine === 'redis' ? await stage.freshRedis() : undefined;
  const databaseUrl = process.env.BENCH_DATABASE_URL;
  const up = await openUp(stage, signal, 100_000, { redisUrl, databaseUrl });
  const client = new pg.Client({ connectionString: up.databaseUrl });
  const holder = new pg.Client({ connectionString: up.databaseUrl });
  holder.on('error', () => undefined);
  try {
    await Promise.all([client.connect(), holder.connect()]);
    await up.post('/api/campaigns', JSON.stringify({ name: 'bench', agent: 'agent' }));
    await up.post('/api/campaigns/bench/recipients', stage.peopleCsv(options.people), 'text/csv');
    await up.post('/api/campaigns/bench/start');
    await sleep(settleMs, undefined, { signal });
    if (held)
      await holder.query('begin isolation level repeatable read; select count(*) from carillon.lanes');
    const rates: number[] = [];
    let before = await countOf(client);
    for (let at = 0; at < options.seconds; at += quarter) {
      await sleep(quarter * 1_000, undefined, { signal });
      const now = await countOf(client);
      rates.push((now.calls - before.calls) / (now.at - before.at));
      before = now;
    }
    return { engine, held, rates, dead: await deadRows(client) };
  } finally {
    await Promise.all([client.end(), holder.end()]);
    await up.close();
  }
}

async function countOf(client: pg.Client) {
  const { rows } = await client.query<{ calls: number; at: number }>(
    `select count(*)::int as calls, extract(epoch from clock_timestamp())::float8 as at from carillon.ended_attempts`,
  );
  return rows[0]!;
}

/** The tables with most dead rows. */
async function deadRows(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; dead: number }>(
    `select schemaname || '.' || relname as name, n_dead_tup::int as dead from pg_stat_user_tables
     order by n_dead_tup desc limit 5`,
  );
  return Object.fromEntries(rows.map(({ name, dead }) => [name, dead]));
}
