import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDatabaseProxy, startProxy, type Proxy as WireProxy } from '../support/proxy.ts';
import { hasRedis, startCluster, startRedis, type TestCluster, type TestRedis } from '../support/redis.ts';
import { canMountDisks, openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { type ChaosPostgres, startChaosPostgres } from './postgres.ts';
import type { EngineKind } from './schedule.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

/** The common stage of all rounds (the compiled program, a Postgres, a Redis), and each round's own. */
export type Stage = {
  program: string;
  postgres: ChaosPostgres;
  redis: TestRedis | null;
  /** `smallDisk`: CARILLON_HOME is on a disk that can be filled, where one can be mounted. */
  openRound(engine: EngineKind, service: ServiceOptions, smallDisk?: boolean): Promise<Ground>;
  close(): Promise<void>;
};

/** A round's own ledger, service and proxies. */
export type Ground = {
  folder: string;
  program: string;
  postgres: ChaosPostgres;
  redis: TestRedis | null;
  cluster: TestCluster | null;
  service: Service;
  /** The one of CARILLON_HOME. */
  disk: SmallDisk | null;
  ledgerUrl: string;
  wires: { ledger: WireProxy; queue: WireProxy | null; service: WireProxy };
  /** For a process under test: every address is a proxy's. */
  env: Record<string, string | undefined>;
  /** The same, bypassing the proxies. */
  directEnv: Record<string, string | undefined>;
  close(keep: boolean): Promise<void>;
};

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const results = join(root, 'test', 'chaos', 'results');
/** Short enough that requests time out within a round. */
export const timeoutMs = 3_000;

/** Compiles a source tree into a folder inside it, so that its packages are found. */
export function compile(source: string): string {
  const out = join(source, 'test', 'chaos', 'results', `program-${process.pid}`);
  mkdirSync(out, { recursive: true });
  const built = spawnSync(process.execPath, [join(source, 'scripts', 'build.js'), '--quick', '--out', out], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stdout}${built.stderr}`);
  return out;
}

export async function openStage(engines: readonly EngineKind[], source: string = root): Promise<Stage> {
  if (engines.some((engine) => engine !== 'postgres') && !hasRedis())
    throw new Error('redis-server is not on the PATH: install it, or use --engine postgres');
  const folder = mkdtempSync(join(tmpdir(), 'carillon-chaos-'));
  // If root starts it, the server runs as another user, who needs access.
  chmodSync(folder, 0o711);
  const compiled = compile(source);
  const program = join(compiled, 'program', 'main.js');
  const postgres = await startChaosPostgres(folder);
  const redis = engines.includes('redis') ? await startRedis() : null;
  let rounds = 0;

  return {
    program,
    postgres,
    redis,
    async openRound(engine, options, smallDisk = false) {
      // Rounds may be opened side by side.
      const nth = ++rounds;
      // A round that could not run may have left it killed.
      await postgres.start();
      const disk = smallDisk && canMountDisks('a full disk') ? openSmallDisk(2) : null;
      const own = join(folder, `round-${nth}`);
      mkdirSync(own);
      const database = `round_${nth}`;
      const ledgerUrl = await postgres.makeDatabase(database);
      const queue = engine === 'redis' ? redis! : null;
      await queue?.restart();
      // An older snapshot must not bring back anything from the round before.
      await queue?.snapshot();
      // Its roles change in a round, so each has one of its own. Its nodes name themselves, and no wire is before them.
      const cluster = engine === 'cluster' ? await startCluster(3, 1) : null;
      const others = cluster?.nodes.slice(1).map(({ port }) => `&node=127.0.0.1:${port}`) ?? [];
      const clusterUrl = cluster ? cluster.url + others.join('') : undefined;
      const service = await startService(program, own, options);
      const wires = {
        ledger: await startDatabaseProxy(ledgerUrl),
        queue: queue ? await startProxy(queue.port) : null,
        service: await startProxy(service.port),
      };
      const common = {
        PATH: process.env.PATH,
        HOME: own,
        CARILLON_HOME: join(disk?.path ?? own, 'home'),
        VOICE_BASE_URL: `http://127.0.0.1:${wires.service.port}${service.base}`,
        VOICE_API_KEYS: options.keys.map((secret, i) => `key${i}=${secret}`).join(','),
        VOICE_RATE: String(options.rate),
        VOICE_TIMEOUT_MS: String(timeoutMs),
        // Attempts that were not admitted, and why, are told at this level only.
        LOG_LEVEL: 'debug',
        PORT: '0',
      };
      return {
        folder: own,
        program,
        postgres,
        redis: queue,
        cluster,
        service,
        disk,
        ledgerUrl,
        wires,
        env: {
          ...common,
          DATABASE_URL: wires.ledger.url,
          REDIS_URL: wires.queue ? `redis://127.0.0.1:${wires.queue.port}` : clusterUrl,
        },
        directEnv: { ...common, DATABASE_URL: ledgerUrl, REDIS_URL: queue?.url ?? clusterUrl },
        async close(keep) {
          await Promise.all([wires.ledger.close(), wires.queue?.close(), wires.service.close()]);
          await service.stop();
          await cluster?.stop();
          disk?.close();
          await postgres.dropDatabase(database).catch(() => undefined);
          if (!keep) rmSync(own, { recursive: true, force: true });
        },
      };
    },
    async close() {
      await redis?.stop();
      await postgres.stop();
      rmSync(compiled, { recursive: true, force: true });
      rmSync(join(folder, 'postgres'), { recursive: true, force: true });
      // Folders of kept rounds stay; an empty folder is removed.
      spawnSync('rmdir', [folder], { stdio: 'ignore' });
    },
  };
}
