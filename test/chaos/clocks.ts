import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Wall clocks that are wrong, a process each: libfaketime reads how far off from a file, which may change meanwhile. */
const libraries = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
  '/usr/lib64/faketime/libfaketimeMT.so.1',
];

/** Undefined where it is not installed. */
export function findClockLibrary(): string | undefined {
  return libraries.find((path) => existsSync(path));
}

export function clockEnv(folder: string, name: string, offSeconds: number): Record<string, string> {
  const library = findClockLibrary();
  if (!library) return {};
  setClock(folder, name, offSeconds);
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: fileOf(folder, name),
    // A change shows after a second at the latest.
    FAKETIME_CACHE_DURATION: '1',
    // A wall clock that is set leaves the steady one as it is.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

export function setClock(folder: string, name: string, offSeconds: number): void {
  writeFileSync(fileOf(folder, name), `${offSeconds < 0 ? '' : '+'}${offSeconds}\n`);
}

const fileOf = (folder: string, name: string) => join(folder, `${name}.clock`);
