import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** The checkout that is tested, and folders beside it that a test may fill. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');
export const readJson = <T>(path: string): T => JSON.parse(read(path)) as T;

export const { version } = readJson<{ version: string }>('package.json');

/** An empty folder that goes with the test file. */
export function emptyFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `carillon-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
