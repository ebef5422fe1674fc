import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { pageAddresses } from '../src/api/routes/pages.ts';

/** The page stays light: a size is not a timing, so a test may hold it. */
const root = fileURLToPath(new URL('..', import.meta.url));
const build = join(root, 'dist', 'dashboard');

type Chunk = { file: string; css?: string[]; imports?: string[] };

const packed = (file: string) => gzipSync(readFileSync(join(build, file)), { level: 9 }).length;
const sum = (files: Iterable<string>) => [...files].reduce((total, file) => total + packed(file), 0);

describe('the built page', () => {
  let manifest: Record<string, Chunk>;
  let assets: string[];
  beforeAll(() => {
    execFileSync(process.execPath, [join(root, 'scripts', 'page.js'), '--if-stale']);
    manifest = JSON.parse(readFileSync(join(build, '.vite', 'manifest.json'), 'utf8'));
    assets = readdirSync(join(build, 'assets')).map((name) => `assets/${name}`);
  });

  /** A file with all that it needs at once. */
  function closure(wanted: string, seen = new Set<string>()): Set<string> {
    seen.add(wanted);
    const { css = [], imports = [] } = Object.values(manifest).find(({ file }) => file === wanted) ?? {};
    for (const each of css) seen.add(each);
    for (const each of imports) if (!seen.has(manifest[each]!.file)) closure(manifest[each]!.file, seen);
    return seen;
  }

  it('shows its first screen with at most 140 KB, gzipped, the search and the live link with it', () => {
    const worker = assets.filter((file) => /worker-/.test(file));
    expect(worker).toHaveLength(1);
    const html = readFileSync(join(build, 'index.html'), 'utf8');
    const asked = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file!);
    const search = manifest['src/shell/search.tsx']!.file;
    const first = [...asked, search].flatMap((file) => [...closure(file)]);
    expect(sum(new Set([...first, ...worker, 'index.html']))).toBeLessThanOrEqual(140 * 1_024);
  });

  it('weighs at most 400 KB with all its pages, gzipped', () => {
    expect(sum(assets)).toBeLessThanOrEqual(400 * 1_024);
  });

  it('has no inline script and no inline style in its markup', () => {
    const html = readFileSync(join(build, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)/);
  });
});

describe('the page’s addresses', () => {
  it('are those that the server answers with the page', () => {
    const router = readFileSync(join(root, 'dashboard', 'src', 'router.tsx'), 'utf8');
    const named = [...router.matchAll(/(?:page\(|path:)\s*'\/([\w-]*)/g)].map(([, name]) => name!);
    expect(new Set(named)).toEqual(new Set(['', ...pageAddresses]));
  });
});
