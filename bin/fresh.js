// Tells whether the compiled program is as new as what it was made from.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The build writes it last. */
export const entry = join('program', 'main.js');
/** Which packages the build holds: the digest of the lock that it was made by. */
export const lockDigest = join('program', 'lock.txt');

const makers = ['build.js', 'bundle.js', 'notices.js'].map((name) => join('scripts', name));

export function isFresh(root, dist = join(root, 'dist')) {
  const compiled = join(dist, entry);
  if (!existsSync(compiled)) return false;
  // An installed package has no sources.
  if (!existsSync(join(root, 'src', 'cli', 'main.ts'))) return true;
  const built = statSync(compiled).mtimeMs;
  const sources = ['src', 'workers', 'simulator', ...makers];
  return sources.every((path) => newest(join(root, path)) <= built) && hasPackages(root, dist, built);
}

export function digestOfLock(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/** `npm install` writes the lock also where nothing changed. */
function hasPackages(root, dist, built) {
  const lock = join(root, 'package-lock.json');
  if (!existsSync(lock) || statSync(lock).mtimeMs <= built) return true;
  const known = join(dist, lockDigest);
  return existsSync(known) && readFileSync(known, 'utf8') === digestOfLock(root);
}

/** When something in it last changed. A folder counts too, as its time is all that a removed file leaves. */
export function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
