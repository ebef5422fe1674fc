/**
 * Writes the digests by which the embedded Postgres is checked at its first start (src/embedded/digest-table.ts): for
 * each platform the package of the pinned version is fetched, compared with the lock file, and laid out as in a home.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf, layOut } from '../src/embedded/binaries.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const { optionalDependencies } = read('package.json') as { optionalDependencies: Record<string, string> };
const { packages } = read('package-lock.json') as { packages: Record<string, { integrity: string }> };

function digestOfPackage(name: string, version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-digest-'));
  try {
    const run = (...words: [string, ...string[]]) =>
      execFileSync(words[0], words.slice(1), { cwd: folder, encoding: 'utf8' });
    const file = join(folder, run('npm', 'pack', `${name}@${version}`, '--silent').trim());
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    const wanted = packages[`node_modules/${name}`]?.integrity;
    if (found !== wanted)
      throw new Error(`${name}@${version} is ${found}, but package-lock.json has ${wanted}`);
    run('tar', 'xzf', file);
    layOut(join(folder, 'package'), join(folder, 'home'));
    return digestOf(join(folder, 'home'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const lines = Object.entries(optionalDependencies).map(([name, version]) => {
  const label = `${version}-${name.split('/')[1]}`;
  const digest = digestOfPackage(name, version);
  console.log(`${label} ${digest}`);
  return `  '${label}': '${digest}',`;
});
writeFileSync(
  join(root, 'src/embedded/digest-table.ts'),
  `/** Made by \`npm run digests\`: what each package of the embedded Postgres holds, by its version and platform. */
export const digestTable: Readonly<Record<string, string>> = {
${lines.sort().join('\n')}
};
`,
);
