import { readdirSync } from 'node:fs';

/** The names of the migrations that this version has, in their order. */
export function migrationNames(): string[] {
  return readdirSync(new URL('./migrations/', import.meta.url))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -4))
    .sort();
}
