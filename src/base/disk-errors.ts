import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CarillonError } from './errors.ts';
import type { Log } from './log.ts';

/** The reasons for which a disk refuses to write, in our words. */
const words: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  EISDIR: 'a folder has that name',
  EEXIST: 'something else has that name',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'this user’s share of the disk is full',
  EFBIG: 'a file may not become that long',
  EIO: 'the disk fails',
};

/** Codes of a disk that took writes before and takes none now; missing rights are another matter. */
const fullCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'];

export function isDiskFull(error: unknown): boolean {
  return fullCodes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Why something could not be written; undefined when the error is not the disk's. */
export function diskTrouble(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && Object.hasOwn(words, code) ? words[code] : undefined;
}

const longestNamed = 1_000_000;
// Without waiting: a pipe would be waited for until somebody writes into it.
const atOnce = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a file that a setting names; what it holds decides who is called and where secrets go, so it must be a file, and
 * this user's or root's. A link is followed, as orchestrators mount secrets by links, and its target is judged. Of a
 * secret, nobody else may have access.
 */
export function readNamedFile(path: string, isSecret = false): string {
  const file = openSync(path, atOnce);
  try {
    const found = fstatSync(file);
    const us = process.getuid?.();
    if (!found.isFile()) throw new Error(`${path} is a folder, a pipe or a device, not a file`);
    if (us !== undefined && found.uid !== us && found.uid !== 0)
      throw new Error(`${path} belongs to another account (uid ${found.uid}); \`chown\` it to ${us} or root`);
    if (us !== undefined && isSecret && (found.mode & 0o077) !== 0) {
      const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
      throw new Error(`${path} may be read by others (mode ${mode}); run \`chmod 600 ${path}\``);
    }
    if (found.size > longestNamed) throw new Error(`${path} is longer than 1 MB`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * Makes a folder and those above it. `recursive` is not used: it never returns if the folder above exists and takes
 * none, as in /proc.
 */
export function makeFolder(path: string, mode: number): void {
  const above = dirname(path);
  if (above !== path && !existsSync(above)) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && existsSync(path) && statSync(path).isDirectory()) return;
    throw code === 'ENOENT' ? new Error(`no folder can be made in ${above}`, { cause: error }) : error;
  }
}

/** The file must be new, and the name must not be a link that somebody left there. */
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

type Owner = { uid: number; gid: number };

/**
 * Writes a whole new file and syncs it, or leaves none: a full disk may take only the first part of a text. The owner
 * is given the open file, not its name, because another account may have put something else there meanwhile.
 */
export function writeNew(
  path: string,
  text: string,
  mode: number,
  { sync = true, owner }: { sync?: boolean; owner?: Owner | undefined } = {},
): void {
  const file = openSync(path, newFile, mode);
  try {
    if (owner) fchownSync(file, owner.uid, owner.gid);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    if (sync) fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Gives a small file other contents, all or none. It is synced before it gets its name, because a power cut must not leave
 * the name without its contents; and only a file of our own is written: a link under the draft's name would lead elsewhere.
 */
export function replaceFile(path: string, text: string, owner?: Owner): void {
  const draft = `${path}.${process.pid}.draft`;
  rmSync(draft, { force: true });
  writeNew(draft, text, 0o600, { owner });
  renameSync(draft, path);
}

/** What a file holds; null if there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Syncs a file, or the names in a folder, to the disk. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

export function unwritable(path: string, error: unknown): CarillonError {
  return new CarillonError('file-unwritable', unwritableText(path, error), { cause: error });
}

export function unwritableText(path: string, error: unknown): string {
  return `${path} cannot be written: ${diskTrouble(error) ?? (error as Error).message}`;
}

/** Logs that no calls are made while something that each call needs cannot be written, and when it can be again. */
export function createDiskTeller(log: Log, what: string): (why: string | null) => void {
  let told: string | null = null;
  return (why) => {
    if (why === told) return;
    if (why !== null) log.error(`${why}: no call is made until it can be. Free some space there.`);
    else log.info(`${what} again: this process dials`);
    told = why;
  };
}
