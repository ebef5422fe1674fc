import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { CarillonError } from '../errors.ts';

/**
 * The starters' lock: of several processes that start or leave at once, one at a time decides about the server.
 * It is a file with its holder's pid and birth, so that a holder who was killed, or whose pid now belongs to
 * someone else, does not hold it for ever.
 */
export async function withLock<T>(
  home: string,
  clock: Clock,
  patienceMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(home, 'starters.lock');
  const mine = JSON.stringify({ pid: process.pid, birth: birthOf(process.pid), id: randomUUID() });
  const end = clock.monotonic() + patienceMs;
  while (!tryTake(path, mine)) {
    if (clock.monotonic() > end) {
      throw new CarillonError('embedded-unavailable', `another process holds ${path} and does not let go`, {
        remedy: 'Wait for it to finish starting, or end it.',
      });
    }
    await clock.sleep(20);
  }
  try {
    return await work();
  } finally {
    if (read(path) === mine) rmSync(path, { force: true });
  }
}

function tryTake(path: string, mine: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    // A link appears with its contents in one step, so nobody ever reads half a lock.
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    breakStale(path);
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function breakStale(path: string): void {
  const held = read(path);
  if (held === undefined || isAlive(held)) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  // Between reading and moving a new holder may have come: what is not the stale lock is put back.
  if (read(aside) !== held) {
    try {
      linkSync(aside, path);
    } catch {
      // Someone holds it already; Postgres's own lock on its data is the last guard.
    }
  }
  rmSync(aside, { force: true });
}

function isAlive(held: string): boolean {
  try {
    const { pid, birth } = JSON.parse(held) as { pid: number; birth: string | undefined };
    return birthOf(pid) === birth && birth !== undefined;
  } catch {
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** When a process was born, or nothing when there is none: a pid alone may have been given to another. */
export function birthOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is the name in brackets, which may hold anything; a zombie counts as dead.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  const shown = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return shown.stdout?.trim() || undefined;
}
