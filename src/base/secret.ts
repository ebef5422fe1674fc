import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { makeFolder, readNamedFile, writeNew } from './disk-errors.ts';
import { CarillonError } from './errors.ts';

/** The secret of this installation: CARILLON_SECRET, or one that is made in CARILLON_HOME when it is first needed. */
export function readSecret({ secret, home }: Pick<Config, 'secret' | 'home'>): string {
  return knownSecret({ secret, home }) ?? makeFile(home);
}

/** The same, or undefined if none has been needed yet. */
export function knownSecret({ secret, home }: Pick<Config, 'secret' | 'home'>): string | undefined {
  return secret ?? readFile(join(home, secretFile));
}

export const secretFile = 'secret';

/** Writes the whole file under another name first: two processes that start together then read the same one. */
function makeFile(home: string): string {
  const path = join(home, secretFile);
  const draft = `${path}.${randomUUID()}`;
  try {
    makeFolder(home, 0o700);
    writeNew(draft, `${randomBytes(32).toString('base64url')}\n`, 0o600);
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    throw new CarillonError(
      'config-invalid',
      `A secret cannot be made in ${path}: ${(error as Error).message}`,
      {
        remedy: 'Set CARILLON_SECRET, or let this user write to CARILLON_HOME.',
        cause: error,
      },
    );
  }
  return readFile(path)!;
}

function readFile(path: string): string | undefined {
  let text: string;
  try {
    text = readNamedFile(path).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CarillonError(
      'config-invalid',
      `The secret in ${path} cannot be read: ${(error as Error).message}`,
      {
        remedy: 'Set CARILLON_SECRET, or let this user read the file.',
        cause: error,
      },
    );
  }
  if (text.length >= 16) return text;
  throw new CarillonError('config-invalid', `The secret in ${path} is shorter than 16 characters`, {
    remedy: 'Restore the file from a backup, or remove it to have a new one made.',
  });
}
