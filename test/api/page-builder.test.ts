import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { isFresh, startPageBuilder } from '../../src/api/page/builder.ts';
import { createPageStore } from '../../src/api/page/store.ts';

/** The page of a checkout that was not built is built at its first start, once, and whole. */
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const roots: string[] = [];

function newRoot(isInstalled: boolean): string {
  const root = mkdtempSync(join(tmpdir(), 'carillon-page-'));
  roots.push(root);
  for (const name of ['package.json', 'tsconfig.json', 'bin', 'scripts', 'dashboard'])
    cpSync(join(checkout, name), join(root, name), { recursive: true });
  // The page itself takes longer to build than all that is looked at here.
  writeFileSync(join(root, 'dashboard', 'src', 'main.tsx'), 'document.title = "built";\n');
  if (isInstalled) symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  return root;
}

async function start(root: string) {
  const store = createPageStore(root);
  const notes: string[] = [];
  const builder = startPageBuilder({ store, note: (line) => notes.push(line), root });
  return { store, notes, builder };
}

describe('the builder of the page', () => {
  afterEach(() => {
    for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
  });

  it('builds once when two processes start together, and leaves only the build', async () => {
    const root = newRoot(true);
    // Left behind by one that was killed.
    mkdirSync(join(root, 'dist', 'dashboard.999999'), { recursive: true });
    const both = await Promise.all([start(root), start(root)]);
    expect(both[0].store.file('index.html')).toBeUndefined();
    expect(both[0].store.fixed('unbuilt.html').toString()).toContain('not built yet');
    for (const { builder, store, notes } of both) {
      await builder.done;
      expect(notes).toEqual([]);
      expect(store.file('index.html')!.body.toString()).toContain('/assets/');
    }
    expect(readdirSync(join(root, 'dist'))).toEqual(['dashboard']);
    expect(isFresh(root)).toBe(true);

    const later = new Date(Date.now() + 60_000);
    utimesSync(join(root, 'dashboard', 'src', 'main.tsx'), later, later);
    expect(isFresh(root)).toBe(false);
    // A start that ends at once takes its build with it.
    const { builder } = await start(root);
    await builder.close();
    expect(existsSync(join(root, 'dist', 'dashboard', 'index.html'))).toBe(true);
  });

  it('says in one line what to do where the tools are missing', async () => {
    const { builder, notes, store } = await start(newRoot(false));
    await builder.done;
    expect(notes).toEqual([
      expect.stringMatching(/^The page is missing: .*tools are not installed.*npm run build/),
    ]);
    expect(store.file('index.html')).toBeUndefined();
  });

  it('says why where the build fails, and keeps the older one', async () => {
    const root = newRoot(true);
    rmSync(join(root, 'dashboard', 'src', 'main.tsx'));
    cpSync(join(root, 'dashboard', 'static'), join(root, 'dist', 'dashboard'), { recursive: true });
    cpSync(join(root, 'dashboard', 'index.html'), join(root, 'dist', 'dashboard', 'index.html'));
    utimesSync(join(root, 'dist', 'dashboard', 'index.html'), 1, 1);
    const { builder, notes, store } = await start(root);
    await builder.done;
    expect(notes).toEqual([expect.stringMatching(/^The page is an older build: .*main\.tsx/s)]);
    expect(store.file('index.html')).toBeDefined();
  });
});
