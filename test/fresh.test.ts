import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { root as checkout } from './support/checkout.ts';

/** A build that is older than what it was made from would run what the sources no longer say. */
const { isFresh, digestOfLock, lockDigest } = (await import(
  pathToFileURL(join(checkout, 'bin', 'fresh.js')).href
)) as {
  isFresh(root: string): boolean;
  digestOfLock(root: string): string;
  lockDigest: string;
};
const root = mkdtempSync(join(tmpdir(), 'carillon-fresh-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A file, with the folders that it stands in, as of this moment. */
function write(path: string, time: number, text = path): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  for (let at = path; at !== '.'; at = dirname(at)) utimesSync(join(root, at), time, time);
}

it('a build is run while no source is newer and the lock names the same packages', () => {
  expect(isFresh(root)).toBe(false);
  write('dist/program/main.js', 1_000);
  // As it is installed: no sources to compare with.
  expect(isFresh(root)).toBe(true);
  for (const path of ['src/cli/main.ts', 'src/ledger/a.sql', 'workers/loops.ts', 'simulator/server.ts'])
    write(path, 900);
  cpSync(join(checkout, 'package-lock.json'), join(root, 'package-lock.json'));
  utimesSync(join(root, 'package-lock.json'), 900, 900);
  expect(isFresh(root)).toBe(true);

  // Written again with the same content, as `npm install` does.
  write(join('dist', lockDigest), 1_000, digestOfLock(root));
  utimesSync(join(root, 'package-lock.json'), 1_100, 1_100);
  expect(isFresh(root)).toBe(true);
  write('package-lock.json', 1_100, '{}');
  expect(isFresh(root)).toBe(false);
  write('package-lock.json', 900, '{}');
  expect(isFresh(root)).toBe(true);

  write('src/ledger/a.sql', 1_100);
  expect(isFresh(root)).toBe(false);
  write('src/ledger/a.sql', 900);
  expect(isFresh(root)).toBe(true);
  rmSync(join(root, 'src/ledger/a.sql'));
  expect(isFresh(root)).toBe(false);
  write('src/ledger/a.sql', 900);
  write('scripts/bundle.js', 1_100);
  expect(isFresh(root)).toBe(false);
});
