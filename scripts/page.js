// Builds the page into dist/dashboard, or into the folder named by --out: into a temporary folder first, which then
// replaces it as a whole. Only one process builds at a time; one that waited finds the work done.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { newest } from '../bin/fresh.js';
import { isAlive, takeLock } from './build-lock.js';
import { writeNotices } from './notices.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist') }, 'if-stale': { type: 'boolean' } },
});
const out = join(resolve(values.out), 'dashboard');
const lock = `${out}.lock`;

/** Whether it is as new as its sources; the index is written last. */
function isFresh() {
  const index = join(out, 'index.html');
  return existsSync(index) && newest(join(root, 'dashboard')) <= statSync(index).mtimeMs;
}

/** Removes what killed builds left behind. */
function clearUp() {
  for (const name of readdirSync(dirname(out))) {
    const [, pid] = /^dashboard\.(\d+)(?:\.old)?$/.exec(name) ?? [];
    if (pid && !isAlive(Number(pid))) rmSync(join(dirname(out), name), { recursive: true, force: true });
  }
}

/** Styles and fonts are no modules of the output: the sheet names the packages that it takes. */
function modulesOf(output) {
  const sheet = readFileSync(join(root, 'dashboard', 'src', 'styles.css'), 'utf8');
  const styled = [...sheet.matchAll(/^@import "([^"./][^"]*)"/gm)].map(([, name]) =>
    join(root, 'node_modules', name, 'index.css'),
  );
  return [...output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])), ...styled];
}

// Set whatever a test or a shell says: React's other build is twice as large.
process.env.NODE_ENV = 'production';

await takeLock(lock);
clearUp();
const made = `${out}.${process.pid}`;
const old = `${made}.old`;
try {
  if (!values['if-stale'] || !isFresh()) {
    const began = new Date();
    const { build } = await import(pathToFileURL(createRequire(import.meta.url).resolve('vite')).href);
    const { output } = await build({
      configFile: join(root, 'dashboard', 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: made, emptyOutDir: true },
    });
    writeNotices(made, modulesOf(output));
    // A change made during the build is not in it.
    utimesSync(join(made, 'index.html'), began, began);
    if (existsSync(out)) renameSync(out, old);
    renameSync(made, out);
  }
} finally {
  rmSync(made, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
  rmSync(lock, { force: true });
}
