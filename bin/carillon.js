#!/usr/bin/env node
// Starts the compiled program if it is as new as its sources, otherwise the sources.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { entry, isFresh } from './fresh.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (isFresh(root)) {
  await import(pathToFileURL(join(root, 'dist', entry)).href);
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
  await import(pathToFileURL(join(root, 'src', 'cli', 'main.ts')).href);
}
