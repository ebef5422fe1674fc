import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import { chooseAccount, prepareHome } from '../../src/embedded/account.ts';
import { backUp } from '../../src/embedded/backup.ts';
import { ensure, type Place } from '../../src/embedded/ensure.ts';
import { restoreBackup } from '../../src/embedded/restore.ts';
import { superuserUrl } from '../../src/embedded/role.ts';
import { stopServer } from '../../src/embedded/server.ts';

/** The harness's own Postgres, with fsync on, which can be killed at any moment and restarted. */
export type ChaosPostgres = {
  /** The superuser's, in the database of that name. */
  maintenanceUrl(name: string): string;
  /** Returns its URL. */
  makeDatabase(name: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** Kills the server and all its processes at once, like a power failure. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Copies its data while it works; returns the backup's folder. */
  backUp(into: string): Promise<string>;
  /** Kills the server, puts the backup in the place of its data and starts it again. */
  restore(backup: string): Promise<void>;
  stop(): Promise<void>;
};

export async function startChaosPostgres(folder: string): Promise<ChaosPostgres> {
  const wanted = join(folder, 'postgres');
  const account = chooseAccount(join(wanted, 'ledger'));
  const home = prepareHome(wanted, account);
  const place: Place = { home, dataDir: join(home, 'ledger'), account, clock: systemClock };
  let server = await ensure(place);
  const address = server;
  const base = superuserUrl(place.dataDir, address);
  const at = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  // Some rules of the judge need the order of commits.
  await ask(base, 'alter system set track_commit_timestamp = on');
  await stopServer(server.pid, place.dataDir, systemClock);
  server = await ensure(place, address);

  const kill = async () => {
    const family = [server.pid, ...childrenOf(server.pid)].filter(isAlive);
    for (const pid of family) signal(pid);
    while (family.some(isAlive)) await systemClock.sleep(5);
  };
  const start = async () => {
    server = await ensure(place, address);
  };
  // One at a time: a server that is being restored is not started, or killed, by another fault.
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };

  return {
    maintenanceUrl: (name) => at(base, name),
    async makeDatabase(name) {
      await ask(base, `create database ${name} owner ${new URL(server.url).username}`);
      return at(server.url, name);
    },
    dropDatabase: async (name) => void (await ask(base, `drop database if exists ${name} with (force)`)),
    kill: () => alone(kill),
    start: () => alone(start),
    backUp: (into) =>
      alone(async () => {
        const from = { maintenanceUrl: at(base, 'postgres'), dataDir: place.dataDir, beside: [] };
        return (await backUp({ ...from, folder: into, version: 'chaos', now: new Date() })).path;
      }),
    restore: (backup) =>
      alone(async () => {
        await kill();
        // No word is left of it: calls since then are for the processes to find.
        const { kept } = await restoreBackup({ home: wanted, backup, clock: systemClock, noting() {} });
        if (kept) rmSync(kept, { recursive: true, force: true });
        await start();
      }),
    stop: () => stopServer(server.pid, place.dataDir, systemClock),
  };
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function childrenOf(parent: number): number[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && fieldsOf(pid)?.[1] === String(parent));
}

function isAlive(pid: number): boolean {
  if (!existsSync('/proc/self/stat')) {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }
  const state = fieldsOf(pid)?.[0];
  return state !== undefined && state !== 'Z';
}

/** The fields of /proc/PID/stat from the state on. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** One query to the ledger, bypassing the program and the proxies. */
export async function ask<T extends object>(url: string, sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as T[];
  } finally {
    await client.end().catch(() => undefined);
  }
}
