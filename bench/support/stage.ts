import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { hasRedis, startRedis } from '../../test/support/redis.ts';
import { startService } from './child.ts';

/** What all systems under test share: the compiled program, one Postgres server, one Redis, and the service. */
export type EngineKind = 'postgres' | 'redis';

export type Stage = Awaited<ReturnType<typeof openStage>>;

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const results = join(root, 'bench', 'results');
const program = join(root, 'dist', 'program', 'main.js');

export async function openStage(engines: readonly EngineKind[], profile: boolean) {
  if (engines.includes('redis') && !hasRedis())
    throw new Error('redis-server is not on the PATH: install it, or use --engine postgres');
  const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.js')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stdout}${built.stderr}`);
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  // If root starts it, the embedded server runs as another user, who needs access.
  chmodSync(folder, 0o711);
  const embedded = await startEmbedded({ home: join(folder, 'home') });
  const redis = engines.includes('redis') ? await startRedis() : undefined;
  const order = (sql: string) => orderFrom(embedded.maintenanceUrl, sql);

  return {
    folder,
    program,
    /** Arguments for node, before the script: they write a profile, if one is wanted. */
    nodeArgs: (name: string) => (profile ? ['--cpu-prof', `--cpu-prof-dir=${join(results, name)}`] : []),
    /** An empty database for one run. */
    async freshDatabase() {
      const name = `bench_${randomBytes(6).toString('hex')}`;
      const url = new URL(embedded.url);
      await order(`create database ${name} owner ${url.username}`);
      url.pathname = `/${name}`;
      return { url: url.href, drop: () => order(`drop database ${name} with (force)`) };
    },
    postgresPid: () => Number(readFileSync(join(embedded.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]),
    /** The same server for every run, emptied. */
    async freshRedis(): Promise<string> {
      await redis!.restart();
      return redis!.url;
    },
    /** The simulated service: no limit, no latency, and so fast that a call has ended before its first poll. */
    async startService(signal: AbortSignal) {
      const args = [program, 'sim', '--port', '0', '--rate', 'none', '--speed', '1000000', '--json'];
      const service = await startService(args, { cwd: folder, env: { PATH: process.env.PATH }, signal });
      const { url } = JSON.parse(service.firstLine) as { url: string };
      return { url, stop: service.stop };
    },
    /** Writes the same list for every system. */
    writePeople(calls: number, name = 'people', first = 0): string {
      const path = join(folder, `${name}.csv`);
      writeFileSync(path, peopleCsv(calls, first));
      return path;
    },
    peopleCsv,
    async close() {
      await redis?.stop();
      await embedded.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function peopleCsv(calls: number, first = 0): string {
  const rows = Array.from({ length: calls }, (_, i) => `+1415${5_550_000 + first + i},Person ${first + i}\n`);
  return `phone,name\n${rows.join('')}`;
}

async function orderFrom(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
