import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { CarillonError } from '../base/errors.ts';

/**
 * What a ledger's schema is made from: migrations, which are applied once, and functions and views, which are created
 * again when they change.
 */
export type Migration = { name: string; text: string; digest: string };

export const migrations: readonly Migration[] = readFolder('migrations').map(({ name, text }) => ({
  name,
  text,
  digest: digestOf(text),
}));

/** In the order of their names: a later file may use what an earlier one makes. */
export const functions = readFolder('functions')
  .map(({ text }) => text)
  .join('\n');
export const functionsDigest = digestOf(functions);

/** A migration that a ledger has. */
export type Applied = Pick<Migration, 'name' | 'digest'>;

/** Which migrations the ledger lacks. Throws when it has others than these. */
export function pendingOf(applied: readonly Applied[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration.digest]));
  if (applied.some(({ name, digest }) => known.get(name) !== digest)) throw foreignLayout();
  const done = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
}

export function foreignLayout(): CarillonError {
  return new CarillonError('ledger-layout', 'This ledger was created by another version of Carillon');
}

function readFolder(name: string): { name: string; text: string }[] {
  const folder = new URL(`./${name}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), text: readFileSync(new URL(file, folder), 'utf8') }));
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
