import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { CarillonError } from '../base/errors.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { birthOf } from './lock.ts';

/** Runs the server process: its settings, its start, its pid file, its end. */
export type Postmaster = ServerAddress & Readonly<{ pid: number; status: string }>;

/** The port also names the socket; `onLoopback` is set if clients cannot use that. */
export type ServerAddress = Readonly<{ port: number; onLoopback: boolean }>;

/** Reads Postgres's pid file in its data directory; nothing when no server claims to run there. */
export function readPostmaster(dataDir: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const onLoopback = (lines[5] ?? '').trim() !== '';
  return { pid, port: Number(lines[3]) || 0, onLoopback, status: lines[7]?.trim() ?? '' };
}

/** Postgres notes its state in its control file, after two numbers of 8 and two of 4 bytes: 1 is a clean shutdown. */
export function wasClosed(dataDir: string): boolean {
  return readFileSync(join(dataDir, 'global', 'pg_control')).readInt32LE(16) === 1;
}

/** Whether that process is the server of this directory: the pid may have been reused. */
export function isServerOf(pid: number, dataDir: string): boolean {
  if (birthOf(pid) === undefined) return false;
  let command: string;
  try {
    command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  } catch {
    return false;
  }
  return command.includes('postgres') && command.includes(` ${dataDir} `);
}

const settings = {
  // Relative to the data directory, where the server runs, so that the socket's path stays short.
  unix_socket_directories: '.',
  max_connections: 200,
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'on',
  jit: 'off',
  // Parallel queries need shared memory that a container may not have.
  max_parallel_workers_per_gather: 0,
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_checkpoints: 'off',
  log_min_messages: 'warning',
} as const;

/** Plain fsync on macOS leaves the data in the drive's cache, which a power cut empties. */
export function settingsOn(platform: NodeJS.Platform): Record<string, string | number> {
  return platform === 'darwin' ? { ...settings, wal_sync_method: 'fsync_writethrough' } : settings;
}

type Launch = Readonly<{
  home: string;
  dataDir: string;
  address: ServerAddress;
  /** False only if the file system allows no sockets. */
  withSocket: boolean;
  binaries: Binaries;
  account: Account | undefined;
  clock: Clock;
}>;

export type Launched = { pid: number } | { failed: 'port' | 'socket' | 'memory' | 'other'; why: string };

/** Starts the server in a session of its own and waits until it is ready. */
export async function launch(order: Launch): Promise<Launched> {
  const { home, dataDir, binaries, account, clock } = order;
  const logPath = join(home, 'postgres.log');
  const from = openLog(logPath, account);
  const { port, onLoopback } = order.address;
  const args = ['-D', dataDir, '-p', String(port), '-c', `listen_addresses=${onLoopback ? '127.0.0.1' : ''}`];
  for (const [name, value] of Object.entries(settingsOn(process.platform)))
    args.push('-c', `${name}=${value}`);
  if (!order.withSocket) args.push('-c', 'unix_socket_directories=');
  const log = openSync(logPath, ownLog, 0o600);
  // The session of its own keeps a Ctrl-C meant for us from reaching it while we still use it.
  const child = spawn(binaries.postgres, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: serverEnvironment(binaries),
    cwd: dataDir,
    ...account,
  });
  closeSync(log);
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended ??= `it ended with ${signal ?? `exit code ${code}`}`;
  });
  child.unref();
  // Replaying the log after a crash may take a while, so a live process gets two minutes.
  const end = clock.monotonic() + 120_000;
  while (ended === undefined && clock.monotonic() < end) {
    const seen = readPostmaster(dataDir);
    if (seen && seen.pid === child.pid && seen.status === 'ready') return { pid: seen.pid };
    await clock.sleep(5);
  }
  if (ended === undefined && child.pid) process.kill(child.pid, 'SIGQUIT');
  const lines = readFileSync(logPath).subarray(from).toString('utf8').trim().split('\n');
  const fatal = lines.filter((line) => /FATAL|PANIC|error while loading/.test(line)).at(-1) ?? lines.at(-1);
  const failed = classify(lines.join('\n'));
  return { failed, why: (fatal || ended || 'it did not become ready in two minutes').trim() };
}

function classify(log: string): 'port' | 'socket' | 'memory' | 'other' {
  // Postgres first prints the error of a busy port for a failed socket, then the line that names the socket.
  if (/could not create any Unix-domain sockets/.test(log)) return 'socket';
  if (/could not (create any TCP|bind)/.test(log)) return 'port';
  return /pre-existing shared memory/.test(log) ? 'memory' : 'other';
}

/** Makes a new data directory at `staging`, with a password that only its files hold. */
export async function initialise(
  staging: string,
  passwordFile: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> {
  const args = ['-D', staging, '--username=carillon', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  args.push('--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  args.push('-c', 'max_connections=200', '-c', 'shared_buffers=128MB', '-c', 'timezone=UTC');
  const child = spawn(binaries.initdb, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: serverEnvironment(binaries),
    cwd: staging,
    ...account,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const why = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? undefined : output.trim() || `exit code ${code}`));
  });
  if (why === undefined) return;
  const line = why.split('\n').find((text) => /error|FATAL|could not/i.test(text)) ?? why.split('\n').at(-1);
  throw new CarillonError('embedded-unavailable', `a new ledger cannot be created: ${line?.trim()}`);
}

/** SIGINT is Postgres's clean shutdown that does not wait for its clients. */
export async function stopServer(pid: number, dataDir: string, clock: Clock): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isServerOf(pid, dataDir)) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const end = clock.monotonic() + patienceMs;
    while (clock.monotonic() < end) {
      if (birthOf(pid) === undefined) return;
      await clock.sleep(10);
    }
  }
}

/** Ends the children of a killed server. They end by themselves, unless one is busy with a query. */
export function endOrphans(dataDir: string): void {
  if (process.platform !== 'linux') return;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) !== dataDir) continue;
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres:')) process.kill(pid, 'SIGQUIT');
    } catch {
      // It has ended, or we may not look at it.
    }
  }
}

/** Leaves out our own variables: anyone who can read the server's environment must not find our keys in it. */
function serverEnvironment(binaries: Binaries): Record<string, string> {
  const common = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };
  return process.platform === 'linux' ? { ...common, LD_LIBRARY_PATH: binaries.lib } : common;
}

/** Opens the file itself, never a link, because root writes it and the server's account owns it. */
const ownLog = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Returns where this start's own lines begin. */
function openLog(path: string, account: Account | undefined): number {
  const file = openSync(path, ownLog, 0o600);
  try {
    if (fstatSync(file).size > 1_000_000) ftruncateSync(file);
    if (account) fchownSync(file, account.uid, account.gid);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}
