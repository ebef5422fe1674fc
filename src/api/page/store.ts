import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FixedAnswer, fix } from '../etag-gzip.ts';

/** The built page, as it is served: read once, kept in memory, and read again when another build replaces it. */
export type PageFile = FixedAnswer & { type: string };

export type PageStore = {
  /** A file by its path in the build, such as `assets/main-4f.js`; undefined when there is none, or no build. */
  file(path: string): PageFile | undefined;
  /** Files written by hand, which exist before any build. */
  fixed(name: string): Buffer;
  /** Reads the build that is there now. */
  load(): void;
};

/**
 * Sources and compiled program are at different depths; only their root has package.json. A copy that was compiled into
 * a folder of its own has none, and its page is next to it.
 */
const above = ['../../../', '../../../../'].map((up) => fileURLToPath(new URL(up, import.meta.url)));
export const packageRoot = above.find((folder) => existsSync(join(folder, 'package.json'))) ?? above[0]!;

export function buildOf(root: string): string {
  return existsSync(join(root, 'package.json')) ? join(root, 'dist', 'dashboard') : join(root, 'dashboard');
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

export function createPageStore(root: string = packageRoot): PageStore {
  const build = buildOf(root);
  const sources = join(root, 'dashboard', 'static');
  let files = new Map<string, PageFile>();

  const store: PageStore = {
    file: (path) => files.get(path),
    // A package has no sources; its build has these files too.
    fixed: (name) => readFileSync(join(existsSync(sources) ? sources : build, name)),
    load() {
      files = existsSync(join(build, 'index.html')) ? readAll(build) : new Map();
    },
  };
  store.load();
  return store;
}

function readAll(folder: string): Map<string, PageFile> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    found.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path).replaceAll(sep, '/'), readPageFile(path)];
    }),
  );
}

function readPageFile(path: string): PageFile {
  return { type: types[extname(path)] ?? 'application/octet-stream', ...fix(readFileSync(path)) };
}

/** The docs as they lie in the package, for readers that are programs: each page by its name below `docs`. */
export type DocsStore = {
  page(name: string): PageFile | undefined;
  /** What the docs have, a line a page. */
  index(): PageFile | undefined;
};

/** Only what was there at the start is found: a name never becomes a path. Each file is read when it is first asked for. */
export function createDocsStore(root: string = packageRoot): DocsStore {
  const folder = join(root, 'docs');
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const paths = new Map(
    names
      .map((name) => name.split(sep).join('/'))
      .filter((name) => /\.(?:md|json)$/.test(name))
      .map((name) => [name, join(folder, name)]),
  );
  const list = join(root, 'llms.txt');
  const known = new Map<string, PageFile>();
  const read = (path: string | undefined): PageFile | undefined => {
    if (path === undefined || !existsSync(path)) return undefined;
    const file = known.get(path) ?? readPageFile(path);
    known.set(path, file);
    return file;
  };
  return { page: (name) => read(paths.get(name)), index: () => read(list) };
}
