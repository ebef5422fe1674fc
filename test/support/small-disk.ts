import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few megabytes, in memory, that a test can really fill. It takes the right to mount. */
export type SmallDisk = {
  path: string;
  /** Takes all the room that is left. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  close(): void;
};

let mountable: boolean | undefined;

function isMountable(): boolean {
  try {
    openSmallDisk(1).close();
    return true;
  } catch {
    return false;
  }
}

export function canMountDisks(what: string): boolean {
  mountable ??= isMountable();
  if (mountable) return true;
  const line = `${what}: a small file system cannot be mounted here; run as root, in a container with CAP_SYS_ADMIN`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}

export function openSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'carillon-disk-'));
  const options = `size=${megabytes}m,mode=711`;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'carillon-test', path], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) {
    rmdirSync(path);
    throw new Error(mounted.stderr?.trim() || 'mount cannot be run');
  }
  chmodSync(path, 0o711);
  const filler = join(path, 'filler');
  return {
    path,
    fill() {
      for (let n = 0; ; n++) {
        const { bavail, bsize } = statfsSync(path);
        if (bavail === 0) return;
        try {
          writeFileSync(`${filler}-${n}`, Buffer.alloc(Math.min(bavail * bsize, 64 << 20)));
        } catch (error) {
          // Others write there too, and may have taken what was left.
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    },
    free() {
      for (let n = 0; n < 1_000; n++) rmSync(`${filler}-${n}`, { force: true });
    },
    close() {
      // A process with an open file there keeps the file system until it ends; nobody finds it any more.
      spawnSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}
