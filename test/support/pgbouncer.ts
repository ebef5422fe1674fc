import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseAccount } from '../../src/embedded/account.ts';
import { freePort } from './ports.ts';

/** A PgBouncer for one test, before the database at `url`. */
export type TestPooler = { url: string; host: string; stop(): Promise<void> };

export type PoolMode = 'session' | 'transaction' | 'statement';

/** Debian installs it where not every user's PATH looks. */
const env = { PATH: `${process.env.PATH}:/usr/sbin` };

/**
 * Whether tests that need PgBouncer can run here. Skipped tests are printed; with CI_REQUIRE_ALL=1 a missing PgBouncer
 * is a failure.
 */
export function canUsePgBouncer(what: string): boolean {
  if (spawnSync('pgbouncer', ['--version'], { stdio: 'ignore', env }).status === 0) return true;
  const line = `${what}: pgbouncer is not on the PATH; install it (apt-get install pgbouncer, brew install pgbouncer)`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}

export async function startPgBouncer(
  url: string,
  mode: PoolMode,
  settings: Record<string, string | number> = {},
): Promise<TestPooler> {
  const server = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'carillon-pgbouncer-'));
  const account = chooseAccount(join(folder, 'none'));
  const port = await freePort();
  const address = `host=${server.searchParams.get('host') ?? server.hostname} port=${server.port}`;
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    pool_mode: mode,
    default_pool_size: 60,
    max_client_conn: 200,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = ${address}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  writeFileSync(join(folder, 'users.txt'), `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  // It refuses to run as root, as Postgres does.
  if (account)
    for (const name of ['', 'pgbouncer.ini', 'users.txt'])
      chownSync(join(folder, name), account.uid, account.gid);
  chmodSync(folder, 0o700);
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
    ...account,
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const ended = once(child, 'exit');
  const cleanUp = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);
  await listens(child, port).catch((error) => {
    cleanUp();
    throw new Error(`${error.message}: ${said}`);
  });
  const pooled = new URL(url);
  pooled.searchParams.delete('host');
  pooled.port = String(port);
  return {
    url: pooled.href,
    host: pooled.host,
    async stop() {
      process.off('exit', cleanUp);
      cleanUp();
      await ended;
    },
  };
}

async function listens(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false));
      socket.once('connect', () => resolve(true));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('pgbouncer ended');
}
