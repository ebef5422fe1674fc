import { chmodSync, constants, existsSync, lchownSync, readdirSync, renameSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { syncPath } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { type Account, chooseAccount, giveFolder, prepareHome } from './account.ts';
import { type BackupManifest, dataFolder, verifyBackup } from './backups.ts';
import { findPackage } from './binaries.ts';
import { refuseElsewhere } from './host.ts';
import { withLock } from './lock.ts';
import { isServerOf, readPostmaster } from './server.ts';
import { isListening } from './socket.ts';

/**
 * Replaces a home's ledger by a backup, and keeps the old ledger next to it under another name. The copy is completed
 * first; a restore that is killed leaves the ledger as it was.
 */
export type Restored = {
  manifest: BackupManifest;
  /** The path of the former ledger now; null when there was none. */
  kept: string | null;
};

type RestoreOrder = {
  home: string;
  backup: string;
  clock: Clock;
  /** The last step before the backup is in place: even after a kill it is known that the ledger may be older. */
  noting(manifest: BackupManifest): void;
};

export async function restoreBackup({ home: given, backup, clock, noting }: RestoreOrder): Promise<Restored> {
  const manifest = await verifyBackup(backup);
  refuseVersion(manifest);
  const account = chooseAccount(join(given, dataFolder));
  const home = prepareHome(given, account);
  const dataDir = join(home, dataFolder);
  return withLock(home, clock, 30_000, async () => {
    await refuseRunning(home, dataDir);
    // A start removes whatever has this name, so that nothing of a killed restore stays.
    const draft = join(home, `ledger.new-restore-${process.pid}`);
    await rm(draft, { recursive: true, force: true });
    await copyData(join(backup, dataFolder), draft, manifest, account);
    noting(manifest);
    const kept = existsSync(dataDir) ? join(home, keptName(home, clock.now())) : null;
    if (kept) renameSync(dataDir, kept);
    renameSync(draft, dataDir);
    syncPath(home);
    return { manifest, kept };
  });
}

async function refuseRunning(home: string, dataDir: string): Promise<void> {
  refuseElsewhere(home, dataDir);
  const seen = existsSync(dataDir) ? readPostmaster(dataDir) : undefined;
  const runs =
    (seen && isServerOf(seen.pid, dataDir)) || (existsSync(dataDir) && (await isListening(dataDir)));
  if (!runs) return;
  throw new CarillonError('ledger-running', `The ledger in ${dataDir} is in use`);
}

function refuseVersion({ postgres }: BackupManifest): void {
  const { major } = findPackage();
  if (postgres === major) return;
  throw new CarillonError(
    'backup-broken',
    `The backup was made by Postgres ${postgres}, but this Carillon has Postgres ${major}`,
    {
      remedy:
        'Restore it with the Carillon that made it, then move it as docs/guides/operating.md describes.',
    },
  );
}

/**
 * Copies with the rights that the server wants, and as its account. Only we have access to the folder until all of it
 * is there: the account could put a link in place of a file that is still to be written or given to it.
 */
async function copyData(
  from: string,
  to: string,
  { folders, files }: BackupManifest,
  account: Account | undefined,
): Promise<void> {
  for (const folder of ['', ...folders]) {
    await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    chmodSync(join(to, folder), 0o700);
  }
  for (const { path } of files) {
    await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE);
    chmodSync(join(to, path), 0o600);
  }
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) syncPath(join(to, folder));
  if (!account) return;
  const all = [...files.map(({ path }) => path), ...folders];
  for (const path of all) lchownSync(join(to, path), account.uid, account.gid);
  giveFolder(to, account);
}

function keptName(home: string, now: number): string {
  const name = `ledger.before-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const taken = readdirSync(home).filter((each) => each.startsWith(name)).length;
  return taken === 0 ? name : `${name}-${taken}`;
}
