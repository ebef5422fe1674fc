import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, replaceFile } from '../base/disk-errors.ts';
import { digestTable } from './digest-table.ts';

/**
 * Checks the programs of the embedded Postgres against what they were when this Carillon was made. npm checks a package
 * by its lock file, which people who install ours do not have: another registry could give them another program.
 */
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
export function isAsMade(root: string, label: string): boolean {
  return digestTable[label] !== undefined && digestOf(root) === digestTable[label];
}

/** The same, without reading what has not changed since it was last read. */
export function isStillAsMade(root: string, label: string): boolean {
  if (readIfThere(notePath(root)) === noteOf(root, label)) return true;
  if (!isAsMade(root, label)) return false;
  noteChecked(root, label);
  return true;
}

/** Remembers that this copy was read and is right. */
export function noteChecked(root: string, label: string): void {
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
