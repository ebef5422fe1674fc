import { copyFileSync, existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { CarillonError } from '../../base/errors.ts';
import { secretFile } from '../../base/secret.ts';
import { noteRestored } from '../../dispatch/trust/last-seen.ts';
import { listBackups, manifestFile } from '../../embedded/backups.ts';
import { stopEmbedded } from '../../embedded/embedded.ts';
import { type Restored, restoreBackup } from '../../embedded/restore.ts';
import { refuseOwn } from './backup.ts';

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
