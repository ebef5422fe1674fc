import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

/** Where Linux keeps files in memory. */
const path = '/dev/shm';
/** The bytes that a run of all tests may leave there at once, with room to spare. */
const leastBytes = 6 * 1024 ** 3;

/**
 * The folder for what the tests write: in memory where there is room for it, or as the system says. Postgres then syncs as
 * it does on a disk, but no test waits for one; a kill leaves the same behind.
 */
export function chooseFolder(env: NodeJS.ProcessEnv): void {
  if (env.TMPDIR === undefined && hasRoom()) env.TMPDIR = path;
}

export const isInMemory = ({ TMPDIR }: NodeJS.ProcessEnv) => TMPDIR?.startsWith(path) ?? false;

function hasRoom(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, at]) => at === path);
    // Containers often have a small one that runs no programs.
    if (!mount?.[3]?.split(',').every((trait) => trait !== 'noexec' && trait !== 'ro')) return false;
    const { bavail, bsize } = statfsSync(path);
    return Math.min(bavail * bsize, freemem()) >= leastBytes;
  } catch {
    return false;
  }
}
