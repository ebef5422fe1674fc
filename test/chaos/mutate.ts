import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyTo, type Mutation, mutations } from './mutations.ts';
import { root } from './stage.ts';

/** Removes one safeguard at a time, on a copy, and checks that the harness or a named test notices. */
export function runMutations(say: (line: string) => void, only: string | null): boolean {
  let all = true;
  for (const mutation of mutations) {
    if (only && !mutation.name.includes(only)) continue;
    const began = performance.now();
    const caught = tryMutation(mutation);
    all &&= caught.length > 0;
    const seconds = Math.round((performance.now() - began) / 1_000);
    say(`${caught.length > 0 ? 'CAUGHT ' : 'MISSED '} ${mutation.name} (${seconds} s)`);
    for (const words of caught) say(`        by ${words}`);
    if (mutation.behind) say(`        not by a storm: ${mutation.behind}`);
  }
  return all;
}

/** The tests that noticed; an empty list means that none did. */
function tryMutation(mutation: Mutation): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'carillon-mutant-'));
  const caught: string[] = [];
  try {
    const whole = [
      'src',
      'workers',
      'simulator',
      'bin',
      'scripts',
      'test',
      'bench',
      'docs',
      'dashboard',
      'examples',
    ];
    const files = [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'vitest.config.ts',
    ];
    const isSource = (path: string) =>
      !path.includes(join('chaos', 'results')) && !path.includes('node_modules');
    for (const name of [...whole, ...files])
      cpSync(join(root, name), join(copy, name), { recursive: true, filter: isSource });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    applyTo(copy, mutation.changes);
    for (const test of mutation.tests) {
      const ran = run(copy, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', test]);
      const failed = [...ran.output.matchAll(/FAIL\s.*?(\S+\.test\.ts > .+)/g)].map((match) => match[1]!);
      if (ran.status !== 0)
        caught.push(failed[0] ? `${failed[0]}${more(failed)}` : `${test}, which did not run`);
    }
    if (mutation.chaos) {
      const ran = run(copy, [
        '--import',
        'tsx',
        join('test', 'chaos', 'main.ts'),
        '--rounds',
        '1',
        ...mutation.chaos,
      ]);
      // A storm that did not reach its judgement proves nothing.
      if (!/^ {2}(SOUND|BROKEN)/m.test(ran.output))
        throw new Error(`the storm did not finish: ${ran.output.slice(-500)}`);
      for (const match of ran.output.matchAll(/BROKEN (\d+ x .+)/g)) caught.push(`the storm: ${match[1]}`);
    }
    return caught;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function more(failed: readonly string[]): string {
  const others = new Set(failed).size - 1;
  return others > 0 ? `, and ${others} more` : '';
}

function run(cwd: string, args: readonly string[]): { status: number | null; output: string } {
  const env = { ...process.env, NO_COLOR: '1' };
  const ran = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env,
    timeout: 1_200_000,
    maxBuffer: 1e8,
  });
  // The folder of a round that was broken on purpose is useless.
  for (const match of ran.stdout.matchAll(/evidence in (\S+)/g))
    rmSync(match[1]!, { recursive: true, force: true });
  return { status: ran.status, output: `${ran.stdout}${ran.stderr}` };
}
