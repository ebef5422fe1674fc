/**
 * Runs the property tests again and again with new cases: `npm run fuzz -- --minutes 20`. It prints what ran, how many
 * cases each property had, and for a failure the seed that draws the same cases again. FUZZ_RUNS=5 draws five times as
 * many in each property.
 *
 * With files it looks for tests that fail by chance: `npm run fuzz -- test/browser --times 50 --load 0,3,6` runs them as
 * they are, 50 times beside each number of busy loops, and lists what failed, how often and why.
 */
import { type ChildProcess, spawn } from 'node:child_process';
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
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    times: { type: 'string', default: '10' },
    load: { type: 'string', default: '0' },
  },
  allowPositionals: true,
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

async function runOnce(args: readonly string[], env: NodeJS.ProcessEnv, folder: string): Promise<Told> {
  const out = join(folder, 'told.json');
  const all = ['vitest', 'run', ...args, '--reporter=json', `--outputFile=${out}`];
  const options = { cwd: root, env: { ...process.env, ...env } };
  rmSync(out, { force: true });
  const child = spawn('npx', all, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  return JSON.parse(readFileSync(out, 'utf8'));
}

/** What failed, by the name of its test; a file that did not load failed as a whole. */
function failuresOf({ testResults }: Told): [test: string, why: string][] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.slice(root.length);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [[file, message]];
    return failed.map(({ fullName, failureMessages }): [string, string] => [
      `${file}: ${fullName}`,
      failureMessages.join('\n'),
    ]);
  });
}

/** A loop that keeps a core busy until it is killed, or whoever started it is gone. */
const keepBusy = () =>
  spawn(process.execPath, ['-e', 'const by = process.ppid; while (process.ppid === by);'], {
    stdio: 'ignore',
  });

async function repeat(files: readonly string[], times: number, loads: readonly number[], folder: string) {
  const failures = new Map<string, { count: number; why: string }>();
  const busy: ChildProcess[] = [];
  try {
    for (const load of loads) {
      while (busy.length < load) busy.push(keepBusy());
      while (busy.length > load) busy.pop()!.kill('SIGKILL');
      for (let round = 1; round <= times; round += 1) {
        const startedAt = performance.now();
        const told = await runOnce([...files, '--maxWorkers=2'], {}, folder);
        const failed = failuresOf(told);
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
        console.log(
          `load ${load}, round ${round}: ${told.numTotalTests} tests, ${failed.length} failed, ${seconds} s`,
        );
        for (const [test, why] of failed) {
          console.log(`${test}\n${why}`);
          const at = `load ${load}: ${test}`;
          failures.set(at, { count: (failures.get(at)?.count ?? 0) + 1, why: why.split('\n', 1)[0]! });
        }
      }
    }
  } finally {
    for (const loop of busy) loop.kill('SIGKILL');
  }
  for (const [at, { count, why }] of failures) console.log(`${count} of ${times} at ${at}: ${why}`);
  console.log(`${times} rounds at each load, ${failures.size} tests failed`);
  return failures.size;
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

async function drawNew(folder: string): Promise<number> {
  const files = propertyFiles();
  const end = Date.now() + minutes * 60_000;
  const again: string[] = [];
  let rounds = 0;
  let tests = 0;
  console.log(`${files.length} files of properties, for ${minutes} min`);
  do {
    const seed = String(values.seed ?? Math.floor(Math.random() * 2 ** 31));
    const env = { FUZZ_SEED: seed, FUZZ_RUNS: runs, FUZZ_COUNTS: countsIn(folder) };
    const told = await runOnce(files, env, folder);
    rounds += 1;
    tests += told.numTotalTests;
    const failed = failuresOf(told);
    console.log(`seed ${seed}: ${told.numTotalTests} tests, ${failed.length} failed`);
    for (const [test, why] of failed) console.log(`${test}\n${why}`);
    if (failed.length > 0)
      again.push(`FUZZ_SEED=${seed} FUZZ_RUNS=${runs} npx vitest run ${files.join(' ')}`);
  } while (Date.now() < end && values.seed === undefined);
  const counts = readCounts(folder);
  for (const [property, cases] of [...counts].sort())
    console.log(`${String(cases).padStart(9)}  ${property}`);
  const cases = [...counts.values()].reduce((sum, each) => sum + each, 0);
  console.log(
    `${rounds} rounds, ${tests} tests, ${cases} cases of ${counts.size} properties, ${again.length} rounds failed`,
  );
  for (const line of again) console.log(`Again: ${line}`);
  return again.length;
}

const folder = mkdtempSync(join(tmpdir(), 'carillon-fuzz-'));
try {
  const loads = values.load.split(',').map(Number);
  const failed = await (positionals.length > 0
    ? repeat(positionals, Number(values.times), loads, folder)
    : drawNew(folder));
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
