import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProxy, type Proxy as WireProxy } from '../support/proxy.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { type ChaosPostgres, startChaosPostgres } from './postgres.ts';
import type { EngineKind } from './schedule.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

/** What every round stands on: the compiled program, a Postgres and a Redis of our own; and what each has for itself. */
export type Stage = {
  program: string;
  postgres: ChaosPostgres;
  redis: TestRedis | null;
  openRound(engine: EngineKind, service: ServiceOptions): Promise<Ground>;
  close(): Promise<void>;
};

/** A round's own ledger, service and wires. */
export type Ground = {
  folder: string;
  program: string;
  postgres: ChaosPostgres;
  redis: TestRedis | null;
  service: Service;
  ledgerUrl: string;
  wires: { ledger: WireProxy; queue: WireProxy | null; service: WireProxy };
  /** What a process under test is given: every address is a wire's. */
  env: Record<string, string | undefined>;
  /** The same, past the wires. */
  directEnv: Record<string, string | undefined>;
  close(keep: boolean): Promise<void>;
};

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const results = join(root, 'test', 'chaos', 'results');
/** Short enough that a round sees requests run out of time. */
export const timeoutMs = 3_000;

/** Compiles a source tree beside its sources, so that its packages are found. */
export function compile(source: string): string {
  const out = join(source, 'test', 'chaos', 'results', `program-${process.pid}`);
  mkdirSync(out, { recursive: true });
  const built = spawnSync(process.execPath, [join(source, 'scripts', 'build.js'), '--out', out], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stdout}${built.stderr}`);
  return out;
}

export async function openStage(engines: readonly EngineKind[], source: string = root): Promise<Stage> {
  if (engines.includes('redis') && !hasRedis())
    throw new Error('redis-server is not on the PATH: install it, or give --engine postgres');
  const folder = mkdtempSync(join(tmpdir(), 'carillon-chaos-'));
  // Started by root, the server runs as another user, who must get through.
  chmodSync(folder, 0o711);
  const compiled = compile(source);
  const program = join(compiled, 'src', 'cli', 'main.js');
  const postgres = await startChaosPostgres(folder);
  const redis = engines.includes('redis') ? await startRedis() : null;
  let rounds = 0;

  return {
    program,
    postgres,
    redis,
    async openRound(engine, options) {
      rounds += 1;
      const own = join(folder, `round-${rounds}`);
      mkdirSync(own);
      const database = `round_${rounds}`;
      const ledgerUrl = await postgres.makeDatabase(database);
      const queue = engine === 'redis' ? redis! : null;
      await queue?.restart();
      // Nothing of the round before comes back with an older snapshot.
      await queue?.snapshot();
      const service = await startService(program, own, options);
      const wires = {
        ledger: await startProxy(postgres.port),
        queue: queue ? await startProxy(queue.port) : null,
        service: await startProxy(service.port),
      };
      const common = {
        PATH: process.env.PATH,
        HOME: own,
        CARILLON_HOME: join(own, 'home'),
        VOICE_BASE_URL: `http://127.0.0.1:${wires.service.port}/v1`,
        VOICE_API_KEYS: options.keys.map((secret, i) => `key${i}=${secret}`).join(','),
        VOICE_RATE: String(options.rate),
        VOICE_TIMEOUT_MS: String(timeoutMs),
        LOG_LEVEL: 'warn',
        PORT: '0',
      };
      const wired = new URL(ledgerUrl);
      wired.port = String(wires.ledger.port);
      return {
        folder: own,
        program,
        postgres,
        redis: queue,
        service,
        ledgerUrl,
        wires,
        env: {
          ...common,
          DATABASE_URL: wired.href,
          REDIS_URL: wires.queue ? `redis://127.0.0.1:${wires.queue.port}` : undefined,
        },
        directEnv: { ...common, DATABASE_URL: ledgerUrl, REDIS_URL: queue?.url },
        async close(keep) {
          await Promise.all([wires.ledger.close(), wires.queue?.close(), wires.service.close()]);
          await service.stop();
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
      // What was kept of a round stays; an empty folder does not.
      spawnSync('rmdir', [folder], { stdio: 'ignore' });
    },
  };
}
