import { createHash, randomUUID } from 'node:crypto';
import { constants, createWriteStream, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { makeFolder, syncPath, unwritable, writeNew } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { type BackupManifest, dataFolder, type ListedFile, manifestFile, verifyBackup } from './backups.ts';
import { connect } from './lease.ts';

/**
 * Copies the data of the running embedded server, as Postgres's own tools do: the files while they change, and the
 * write-ahead log that makes them consistent. The folder gets its name only once all of it is there and was read again.
 */
export type Backup = { path: string; madeAt: Date; files: number; bytes: number };

type BackupOrder = {
  /** The server's address for the superuser, and where its data is. */
  maintenanceUrl: string;
  dataDir: string;
  /** Other files that are needed next to the data, such as the secret; those that exist are copied. */
  beside: readonly string[];
  /** The folder in which the backup's own folder is made. */
  folder: string;
  version: string;
  now: Date;
  /** Ends the backup and removes its copies. */
  signal?: AbortSignal;
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
    goOn(order);
    // Synced after all was written, because the disk takes them together.
    for (const { path: file } of manifest.files) syncPath(join(draft, dataFolder, file));
    for (const each of ['', dataFolder, ...manifest.folders.map((one) => join(dataFolder, one))])
      syncPath(join(draft, each));
    renameSync(draft, path);
    syncPath(folder);
    const bytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
    return { path, madeAt: now, files: manifest.files.length, bytes };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw code && /^E[A-Z]+$/.test(code) ? unwritable(draft, error) : error;
  }
}

function goOn({ signal }: BackupOrder): void {
  if (signal?.aborted)
    throw new CarillonError('interrupted', 'The backup was interrupted, and nothing of it was kept', {
      remedy: 'Run it again.',
    });
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
    const files: ListedFile[] = [];
    for (const folder of tree.folders) await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    await inTurns(tree.files, (file) => {
      goOn(order);
      return copyFile(order.dataDir, to, file, files);
    });
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

/** The contents of these belong to the running server only, but Postgres needs the folders. */
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
/** Read last, so that it is not older than what it leads to. */
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

/** The segments of the log from the backup's start to its end. */
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

/** Each file waits for the disk, and a few at a time take as long as one. */
const atOnce = 16;

async function inTurns(files: readonly string[], work: (file: string) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < files.length) await work(files[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** The account that owns the data must not have us read, as root, what it may not read itself. */
const fileItself = constants.O_RDONLY | constants.O_NOFOLLOW;

/** A file that is removed meanwhile is not needed: the log replays its removal. */
async function copyFile(from: string, to: string, path: string, files: ListedFile[]): Promise<void> {
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
      (await open(join(from, path), fileItself)).createReadStream({ highWaterMark: 1 << 20 }),
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

function describe(path: string, bytes: Buffer): ListedFile {
  return { path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
