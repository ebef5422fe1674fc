import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { wrong } from './keys.ts';

/**
 * CARILLON_HOME: where the embedded ledger is, and what a process keeps on disk. Never relative: from another folder the
 * ledger would look empty, and everyone would be called again.
 */
export function parseHome(text: string | undefined): string {
  const path = text === undefined ? defaultHome() : text.replace(/^~(?=\/|$)/, () => homedir());
  if (isAbsolute(path)) return resolve(path);
  if (text === undefined) throw wrong('CARILLON_HOME', 'is not set, and HOME is not an absolute path');
  throw wrong('CARILLON_HOME', `is not an absolute path: ${text}`, `Write ${resolve(path)} instead.`);
}

function defaultHome(): string {
  return process.getuid?.() === 0 ? '/var/lib/carillon' : join(homedir(), '.carillon');
}
