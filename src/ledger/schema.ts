import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { CarillonError } from '../base/errors.ts';

/**
 * The sources of a ledger's schema: migrations, which are applied once, and functions and views, which are created
 * again when they change.
 */
type Migration = { name: string; text: string; digest: string };

export const migrations: readonly Migration[] = readdirSync(new URL('migrations/', import.meta.url))
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => {
    const text = readText(`migrations/${file}`);
    return { name: file.slice(0, -4), text, digest: digestOf(text) };
  });

/** The order in which they are created: a later file may use what an earlier one creates. */
export const functionFiles = [
  'campaigns',
  'attempts',
  'recipients',
  'suppress',
  'phones',
  'moves',
  'tallies',
  'end_attempts',
  'lost_history',
  'lost_people',
  'policies',
  'processes',
  'open_attempts',
  'tries',
  'caller_numbers',
  'reports',
  'budgets',
  'claim_people',
  'plan_attempts',
  'people',
  'events',
  'activity',
  'search',
  'alerts',
  'erase',
];
export const functions = functionFiles.map((name) => readText(`functions/${name}.sql`)).join('\n');
export const functionsDigest = digestOf(functions);

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

function readText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
