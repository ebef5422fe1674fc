// Puts the compiled commands into fewer files, below dist/program: they are made of five hundred, and to find and read these
// took a sixth of the time of a short `run`. Those who import the package still get the compiled files one by one.
import { basename, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { entry } from '../bin/fresh.js';

const marker = 'packages:';
/** As `packages.js` writes them. A checkout may itself stand in a folder of that name. */
const links = /^(\.\.\/)+packages\/[^/]+$/;

export async function bundleProgram(dist) {
  const folder = join(dist, 'program');
  const build = await rolldown({
    cwd: dist,
    input: { [basename(entry, '.js')]: join(dist, 'src', 'cli', 'main.js') },
    platform: 'node',
    plugins: [createLinks(folder)],
  });
  try {
    await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      paths: (id) => (id.startsWith(marker) ? `../packages/${id.slice(marker.length)}` : id),
    });
  } finally {
    await build.close();
  }
}

/** Separate files: the packages, and the files that are read from beside their module. */
function createLinks(folder) {
  return {
    name: 'links',
    resolveId(id) {
      if (links.test(id)) return { id: `${marker}${basename(id)}`, external: true };
      return /^[./]/.test(id) ? null : { id, external: true };
    },
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const place = relative(folder, id).split(sep).join('/');
      return code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`);
    },
  };
}
