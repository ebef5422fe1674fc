import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { replaceFile } from '../../base/disk-errors.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { secretFile } from '../../base/secret.ts';
import { version } from '../../base/version.ts';
import { noteRestored } from '../../dispatch/trust/last-seen.ts';
import { type Backup, backUp } from '../../embedded/backup.ts';
import { listBackups, manifestFile, pruneBackups } from '../../embedded/backups.ts';
import { startEmbedded, stopEmbedded } from '../../embedded/embedded.ts';
import { type Restored, restoreBackup } from '../../embedded/restore.ts';

/** Backs up the embedded ledger while it works, and remembers when that was last done. */
type BackupDeps = { config: Config; clock: Clock; log: Log };

export type BackedUp = Backup & { removed: number };

export const backupsOf = ({ home }: Pick<Config, 'home'>) => join(home, 'backups');

export async function backUpLedger(
  { config, clock, log }: BackupDeps,
  { folder, keep, signal }: { folder: string; keep: number; signal?: AbortSignal },
): Promise<BackedUp> {
  refuseOwn(config);
  const embedded = await startEmbedded({ home: config.home, log });
  try {
    const now = new Date(clock.now());
    const made = await backUp({
      ...embedded,
      beside: [join(config.home, secretFile)],
      folder: resolve(folder),
      version,
      now,
      ...(signal ? { signal } : {}),
    });
    noteBackup(config.home, made);
    return { ...made, removed: pruneBackups(folder, keep, now) };
  } finally {
    await embedded.close();
  }
}

export function refuseOwn({ databaseUrl }: Pick<Config, 'databaseUrl'>): void {
  if (databaseUrl)
    throw new CarillonError('backup-elsewhere', 'DATABASE_URL is set: the ledger is your own Postgres');
}

const file = 'backup.json';
const lastBackup = z.object({ at: z.coerce.date(), path: z.string() });

function noteBackup(home: string, { path, madeAt }: Backup): void {
  replaceFile(join(home, file), `${JSON.stringify({ at: madeAt, path })}\n`);
}

/** The last backup of the ledger in this home; null when there was none. */
export function readLastBackup(home: string): z.output<typeof lastBackup> | null {
  try {
    return lastBackup.parse(JSON.parse(readFileSync(join(home, file), 'utf8')));
  } catch {
    return null;
  }
}

/** Restores a backup in place of the embedded ledger, which then waits for a person to confirm it. */
export async function restoreLedger(
  { config, clock }: { config: Config; clock: Clock },
  given: string,
): Promise<Restored & { backup: string }> {
  refuseOwn(config);
  const { home } = config;
  const backup = findBackup(resolve(given));
  // A server left behind by a killed process has no user.
  await stopEmbedded(home);
  const restored = await restoreBackup({
    home,
    backup,
    clock,
    noting: ({ made_at }) => noteRestored(home, `${JSON.stringify({ backup, made_at })}\n`),
  });
  const secret = join(backup, secretFile);
  if (existsSync(secret) && !existsSync(join(home, secretFile))) copyFileSync(secret, join(home, secretFile));
  return { ...restored, backup };
}

/** A backup's folder or its manifest; in a folder of backups, a person names one. */
function findBackup(path: string): string {
  const wrong = (why: string, remedy: string) =>
    new CarillonError('file-unreadable', `${path} ${why}`, { remedy });
  if (!existsSync(path)) throw wrong('does not exist', 'Give the folder that `carillon backup` named.');
  if (!statSync(path).isDirectory()) {
    if (basename(path) === manifestFile) return dirname(path);
    throw wrong('is not a backup', 'Give the folder that `carillon backup` named.');
  }
  if (existsSync(join(path, manifestFile))) return path;
  const [newest] = listBackups(path);
  throw wrong(
    'is not a backup',
    newest
      ? `Give one of those in it; the newest is ${newest.path}.`
      : 'Give the folder that `carillon backup` named.',
  );
}
