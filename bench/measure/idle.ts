import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../support/child.ts';
import { describeMachine } from '../support/report.ts';
import { type EngineKind, openStage, results } from '../support/stage.ts';

/** The cost of an idle system: all of `carillon up` and its servers. */
export type IdleOptions = { seconds: number; engines: readonly EngineKind[] };

/** Time to settle after the start. */
const settleMs = 10_000;
/** The kernel counts a process's time in hundredths of a second. */
const ticks = 100;

export async function measureIdle({ seconds, engines }: IdleOptions, signal: AbortSignal): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const stage = await openStage(engines, false);
  const [postgres, redis] = [stage.postgresPid(), childNamed('redis-server')];
  const rows: { engine: EngineKind; program: number; postgres: number; redis: number }[] = [];
  try {
    const service = await stage.startService(signal);
    for (const engine of engines) {
      const database = await stage.freshDatabase();
      const redisUrl = engine === 'redis' ? await stage.freshRedis() : undefined;
      const up = await startService([stage.program, 'up'], {
        cwd: stage.folder,
        signal,
        env: {
          PATH: process.env.PATH,
          PORT: '0',
          VOICE_BASE_URL: service.url,
          VOICE_API_KEYS: 'bench=bench-key',
          DATABASE_URL: database.url,
          REDIS_URL: redisUrl,
          CARILLON_HOME: join(stage.folder, 'home'),
        },
      });
      await sleep(settleMs, undefined, { signal });
      const before = secondsOf(up.pid, postgres, redis);
      const began = performance.now();
      await sleep(seconds * 1_000, undefined, { signal });
      const after = secondsOf(up.pid, postgres, redis);
      const took = (performance.now() - began) / 1_000;
      const share = (name: keyof typeof after) => ((after[name] - before[name]) * 100) / took;
      const row = { engine, program: share('program'), postgres: share('postgres'), redis: share('redis') };
      rows.push(row);
      say(
        `queue in ${engine}: the program ${row.program.toFixed(2)} % of a core, Postgres ${row.postgres.toFixed(2)} %, Redis ${row.redis.toFixed(2)} %`,
      );
      await up.stop();
      await database.drop();
    }
    await service.stop();
  } finally {
    await stage.close();
  }
  const path = join(results, 'idle.json');
  writeFileSync(path, `${JSON.stringify({ machine: describeMachine(), seconds, rows }, null, 2)}\n`);
  say(`Written to ${path}`);
}

function childNamed(name: string): number | null {
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
        // Its own, and that of children that ended since.
        const cpu = parts.slice(11, 15).reduce((sum, part) => sum + Number(part), 0) / ticks;
        const called = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
        return [{ pid: Number(name), name: called, parent: Number(parts[1]), cpu }];
      } catch {
        return [];
      }
    });
}
