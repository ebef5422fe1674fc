import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  blankComments,
  drawArrows,
  findCircles,
  findImports,
  findMutual,
  findUpward,
  type House,
} from './support/house.ts';

/** The architecture: arrows go down, there are no circles, and a few rules keep the code readable. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Every folder's floor. Arrows go down, and sideways only where listed. */
const house: House = {
  floors: {
    'src/base': 1,
    'src/http': 1.5,
    'src/rules': 2,
    'src/voice': 2,
    'src/ledger': 2,
    'src/engine': 2,
    'src/embedded': 2,
    'src/queues': 3,
    'src/lane': 3,
    'src/intake': 3,
    'src/export': 3,
    simulator: 3,
    'src/dispatch': 4,
    'src/run': 5,
    'src/control': 5,
    'src/background': 6,
    'src/ledger-only.ts': 6,
    'src/app.ts': 6,
    'src/open-lanes.ts': 6,
    'src/api': 7,
    workers: 7,
    'src/cli': 7,
    // The library's entry: it must not load the dispatcher.
    'src/index.ts': 7,
    // The API's client runs where nothing else of the program does.
    'src/client': 7,
  },
  beside: [
    'src/run -> src/control',
    // The ledger stores an order in the form that the rules read.
    'src/ledger -> src/rules',
    // The ledger is opened first, by itself if nothing else is needed.
    'src/app.ts -> src/ledger-only.ts',
    'src/app.ts -> src/open-lanes.ts',
    'src/open-lanes.ts -> src/ledger-only.ts',
    // The command line starts everything else.
    'src/cli -> workers',
    'src/cli -> src/api',
  ],
  never: ['* -> src/cli', '* -> src/index.ts', '* -> src/client'],
  only: {
    simulator: ['src/base'],
    'src/client': [],
    'src/index.ts': ['src/voice'],
  },
};

/** Files that may hold a statement of SQL, and why it is not in its own file. */
const inlineSql: Record<string, string> = {
  'src/run/prepare.ts': 'an advisory lock on its own connection',
  'src/embedded/backup.ts': 'what a backup asks of the server itself',
  'src/embedded/lease.ts': 'the advisory locks that show which process is the last to leave',
  'src/embedded/role.ts': 'the transaction around role.sql, and the password that it reads',
  'src/engine/postgres/engine.ts': 'queries about the server itself, and the mark of what is installed',
  'src/engine/postgres/together.ts': 'BullMQ’s own calls of its functions, for several at once',
  'src/engine/postgres/bucket.ts': 'one-line calls of the functions that take.sql creates',
  'src/ledger/database.ts': 'begin, commit and rollback around the statements of others',
  'src/ledger/migrate.ts':
    'what precedes any table: the table of migrations, and the removal of old functions',
  'src/ledger/people/import.ts': 'COPY, whose text is part of its stream, and the clearing of old rejects',
  'src/base/postgres/listener.ts': 'which notices a connection hears',
  'src/base/postgres/pool.ts': 'the settings of a new connection, and the check that it is alive',
  'src/base/postgres/pooler.ts': 'which session of the server answers a connection',
};

/** Made from the description of the API. */
const apiTypes = 'src/client/description.ts';

const files = new Map(
  ['src', 'workers', 'simulator']
    .flatMap((folder) => list(folder))
    .map((path) => [path, read(path)] as const),
);
const code = new Map([...files].filter(([path]) => path.endsWith('.ts')));

describe('the house', () => {
  const arrows = drawArrows(code);

  it('has every file on a floor and no arrow that leads up or sideways', () => {
    expect(findUpward(arrows, house)).toEqual([]);
  });

  it('has no circle, type imports included', () => {
    expect(findCircles(arrows)).toEqual([]);
  });

  it.each(['base', 'rules', 'voice', 'ledger', 'lane', 'dispatch', 'control', 'api', 'cli'])(
    'has no two folders of src/%s that import each other',
    (room) => {
      expect(findMutual(arrows, `src/${room}`)).toEqual([]);
    },
  );

  it('keeps the page apart: it imports its own files, packages and the types of the client only, without circles', () => {
    const page = list('dashboard/src').map((path) => [path, read(path)] as const);
    // An import of anything else is reported as not being a source file.
    const pageArrows = drawArrows(new Map([...page, [apiTypes, read(apiTypes)]]));
    expect(findCircles(pageArrows)).toEqual([]);
    for (const room of ['dashboard/src', 'dashboard/src/pages'])
      expect(findMutual(pageArrows, room)).toEqual([]);
    expect(page.filter(([, text]) => text.split('\n').length > 301).map(([path]) => path)).toEqual([]);
    expect(page.filter(([, text]) => /^export default\b/m.test(text)).map(([path]) => path)).toEqual([]);
  });

  it('reads the environment only in the settings and at the command line', () => {
    const readers = filesWith(/\bprocess\.env\b|\bprocess\[['"]env|\benv\b[^;\n]*from 'node:process'/);
    expect(
      readers.filter((path) => path !== 'src/base/config/config.ts' && !path.startsWith('src/cli/')),
    ).toEqual([]);
  });

  it('has no default exports', () => {
    expect(filesWith(/^export default\b|^export \{[^}]*\bas default\b/m)).toEqual([]);
  });

  it('has no file for odds and ends', () => {
    const drawer = /^(?:types|interfaces|utils?|helpers?|common|misc)\.(?:[cm]?[jt]sx?)$/;
    const everywhere = ['src', 'workers', 'simulator', 'test', 'scripts', 'bench', 'dashboard/src'].flatMap(
      (folder) => list(folder),
    );
    expect(everywhere.filter((path) => drawer.test(basename(path)))).toEqual([]);
  });

  it('keeps SQL in its own files', () => {
    const start =
      /[`'"]\s*(?:select\s+[\w*(]|insert\s+into|update\s+[\w."]+\s+set|delete\s+from|truncate\s|(?:create|alter|drop)\s+(?:table|index|schema|database|role|user|function|extension)|with\s+\w+\s+as\s*\(|(?:begin|commit|rollback)\b|(?:un)?listen\s|copy\s+\w+\s)/i;
    const found = filesWith(start);
    // An exception that is no longer needed must go too.
    expect(found.sort()).toEqual(Object.keys(inlineSql).sort());
  });

  it('has no source file of more than 300 lines', () => {
    const long = [...files]
      // A migration is one piece and never changes once it is released; the catalogue of errors is data; rows.ts and the client's types are made.
      .filter(
        ([path]) =>
          !/\/migrations\/|\/error-catalogue\.ts$|\/ledger\/rows\.ts$/.test(path) && path !== apiTypes,
      )
      .map(([path, text]) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > 300);
    expect(long).toEqual([]);
  });

  it('gives each type a name of its own', () => {
    const homes = new Map<string, string[]>();
    // The simulator is the service's side, and the API's types are that of its callers: their shapes are their own.
    const ours = [...code].filter(([path]) => !path.startsWith('simulator/') && path !== apiTypes);
    for (const [path, text] of ours) {
      for (const [, name] of text.matchAll(/^export (?:type|interface|class) (\w+)/gm)) {
        homes.set(name!, [...(homes.get(name!) ?? []), path]);
      }
    }
    // A caller number is the same for an order and for the service's client, which share no floor below them.
    homes.delete('Caller');
    expect(homes.size).toBeGreaterThan(200);
    expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  it('keeps clock, randomness and I/O out of the rules', () => {
    const rules = [...code].filter(([path]) => path.startsWith('src/rules/'));
    expect(rules.length).toBeGreaterThan(0);
    const impure = rules.filter(([, text]) =>
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|from 'node:|\bfetch\(/.test(
        blankComments(text),
      ),
    );
    expect(impure.map(([path]) => path)).toEqual([]);
  });

  it('knows what a service answered by our own words: no status code leaves the border', () => {
    const read =
      /\b(?:fault|answer|placed)\??\.status\b|\{[^{}]*\bstatus\b[^{}]*\} = (?:await )?(?:fault|answer)\b|\bstatus (?:[=!]==|[<>]=?) [1-5]\d\d\b/;
    const readers = filesWith(read).filter(
      (path) => !/^(?:simulator|src\/(?:http|voice|api|client))\//.test(path),
    );
    // Webhooks of our own go to receivers, whose answers are not a service's.
    expect(readers.filter((path) => !/^src\/(?:control|background)\/webhooks\//.test(path))).toEqual([]);
  });

  it('says what Troubleshooting quotes', () => {
    const program = [...code.values()].join('\n');
    const seen = [...read('docs/guides/troubleshooting.md').matchAll(/^\| (.*?) \|/gm)].map((row) => row[1]!);
    // Three dots, and words in capitals, stand for what differs.
    const parts = seen
      .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)])
      .flatMap((quote) => quote[1]!.split(/\.\.\.|\b[A-Z]{3,}\b/))
      .map((part) => part.replace(/^[ ,:;]+|[ ,:;]+$/g, ''));
    expect(parts.length).toBeGreaterThan(40);
    expect(parts.filter((part) => !program.includes(part))).toEqual([]);
  });

  it('uses the signals of BullMQ in only one file', () => {
    expect(filesWith(/\b(?:DelayedError|RateLimitError)\b/)).toEqual(['src/queues/worker.ts']);
  });
});

/** Tests of the checker: a rule that cannot fail proves nothing. */
describe('the checker of the house', () => {
  const made = (sources: Record<string, string>) => drawArrows(new Map(Object.entries(sources)));
  const small: House = {
    floors: { low: 1, left: 2, right: 2, 'top.ts': 3 },
    beside: ['right -> left'],
    never: ['* -> top.ts'],
    only: { left: ['low'] },
  };

  it('reads every form of import', () => {
    const source = [
      `import one from './one.ts';`,
      `import type { Two } from './two.ts';`,
      `import {\n  three,\n  type Three,\n} from './three.ts';`,
      `import * as four from './four.ts';`,
      `import './five.ts';`,
      `export type { Six } from './six.ts';`,
      `export * from './seven.ts';`,
      `const eight = await import('./eight.ts');`,
      `type Nine = import('./nine.ts').Nine;`,
      `// import { ten } from './ten.ts';`,
      `/*\nimport { eleven } from './eleven.ts';\n*/`,
      `export const text = "import { twelve } from './twelve.ts'";`,
      `export function read() {}\nconst url = 'https://a.example/'; const where = "from './thirteen.ts'";`,
      `const people = { async import(rows: string[]) { return rows; } }; people.import([]);`,
    ].join('\n');
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
    expect(findImports('a.ts', source).map((each) => each.from)).toEqual(names.map((name) => `./${name}.ts`));
  });

  it('reports an import that it cannot read', () => {
    expect(() => findImports('a.ts', 'import what = something;')).toThrow('a.ts:1');
    expect(() => findImports('a.ts', '\nconst x = await import(name);')).toThrow('a.ts:2');
    expect(() => made({ 'low/a.ts': `import './gone.ts';` })).toThrow('low/a.ts:1');
  });

  it('allows arrows down, within a folder, and sideways where listed', () => {
    const arrows = made({
      'low/a.ts': `import './b.ts';`,
      'low/b.ts': '',
      'left/a.ts': `import type { A } from '../low/a.ts';`,
      'right/a.ts': `import { l } from '../left/a.ts';`,
      'top.ts': `import './right/a.ts';`,
    });
    expect(findUpward(arrows, small)).toEqual([]);
    expect(findCircles(arrows)).toEqual([]);
  });

  it.each([
    ['up', { 'low/a.ts': `import type { L } from '../left/a.ts';`, 'left/a.ts': '' }, 'low -> left leads up'],
    ['up to the roof', { 'right/a.ts': `import '../top.ts';`, 'top.ts': '' }, 'right -> top.ts is forbidden'],
    ['sideways', { 'left/a.ts': `import '../right/a.ts';`, 'right/a.ts': '' }, 'left may import only low'],
    ['out of the house', { 'shed/a.ts': '' }, 'shed/a.ts is not on any floor'],
  ])('finds an arrow that leads %s', (_name, sources, fault) => {
    expect(findUpward(made(sources as Record<string, string>), small).join()).toContain(fault);
  });

  it('finds an arrow that leads sideways without another rule against it', () => {
    const arrows = made({ 'left/a.ts': `import '../right/a.ts';`, 'right/a.ts': '' });
    const fault = findUpward(arrows, { ...small, only: {} });
    expect(fault).toEqual(['left/a.ts imports right/a.ts: left -> right leads sideways']);
  });

  it('finds two folders that import each other', () => {
    const arrows = made({
      'low/one/a.ts': `import '../two/a.ts';`,
      'low/two/a.ts': '',
      'low/two/b.ts': `import '../one/b.ts';`,
      'low/one/b.ts': '',
    });
    expect(findMutual(arrows, 'low')).toEqual([
      'low/one/a.ts -> low/two/a.ts, and low/two/b.ts -> low/one/b.ts',
    ]);
  });

  it('finds a circle of only type imports, and a file that imports itself', () => {
    const round = made({
      'low/a.ts': `import type { B } from './b.ts';`,
      'low/b.ts': `import type { C } from './c.ts';`,
      'low/c.ts': `import type { A } from './a.ts';`,
    });
    expect(findCircles(round)).toEqual(['low/a.ts -> low/b.ts -> low/c.ts -> low/a.ts']);
    expect(findCircles(made({ 'low/a.ts': `import './a.ts';` }))).toEqual(['low/a.ts -> low/a.ts']);
  });
});

function filesWith(pattern: RegExp): string[] {
  return [...code].filter(([, text]) => pattern.test(blankComments(text))).map(([path]) => path);
}

function list(folder: string): string[] {
  let entries: { name: string; parentPath: string; isFile(): boolean }[];
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]sx?|css|sql|lua)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.includes('node_modules'))
    .sort();
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
