import { chownSync, closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import type { Account } from './account.ts';

/** Writes a small file whole or not at all, readable by the server's account only. */
export function writeAtomically(path: string, text: string, account: Account | undefined): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    // On disk before it gets its name: a power cut must not leave the name without its contents.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (account) chownSync(draft, account.uid, account.gid);
  renameSync(draft, path);
}
