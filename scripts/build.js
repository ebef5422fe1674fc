// Compiles to dist/, or to the folder named by --out, copies the files that are read at run time (SQL, Lua), and builds
// the page.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// `--quick` does not check the types, and writes no declarations: for harnesses, whose sources were checked before.
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist') }, quick: { type: 'boolean' } },
});
const dist = resolve(values.out);
rmSync(dist, { recursive: true, force: true });

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const project = ['-p', join(root, 'tsconfig.build.json'), '--outDir', dist];
if (values.quick) project.push('--noCheck', '--declaration', 'false');
const result = spawnSync(process.execPath, [tsc, ...project], { stdio: 'inherit' });
if (result.status !== 0) process.exit(result.status ?? 1);

function copyAssets(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) copyAssets(path);
    else if (/\.(sql|lua|html|css|svg)$/.test(entry.name)) cpSync(join(root, path), join(dist, path));
  }
}
copyAssets('src');

// The page, by its own tools.
const page = spawnSync(process.execPath, [join(root, 'scripts', 'page.js'), '--out', dist], {
  stdio: 'inherit',
});
if (page.status !== 0) process.exit(page.status ?? 1);

// The entry file gets the time of the build: bin/carillon.js compares it with the sources.
const now = new Date();
utimesSync(join(dist, 'src', 'cli', 'main.js'), now, now);
