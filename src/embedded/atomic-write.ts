import { renameSync, rmSync } from 'node:fs';
import { writeNew } from '../base/disk-errors.ts';
import type { Account } from './account.ts';

/** Writes a small file whole or not at all, readable by the server's account only. */
export function writeAtomically(path: string, text: string, account: Account | undefined): void {
  const draft = `${path}.draft`;
  // Only a file of our own is written: a link that somebody left under this name would lead elsewhere. It is synced
  // before it gets its name, because a power cut must not leave the name without its contents.
  rmSync(draft, { force: true });
  writeNew(draft, text, 0o600, { owner: account });
  renameSync(draft, path);
}
