import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { z } from 'zod';
import { makeFolder, syncFolder, unwritable, writeNew } from '../base/disk.ts';
import { CarillonError } from '../base/errors.ts';
import { connect } from './hold.ts';

/**
 * Copies the data of the running embedded server, as Postgres's own tools do: the files while they change, and the
 * write-ahead log that makes them agree. Its folder has its name only once all of it is there and was read again.
 */
export type Backup = { path: string; madeAt: Date; files: number; bytes: number };

const listed = z.object({ path: z.string(), size: z.int(), sha256: z.string() });
export const backupManifest = z.object({
  carillon: z.string(),
  made_at: z.coerce.date(),
  /** The major version of the Postgres that can read it. */
  postgres: z.int(),
  system: z.string(),
  timeline: z.int(),
  start: z.string(),
  stop: z.string(),
  /** Empty ones are needed too. */
  folders: z.array(z.string()),
  files: z.array(listed),
});
export type BackupManifest = z.infer<typeof backupManifest>;
type Listed = z.infer<typeof listed>;

export const manifestFile = 'manifest.json';
export const dataFolder = 'ledger';
const form = /^carillon-\d{8}T\d{6}Z$/;

export type BackupOrder = {
  /** The superuser's address of the server, and where its data is. */
  maintenanceUrl: string;
  dataDir: string;
  /** Of other files that are needed next to the data, such as the secret: those that are there are copied. */
  beside: readonly string[];
  /** The folder in which the backup's own is made. */
  folder: string;
  version: string;
  now: Date;
};

export async function backUp(order: BackupOrder): Promise<Backup> {
  const { folder, now } = order;
  const name = `carillon-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const [path, draft] = [join(folder, name), join(folder, `${name}-${randomUUID().slice(0, 8)}.part`)];
  if (existsSync(path)) throw unwritable(path, Object.assign(new Error(), { code: 'EEXIST' }));
  try {
    makeFolder(join(draft, dataFolder), 0o700);
    const manifest = await copyServer(order, join(draft, dataFolder));
    for (const file of order.beside.filter((each) => existsSync(each)))
      writeNew(join(draft, file.split('/').at(-1)!), readFileSync(file, 'utf8'), 0o600);
    writeNew(join(draft, manifestFile), `${JSON.stringify(manifest)}\n`, 0o600);
    await verifyBackup(draft);
    // After all was written: the disk takes them together.
    for (const { path: file } of manifest.files) syncFile(join(draft, dataFolder, file));
    for (const each of ['', dataFolder, ...manifest.folders.map((one) => join(dataFolder, one))])
      syncFolder(join(draft, each));
    renameSync(draft, path);
    syncFolder(folder);
    const bytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
    return { path, madeAt: now, files: manifest.files.length, bytes };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw code && /^E[A-Z]+$/.test(code) ? unwritable(draft, error) : error;
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

async function copyServer(order: BackupOrder, to: string): Promise<BackupManifest> {
  const client = await connect(order.maintenanceUrl);
  try {
    // A slot of this session keeps the log that the copy needs; it is gone with the session, however that ends.
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [
      `carillon_backup_${randomUUID().replaceAll('-', '').slice(0, 12)}`,
    ]);
    const begun = await one(client, `select pg_backup_start('carillon', true)::text as start`);
    const tree = await listTree(order.dataDir);
    const files: Listed[] = [];
    for (const folder of tree.folders) await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    await inTurns(tree.files, (file) => copyFile(order.dataDir, to, file, files));
    await copyFile(order.dataDir, to, control, files);
    const ended = await one(
      client,
      `select s.lsn::text as stop, s.labelfile as label, s.spcmapfile as map, pg_walfile_name($1::pg_lsn) as first,
         pg_walfile_name(s.lsn) as last, (select c.system_identifier::text from pg_control_system() c) as system,
         current_setting('server_version_num')::integer / 10000 as postgres
       from pg_backup_stop(false) s`,
      [begun.start],
    );
    const log = await listLog(order.dataDir, ended.first as string, ended.last as string);
    await inTurns(log, (file) => copyFile(order.dataDir, to, join('pg_wal', file), files));
    for (const [name, text] of [
      ['backup_label', ended.label],
      ['tablespace_map', ended.map],
    ] as const) {
      if (!text) continue;
      writeNew(join(to, name), text as string, 0o600);
      files.push(describe(name, Buffer.from(text as string)));
    }
    return {
      carillon: order.version,
      made_at: order.now,
      postgres: ended.postgres as number,
      system: ended.system as string,
      timeline: Number.parseInt((ended.last as string).slice(0, 8), 16),
      start: begun.start as string,
      stop: ended.stop as string,
      folders: tree.folders,
      files,
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function one(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>> {
  return (await client.query(text, values)).rows[0] as Record<string, unknown>;
}

/** Their contents are of the running server only; Postgres wants the folders. */
const emptied = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_stat_tmp',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_subtrans',
]);
const left =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|pg_internal\.init.*|pgsql_tmp.*|backup_label.*|tablespace_map.*|.*\.draft)$/;
/** Read when all else was, so that it is not older than what it leads to. */
const control = join('global', 'pg_control');

async function listTree(dataDir: string): Promise<{ folders: string[]; files: string[] }> {
  const folders: string[] = ['pg_wal', join('pg_wal', 'archive_status'), join('pg_wal', 'summaries')];
  const files: string[] = [];
  const walk = async (at: string) => {
    for (const entry of await readdir(join(dataDir, at), { withFileTypes: true })) {
      if (left.test(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (path !== 'pg_wal') folders.push(path);
        if (!emptied.has(path)) await walk(path);
      } else if (entry.isFile() && path !== control) files.push(path);
    }
  };
  await walk('');
  return { folders, files };
}

/** The parts of the log from the backup's start to its end. */
async function listLog(dataDir: string, first: string, last: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'pg_wal'));
  const kept = names.filter(
    (name) => /\.history$/.test(name) || (/^[0-9A-F]{24}$/.test(name) && name >= first && name <= last),
  );
  if (kept.includes(first) && kept.includes(last)) return kept.sort();
  throw new CarillonError('backup-broken', `The log that the backup needs is not in ${dataDir}/pg_wal`, {
    remedy: 'Run it again; if it fails again, see postgres.log in CARILLON_HOME.',
  });
}

/** Each file waits for the disk: a few at a time take as long as one. */
const atOnce = 16;

async function inTurns(files: readonly string[], work: (file: string) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < files.length) await work(files[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** A file that is removed meanwhile is not needed: the log tells of that. */
async function copyFile(from: string, to: string, path: string, files: Listed[]): Promise<void> {
  const hash = createHash('sha256');
  let size = 0;
  const count = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  const target = join(to, path);
  try {
    await pipeline(
      createReadStream(join(from, path), { highWaterMark: 1 << 20 }),
      count,
      createWriteStream(target, { mode: 0o600, flags: 'wx' }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(join(from, path))) throw error;
    rmSync(target, { force: true });
    return;
  }
  files.push({ path, size, sha256: hash.digest('hex') });
}

function describe(path: string, bytes: Buffer): Listed {
  return { path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Reads every file again, and holds it to the manifest. */
export async function verifyBackup(path: string): Promise<BackupManifest> {
  const broken = (why: string) =>
    new CarillonError('backup-broken', `The backup ${path} is not whole: ${why}`);
  let manifest: BackupManifest;
  try {
    manifest = backupManifest.parse(JSON.parse(readFileSync(join(path, manifestFile), 'utf8')));
  } catch {
    throw broken(`its ${manifestFile} is missing or cannot be read`);
  }
  // A manifest that somebody changed leads nowhere else.
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
    .map((name) => {
      const [, day, time] = /(\d{8})T(\d{6})Z$/.exec(name)!;
      const at = `${day!.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time!.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
      return { path: join(folder, name), at: new Date(at) };
    });
}

/** Removes all but the newest, and what a backup that was killed left. Returns how many backups went. */
export function pruneBackups(folder: string, keep: number): number {
  const old = listBackups(folder).slice(keep);
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
  return old.length;
}
