#!/usr/bin/env node
// Starts the compiled program if it is as new as its sources, otherwise the sources.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiled = join(root, 'dist', 'src', 'cli', 'main.js');
const source = join(root, 'src', 'cli', 'main.ts');

function newest(folder) {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

function isFresh() {
  if (!existsSync(compiled)) return false;
  if (!existsSync(source)) return true;
  const built = statSync(compiled).mtimeMs;
  return ['src', 'workers', 'simulator'].every((folder) => newest(join(root, folder)) <= built);
}

if (isFresh()) {
  await import(pathToFileURL(compiled).href);
} else {
  let loader;
  try {
    loader = await import('tsx/esm/api');
  } catch {
    process.stderr.write(
      'carillon: this checkout is not built and lacks packages to run its sources. Run `npm install` in it.\n',
    );
    process.exit(1);
  }
  loader.register();
  await import(pathToFileURL(source).href);
}
