import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, statfsSync } from 'node:fs';

/** Facts about this machine: which boot this is, and whether a file is on a local disk. */

/** Identifies one boot of the machine: the same for all processes, never used again; null if it cannot be known. */
export function bootId(): string | null {
  boot ??= { id: readBoot() };
  return boot.id;
}
let boot: { id: string | null } | undefined;

function readBoot(): string | null {
  if (process.platform === 'linux') return readLine('/proc/sys/kernel/random/boot_id');
  return process.platform === 'darwin' ? ask('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']) : null;
}

/** Survives restarts of the machine; null if it has none. */
export function machineId(): string | null {
  if (process.platform === 'linux') return readLine('/etc/machine-id');
  const shown = ask('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
  return /"IOPlatformUUID" = "([^"]+)"/.exec(shown ?? '')?.[1] ?? null;
}

/** The Linux file systems that are local to this kernel: every process reads what another one wrote. */
const localKinds = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x3153464a, // jfs
  0x52654973, // reiserfs
]);

export function isLocalKind(kind: number): boolean {
  return localKinds.has(kind >>> 0);
}

/** False if it cannot be known: a network file system may show one machine less than another wrote. */
export function isLocalFile(path: string): boolean {
  try {
    if (process.platform === 'linux') return isLocalKind(statfsSync(path).type);
    return process.platform === 'darwin' && isLocalMount(realpathSync(path), ask('/sbin/mount', []) ?? '');
  } catch {
    return false;
  }
}

/** Reads what `mount` prints on macOS: `/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)`. */
export function isLocalMount(path: string, mounts: string): boolean {
  const found = [...mounts.matchAll(/ on (\/.*) \((.*)\)$/gm)]
    .map(([, at, traits]) => ({ at: at!, traits: traits!.split(', ') }))
    .filter(({ at }) => at === '/' || path === at || path.startsWith(`${at}/`))
    .sort((a, b) => b.at.length - a.at.length)[0];
  return found?.traits.includes('local') ?? false;
}

/** What a small file of the system holds; null if it is empty or cannot be read. */
export function readLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function ask(command: string, words: string[]): string | null {
  const { stdout } = spawnSync(command, words, { encoding: 'utf8', timeout: 2_000 });
  return stdout?.trim() || null;
}
