/**
 * Runs the property tests again and again with new cases: `npm run fuzz -- --minutes 20`. It prints what ran, how many
 * cases each property had, and for a failure the seed that draws the same cases again. FUZZ_RUNS=5 draws five times as
 * many in each property.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

type Told = {
  numTotalTests: number;
  testResults: {
    name: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
  allowPositionals: false,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, not ${values.minutes}`);

/** Files whose cases come from the seed; a file with a seed of its own would run the same cases each time. */
function propertyFiles(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => {
      const text = readFileSync(join(root, 'test', path), 'utf8');
      return /from 'fast-check'|support\/property/.test(text) && !/\bseed: [\d_]+/.test(text);
    })
    .map((path) => join('test', path))
    .sort();
}

async function runOnce(files: readonly string[], seed: number, folder: string): Promise<Told> {
  const out = join(folder, `${seed}.json`);
  const args = ['vitest', 'run', ...files, '--reporter=json', `--outputFile=${out}`];
  const env = { ...process.env, FUZZ_SEED: String(seed), FUZZ_RUNS: runs, FUZZ_COUNTS: countsIn(folder) };
  const child = spawn('npx', args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  return JSON.parse(readFileSync(out, 'utf8'));
}

const countsIn = (folder: string) => join(folder, 'counts');

/** Cases by property: a file and the name of its test. */
function readCounts(folder: string): Map<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(countsIn(folder))) return counts;
  for (const line of readFileSync(countsIn(folder), 'utf8').trim().split('\n')) {
    const [file, test, cases] = JSON.parse(line) as [string, string, number];
    counts.set(`${file}: ${test}`, (counts.get(`${file}: ${test}`) ?? 0) + cases);
  }
  return counts;
}

const runs = process.env.FUZZ_RUNS ?? '5';
const files = propertyFiles();
const folder = mkdtempSync(join(tmpdir(), 'carillon-fuzz-'));
const end = Date.now() + minutes * 60_000;
const failures: string[] = [];
let counts = new Map<string, number>();
let rounds = 0;
let tests = 0;
console.log(`${files.length} files of properties, for ${minutes} min`);
try {
  do {
    const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
    const told = await runOnce(files, seed, folder);
    rounds += 1;
    tests += told.numTotalTests;
    const failed = told.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(
          ({ fullName, failureMessages }) => `${name.slice(root.length)}: ${fullName}\n${failureMessages[0]}`,
        ),
    );
    console.log(`seed ${seed}: ${told.numTotalTests} tests, ${failed.length} failed`);
    for (const each of failed) console.log(each);
    if (failed.length > 0)
      failures.push(`FUZZ_SEED=${seed} FUZZ_RUNS=${runs} npx vitest run ${files.join(' ')}`);
  } while (Date.now() < end && values.seed === undefined);
} finally {
  counts = readCounts(folder);
  rmSync(folder, { recursive: true, force: true });
}
for (const [property, cases] of [...counts].sort()) console.log(`${String(cases).padStart(9)}  ${property}`);
const cases = [...counts.values()].reduce((sum, each) => sum + each, 0);
console.log(
  `${rounds} rounds, ${tests} tests, ${cases} cases of ${counts.size} properties, ${failures.length} rounds failed`,
);
for (const again of failures) console.log(`Again: ${again}`);
process.exitCode = failures.length > 0 ? 1 : 0;
