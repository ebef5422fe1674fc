import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from './support/journeys.ts';
import { freePort } from './support/ports.ts';
import { emptyDatabase, type TestDatabase } from './support/postgres.ts';

/**
 * The tutorial is typed as it stands: every `sh` block in its order, in an empty folder, against the simulator that it
 * starts itself. The text of a `text` block is printed. Other blocks (`shell`, `console`) are shown and not run.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const tutorial = readFileSync(join(root, 'docs/tutorial.md'), 'utf8');

type Step = { commands: string; interrupted: boolean; shown: string[] };
type Typed = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

const folder = mkdtempSync(join(tmpdir(), 'carillon-tutorial-'));
const running = new Set<Typed>();
let database: TestDatabase;
let port: number;

beforeAll(async () => {
  database = await emptyDatabase();
  port = await freePort();
  // In a checkout, npx finds the program that the checkout holds; here it is told.
  mkdirSync(join(folder, 'bin'));
  const shim = (name: string, skipped: number, program: string) => {
    const path = join(folder, 'bin', name);
    writeFileSync(path, `#!/bin/sh\nshift ${skipped}\nexec ${program} "$@"\n`);
    chmodSync(path, 0o755);
  };
  shim('npx', 1, `'${process.execPath}' '${join(root, 'bin/carillon.js')}'`);
  shim('npm', 3, `'${join(root, 'node_modules/.bin/tsx')}' '${join(root, 'bench/week/main.ts')}'`);
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
});

afterAll(async () => {
  for (const { child, ended } of [...running]) {
    process.kill(-child.pid!, 'SIGINT');
    await ended;
  }
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

it('the tutorial’s commands do what the tutorial shows', async () => {
  const steps = stepsOf(tutorial.replaceAll('4010', String(port)));
  expect(steps.length).toBeGreaterThan(10);
  for (const step of steps) {
    const typed = type(step.commands);
    const prints = () => missingOf(step, typed.output()).length === 0;
    if (step.commands.includes('carillon sim ')) {
      await until(prints, step.commands);
      continue;
    }
    if (step.interrupted) {
      await until(async () => (await callsMade()) > 0, 'a call');
      process.kill(-typed.child.pid!, 'SIGINT');
    }
    const code = await typed.ended;
    // A shell that is ended by Ctrl-C, too, has no code.
    expect(step.interrupted ? [130, null] : [0], `${step.commands}\n${typed.output()}`).toContain(code);
    expect(missingOf(step, typed.output()), `${step.commands}\n${typed.output()}`).toEqual([]);
  }
});

function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  for (const [, mark, kind, body] of page.matchAll(
    /^(<!-- test: Ctrl-C -->\n)?```(\w+)\n([\s\S]*?)^```$/gm,
  )) {
    if (kind === 'sh') steps.push({ commands: body!, interrupted: mark !== undefined, shown: [] });
    if (kind === 'text') steps.at(-1)!.shown.push(...body!.trimEnd().split('\n'));
  }
  return steps;
}

/** Lines that the page shows and nobody printed; how long something took makes no difference. */
function missingOf(step: Step, output: string): string[] {
  const timeless = (line: string) => line.replace(/, \d+ s$/, '');
  const printed = new Set(output.split('\n').map(timeless));
  return step.shown.filter((line) => !printed.has(timeless(line)));
}

/** In a group of its own, as a terminal does it: Ctrl-C reaches the shell and what it runs. */
function type(commands: string): Typed {
  const child = spawn('sh', ['-e', '-c', commands], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
      HOME: folder,
      CARILLON_HOME: join(folder, 'home'),
      DATABASE_URL: database.url,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const typed: Typed = {
    child,
    output: () => output,
    ended: new Promise((resolve) => {
      child.on('close', (code) => {
        running.delete(typed);
        resolve(code);
      });
    }),
  };
  running.add(typed);
  return typed;
}

async function callsMade(): Promise<number> {
  const state = await fetch(`http://127.0.0.1:${port}/_sim/state`);
  return ((await state.json()) as { created: number }).created;
}
