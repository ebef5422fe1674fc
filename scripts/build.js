// Bundles program and library into dist/, or into the folder named by --out, with the files that are read at run time
// (SQL, Lua) and the library's types, and builds the page. All but the page is made in a temporary folder, which then
// takes its place.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { entry, isFresh, newest } from '../bin/fresh.js';
import { isAlive, takeLock } from './build-lock.js';
import { bundle } from './bundle.js';
import { readNotices } from './notices.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// `--quick` writes no types and no bill of materials, for test harnesses.
// `--if-stale` does nothing if the program is as new as its sources. `--no-page` leaves the page as it is.
const { values } = parseArgs({
  allowNegative: true,
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    quick: { type: 'boolean' },
    'if-stale': { type: 'boolean' },
    page: { type: 'boolean', default: true },
  },
});
const dist = resolve(values.out);
const lock = join(dist, 'build.lock');
const made = join(dist, `made.${process.pid}`);

function run(script, args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
}

function declare() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  run(tsc, ['-p', join(root, 'tsconfig.build.json'), '--outDir', made]);
}

/** Lists the packages that program and page hold, and those that npm installs beside them. */
function listMaterials() {
  // npm does not follow a link to the packages' folder; `--omit=dev` would leave out packages that one of our tools
  // uses as well.
  const cwd = dirname(realpathSync(join(root, 'node_modules')));
  const args = ['sbom', '--sbom-format', 'cyclonedx'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr}`);
  const bill = JSON.parse(stdout);
  const held = ['program', 'dashboard'].flatMap((folder) => readNotices(join(dist, folder)));
  const used = new Set([...held, ...installedBeside()]);
  // npm names it after the folder.
  bill.metadata.component.name = 'carillon';
  bill.components = bill.components.filter(({ name, version }) => used.has(`${name}@${version}`));
  const listed = new Set([bill.metadata.component, ...bill.components].map((one) => one['bom-ref']));
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => listed.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => listed.has(one)) }));
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 1)}\n`);
}

/** A package that others only work with is not installed, unless one of our tools needs it. */
function installedBeside() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const used = Object.entries(packages).filter(([, { dev }]) => !dev);
  const needed = new Set(
    used.flatMap(([, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }),
    ),
  );
  return used
    .map(([path, { version }]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), version }))
    .filter(({ name }) => needed.has(name))
    .map(({ name, version }) => `${name}@${version}`);
}

function copyAssets(folder) {
  for (const found of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, found.name);
    if (found.isDirectory()) copyAssets(path);
    else if (/\.(sql|lua|json)$/.test(found.name)) cpSync(join(root, path), join(made, path));
  }
}

/** Removes what killed builds left behind, and what older ones made. The page is built by its own script. */
function clearUp(kept) {
  for (const name of readdirSync(dist)) {
    const [, pid] = /^made\.(\d+)$/.exec(name) ?? [];
    const isOurs = kept.includes(name) || /^dashboard|\.lock$/.test(name) || (pid && isAlive(Number(pid)));
    if (!isOurs) rmSync(join(dist, name), { recursive: true, force: true });
  }
}

function takePlace() {
  const old = join(made, 'old');
  mkdirSync(old);
  const parts = readdirSync(made).filter((name) => name !== 'old');
  // The folder with the entry is removed first and added last: a start in between runs the sources.
  const ordered = parts.sort((a, b) => Number(a === dirname(entry)) - Number(b === dirname(entry)));
  const present = new Set(readdirSync(dist));
  for (const name of ordered.toReversed())
    if (present.has(name)) renameSync(join(dist, name), join(old, name));
  for (const name of ordered) renameSync(join(made, name), join(dist, name));
  rmSync(made, { recursive: true });
  clearUp(parts);
}

/** Types that are made from the API's description; the architecture's test reads them too. */
function writeTypes() {
  const path = (...parts) => join(root, ...parts);
  if (newest(path('src', 'client', 'description.ts')) >= newest(path('docs', 'reference', 'openapi.json')))
    return;
  run('--import', ['tsx', path('scripts', 'client-types.ts')]);
}

await takeLock(lock);
try {
  writeTypes();
  if (!values['if-stale'] || !isFresh(root, dist)) {
    const began = new Date();
    if (!values.quick) declare();
    copyAssets('src');
    await bundle(root, made);
    // A change made during the build is not in it: bin/fresh.js compares this time with the sources.
    utimesSync(join(made, entry), began, began);
    takePlace();
  }
  if (values.page) run(join(root, 'scripts', 'page.js'), ['--out', dist]);
  if (!values.quick) listMaterials();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(made, { recursive: true, force: true });
  rmSync(lock, { force: true });
}
