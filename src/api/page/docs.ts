import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type PageFile, packageRoot, readPageFile } from './store.ts';

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
