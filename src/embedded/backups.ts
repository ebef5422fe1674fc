import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CarillonError } from '../base/errors.ts';

/** Existing backups: what is in one, whether it is whole, and which of many stay. */
const listed = z.object({ path: z.string(), size: z.int(), sha256: z.string() });
const backupManifest = z.object({
  carillon: z.string(),
  made_at: z.coerce.date(),
  /** The major version of the Postgres that can read it. */
  postgres: z.int(),
  system: z.string(),
  timeline: z.int(),
  start: z.string(),
  stop: z.string(),
  /** Empty folders are needed too. */
  folders: z.array(z.string()),
  /** A folder without PG_VERSION is not Postgres's, whatever else is in it. */
  files: z.array(listed).refine((files) => files.some(({ path }) => path === 'PG_VERSION')),
});
export type BackupManifest = z.infer<typeof backupManifest>;
export type ListedFile = z.infer<typeof listed>;

export const manifestFile = 'manifest.json';
export const dataFolder = 'ledger';
const form = /^carillon-\d{8}T\d{6}Z$/;

/** Reads every file again and compares it with the manifest. */
export async function verifyBackup(path: string): Promise<BackupManifest> {
  const broken = (why: string) =>
    new CarillonError('backup-broken', `The backup ${path} is not whole: ${why}`);
  let manifest: BackupManifest;
  try {
    manifest = backupManifest.parse(JSON.parse(readFileSync(join(path, manifestFile), 'utf8')));
  } catch {
    throw broken(`its ${manifestFile} is missing or cannot be read`);
  }
  // A manifest that somebody changed must not lead outside the backup.
  for (const folder of manifest.folders)
    if (!isInside(folder)) throw broken(`${JSON.stringify(folder)} is not a folder in it`);
  for (const { path: file, size, sha256 } of manifest.files) {
    if (!isInside(file)) throw broken(`${JSON.stringify(file)} is not a file in it`);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of createReadStream(join(path, dataFolder, file), { highWaterMark: 1 << 20 })) {
        hash.update(chunk as Buffer);
        bytes += (chunk as Buffer).length;
      }
    } catch (error) {
      throw broken(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    if (bytes !== size || hash.digest('hex') !== sha256) throw broken(`${file} is not what was copied`);
  }
  return manifest;
}

const isInside = (path: string) =>
  path !== '' && !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..');

/** The backups in a folder, the newest first. */
export function listBackups(folder: string): { path: string; at: Date }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => form.test(name) && existsSync(join(folder, name, manifestFile)))
    .sort()
    .reverse()
    .map((name) => ({ path: join(folder, name), at: timeOf(name) }));
}

/** Whether a killed backup left it: one that still runs began later. */
function isLeft(name: string, now: Date): boolean {
  const [, whole] = /^(carillon-\d{8}T\d{6}Z)-[0-9a-f]{8}\.part$/.exec(name) ?? [];
  return whole !== undefined && now.getTime() - timeOf(whole).getTime() > 24 * 3_600_000;
}

function timeOf(name: string): Date {
  const [, day, time] = /(\d{8})T(\d{6})Z$/.exec(name)!;
  return new Date(
    `${day!.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time!.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`,
  );
}

/** Removes all but the newest, and what a killed backup left. Returns how many backups were removed. */
export function pruneBackups(folder: string, keep: number, now: Date): number {
  const old = listBackups(folder).slice(keep);
  const killed = existsSync(folder) ? readdirSync(folder).filter((name) => isLeft(name, now)) : [];
  for (const path of [...old.map((each) => each.path), ...killed.map((name) => join(folder, name))])
    rmSync(path, { recursive: true, force: true });
  return old.length;
}
