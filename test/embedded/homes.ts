import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach } from 'vitest';
import { stopEmbedded } from '../../src/embedded/embedded.ts';
import type { Host } from '../../src/embedded/host.ts';
import { birthOf } from '../../src/embedded/lock.ts';
import { until } from '../support/until.ts';

/** Homes and child processes of a test file: the children end after each test, the homes are removed after the last. */
export function useHomes() {
  const homes: { top: string; home: string }[] = [];
  const children = new Set<ChildProcess>();

  afterEach(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    children.clear();
  });
  afterAll(async () => {
    for (const { top, home } of homes) {
      // A failed test may have left a mark that forbids us to stop its server.
      rmSync(markerOf(home), { force: true });
      if (existsSync(home)) await stopEmbedded(home, { force: true });
      rmSync(top, { recursive: true, force: true });
    }
  });

  function startChild(home: string, options: ChildOptions = {}) {
    const { container, script = 'child.ts', ...rest } = options;
    const path = fileURLToPath(new URL(script, import.meta.url));
    const [program, ...args] = [
      ...(container ? enterContainer : []),
      ...[process.execPath, '--import', import.meta.resolve('tsx'), path, home],
    ];
    const child = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true, ...rest });
    children.add(child);
    const words = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    return { child, next: async () => JSON.parse((await words.next()).value ?? 'null') as Word };
  }

  return {
    startChild,
    newHome(...below: string[]): string {
      const top = mkdtempSync(join(tmpdir(), 'carillon-embedded-'));
      // The server's account must be able to reach the folders below.
      if (below.length > 0) chmodSync(top, 0o711);
      const home = join(top, ...below);
      homes.push({ top, home });
      return home;
    },
    /** Uses the home in another process, then kills that process and its server, as a power cut would. */
    async leaveKilledServer(home: string): Promise<string> {
      const { child, next } = startChild(home);
      const { url } = await next();
      await query(url, 'CREATE TABLE IF NOT EXISTS kept (n int)');
      await query(url, 'INSERT INTO kept VALUES (1)');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const pid = pidOf(home);
      process.kill(pid, 'SIGKILL');
      await until(() => !isAlive(pid));
      return url;
    },
  };
}

type ChildOptions = { uid?: number; gid?: number; cwd?: string; container?: boolean; script?: string };

export type Word = {
  fresh: boolean;
  adopted: boolean;
  url: string;
  uid: number;
  alive: number;
  held: boolean;
  error: string;
};

/** A PID and an IPC namespace of its own; all its processes end when `unshare` is killed. */
const enterContainer = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--ipc'];

export const canEnterContainer =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync(enterContainer[0]!, [...enterContainer.slice(1), 'true']).status === 0;

export async function query<R extends object>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

export const pidOf = (home: string) =>
  Number(readFileSync(join(home, 'ledger', 'postmaster.pid'), 'utf8').split('\n')[0]);

/** A zombie counts as dead. */
export const isAlive = (pid: number) => birthOf(pid) !== undefined;

export const dataOf = (home: string) => join(home, 'ledger');
export const pidFileOf = (home: string) => join(home, 'ledger', 'postmaster.pid');
export const markerOf = (home: string) => join(home, 'ledger.host');
export const read = (path: string) => readFileSync(path, 'utf8');

/** A host that is certainly not this one. */
export const another: Host = { bootId: 'b', pidNamespace: 'pid:[1]', machineId: 'm', hostName: 'elsewhere' };

/** A pid that is not in use: that of a process that has just ended. */
export const deadPid = () => spawnSync(process.execPath, ['--version']).pid;
