import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { readIfThere } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { type Host, isWithinSight, locate, parseHost, thisHost } from './host.ts';

type Owner = { pid: number; birth?: string; host?: unknown };

/**
 * The starters' lock: when several processes start or leave at once, one at a time decides about the server. It is a
 * file with its holder's pid, birth and host. So a killed holder, or one whose pid now belongs to another process, does
 * not hold it for ever, and one whose pid cannot be seen from here does not count as dead.
 */
export async function withLock<T>(
  home: string,
  clock: Clock,
  patienceMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(home, 'starters.lock');
  const mine = JSON.stringify({
    pid: process.pid,
    birth: birthOf(process.pid),
    id: randomUUID(),
    host: thisHost(),
  });
  await take(path, mine, clock, patienceMs);
  try {
    return await work();
  } finally {
    if (readIfThere(path) === mine) rmSync(path, { force: true });
  }
}

async function take(path: string, mine: string, clock: Clock, patienceMs: number): Promise<void> {
  const end = clock.monotonic() + patienceMs;
  // A start takes a second or two, and we cannot tell from here whether a holder elsewhere is alive.
  const elsewhereMs = Math.min(10_000, patienceMs / 2);
  let elsewhereSince: number | undefined;
  for (;;) {
    const elsewhere = ownerElsewhere(readIfThere(path));
    if (!elsewhere && tryTake(path, mine)) return;
    const now = clock.monotonic();
    elsewhereSince = elsewhere && (elsewhereSince ?? now);
    if (elsewhere && elsewhereSince !== undefined && now - elsewhereSince > elsewhereMs) {
      throw new CarillonError(
        'embedded-unavailable',
        `a process on another machine or in another container (host name ${elsewhere.hostName}) holds ${path} and does not release it`,
        {
          remedy: `Stop it there, or set DATABASE_URL so that several can share one Postgres. If you are sure that it has ended, remove ${path} and start again.`,
        },
      );
    }
    if (now > end) {
      throw new CarillonError(
        'embedded-unavailable',
        `another process holds ${path} and does not release it`,
        { remedy: 'Wait for it to finish starting, or end it.' },
      );
    }
    await clock.sleep(20);
  }
}

function tryTake(path: string, mine: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, mine, { mode: 0o600, flag: 'wx' });
  try {
    // A link appears with its contents in one step, so no process reads half a lock.
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
  const found = readIfThere(path);
  if (found === null || isAlive(found)) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  // A new holder may have taken it between the read and the move; it is then put back.
  if (readIfThere(aside) !== found) {
    try {
      linkSync(aside, path);
    } catch {
      // Another process holds it already; Postgres's own lock on its data is the last guard.
    }
  }
  rmSync(aside, { force: true });
}

/** A lock without a host was written by an older version, and is judged by its pid. */
function isAlive(text: string): boolean {
  try {
    const { pid, birth, host } = JSON.parse(text) as Owner;
    const where = locate(parseHost(host) ?? thisHost());
    if (where !== 'here') return where !== 'restarted';
    return birthOf(pid) === birth && birth !== undefined;
  } catch {
    return false;
  }
}

function ownerElsewhere(text: string | null): Host | undefined {
  if (text === null) return undefined;
  try {
    const host = parseHost((JSON.parse(text) as Owner).host);
    return host && !isWithinSight(host) ? host : undefined;
  } catch {
    return undefined;
  }
}

/** When a process started, or nothing when there is none: the pid may have been reused. */
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
