import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startService } from '../support/child.ts';
import { keep, say } from '../support/report.ts';
import { type EngineKind, openStage } from '../support/stage.ts';
import { manyKeys } from '../support/up.ts';

/** The cost of an idle system with some keys: all of `carillon up` and its servers. */
export type IdleOptions = { seconds: number; keys: number; engine: readonly EngineKind[] };

/** Time to settle after the start: a process without work is at rest after a minute. */
const settleMs = 80_000;
/** The kernel counts a process's time in hundredths of a second, and its memory in pages. */
const ticks = 100;
const pageBytes = 4_096;

type Row = {
  engine: EngineKind;
  /** Seconds until it serves. */
  start: number;
  /** Shares of a core, in percent. */
  program: number;
  postgres: number;
  redis: number;
  memoryMb: number;
  /** Connections to Postgres and to Redis. */
  connections: number;
};

export async function measureIdle(options: IdleOptions, signal: AbortSignal): Promise<void> {
  const { seconds, keys, engine: engines } = options;
  const stage = await openStage(engines, false);
  const rows: Row[] = [];
  try {
    const service = await stage.startService(signal);
    for (const engine of engines) {
      const database = await stage.freshDatabase();
      const redisUrl = engine === 'redis' ? await stage.freshRedis() : undefined;
      const [postgres, redis] = [stage.postgresPid(), childNamed('redis-server')];
      const began = performance.now();
      const up = await startService([stage.program, 'up'], {
        cwd: stage.folder,
        signal,
        env: {
          PATH: process.env.PATH,
          PORT: '0',
          VOICE_BASE_URL: service.url,
          VOICE_API_KEYS: manyKeys(keys),
          DATABASE_URL: database.url,
          REDIS_URL: redisUrl,
          CARILLON_HOME: join(stage.folder, 'home'),
        },
      });
      const start = (performance.now() - began) / 1_000;
      await sleep(settleMs, undefined, { signal });
      const before = secondsOf(up.pid, postgres, redis);
      const from = performance.now();
      await sleep(seconds * 1_000, undefined, { signal });
      const after = secondsOf(up.pid, postgres, redis);
      const took = (performance.now() - from) / 1_000;
      const share = (name: keyof typeof after) => ((after[name] - before[name]) * 100) / took;
      const row = {
        engine,
        start,
        program: share('program'),
        postgres: share('postgres'),
        redis: share('redis'),
        memoryMb: memoryOf(up.pid),
        connections: await connectionsTo(database.url, redisUrl),
      };
      rows.push(row);
      say(
        `queue in ${engine}, ${keys} keys: serves after ${row.start.toFixed(1)} s; the program ${row.program.toFixed(2)} % of a core, ` +
          `Postgres ${row.postgres.toFixed(2)} %, Redis ${row.redis.toFixed(2)} %; ${row.memoryMb.toFixed(0)} MB, ${row.connections} connections`,
      );
      await up.stop();
      await database.drop();
    }
    await service.stop();
  } finally {
    await stage.close();
  }
  keep('idle', { seconds, keys, rows });
}

/** The program's connections, as the servers count them. */
async function connectionsTo(databaseUrl: string, redisUrl: string | undefined): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    'select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
  if (redisUrl === undefined) return rows[0].n;
  const redis = new Redis(redisUrl);
  const clients = /connected_clients:(\d+)/.exec(await redis.info('clients'))![1];
  redis.disconnect();
  return rows[0].n + Number(clients) - 1;
}

function memoryOf(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes) / 1e6;
}

export function childNamed(name: string): number | null {
  const own = processes().filter((each) => each.parent === process.pid);
  return own.find((each) => each.name === name)?.pid ?? null;
}

type Parent = { pid: number; name: string; parent: number; cpu: number };

/** Seconds of processor time, child processes included. */
export function cpuOf(pid: number): number {
  return under(processes(), pid);
}

function secondsOf(program: number, postgres: number, redis: number | null) {
  const all = processes();
  return {
    program: under(all, program),
    postgres: under(all, postgres),
    redis: redis === null ? 0 : under(all, redis),
  };
}

function under(all: readonly Parent[], pid: number): number {
  const own = all.find((each) => each.pid === pid)?.cpu ?? 0;
  return all.filter((each) => each.parent === pid).reduce((sum, child) => sum + under(all, child.pid), own);
}

function processes(): Parent[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name is in brackets and may hold anything; the rest is plain.
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parts = text.slice(text.lastIndexOf(')') + 2).split(' ');
        // Its own time, and that of children that have ended.
        const cpu = parts.slice(11, 15).reduce((sum, part) => sum + Number(part), 0) / ticks;
        const called = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
        return [{ pid: Number(name), name: called, parent: Number(parts[1]), cpu }];
      } catch {
        return [];
      }
    });
}
