import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from './checkout.ts';

/**
 * Pages of the docs are typed as they stand: each `sh` block in its order, in an empty folder. The text of a `text` block
 * is printed. Other blocks (`shell`, `console`) are shown and not run. Comments before a block are its marks.
 */
export type Step = { commands: string; marks: string[]; shown: string[] };
export type Typed = { child: ChildProcess; output: () => string; ended: Promise<number | null> };
export type Terminal = ReturnType<typeof openTerminal>;

/** A mark is a line such as `<!-- test: Ctrl-C -->`. */
export function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  let marks: string[] = [];
  for (const [, mark, kind, body] of page.matchAll(/^<!-- (.*) -->$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (mark) marks.push(mark);
    if (kind === 'sh') {
      steps.push({ commands: body!, marks, shown: [] });
      marks = [];
    }
    if (kind === 'text') steps.at(-1)!.shown.push(...body!.trimEnd().split('\n'));
  }
  return steps;
}

/** Lines that the page shows and nobody printed. What varies makes no difference, nor what three dots stand for. */
export function missingOf({ shown }: Step, output: string, varies: readonly RegExp[]): string[] {
  const steady = (line: string) => varies.reduce((text, each) => text.replace(each, ''), line.trimEnd());
  const printed = output.split('\n').map(steady);
  return shown.filter((line) => {
    const parts = steady(line)
      .split('...')
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    const wanted = new RegExp(`^${parts.join('.*')}$`);
    return !printed.some((each) => wanted.test(each));
  });
}

/** A folder with the examples, and programs found by their names: each with how many of its first words it skips. */
export function openTerminal(
  programs: Record<string, { skips: number; runs: string }>,
  env: Record<string, string>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-page-'));
  const running = new Set<Typed>();
  mkdirSync(join(folder, 'bin'));
  for (const [name, { skips, runs }] of Object.entries(programs)) {
    const path = join(folder, 'bin', name);
    writeFileSync(path, `#!/bin/sh\nshift ${skips}\nexec ${runs} "$@"\n`);
    chmodSync(path, 0o755);
  }
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));

  return {
    folder,
    /** What was typed and has not ended. */
    running,
    /** In a group of its own, as a terminal does it: Ctrl-C reaches the shell and what it runs. */
    type(commands: string): Typed {
      const child = spawn('sh', ['-e', '-c', commands], {
        cwd: folder,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
          HOME: folder,
          CARILLON_HOME: join(folder, 'home'),
          ...env,
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
    },
    interrupt: ({ child }: Typed) => process.kill(-child.pid!, 'SIGINT'),
    async close(): Promise<void> {
      // The last first: one may follow what another serves.
      for (const typed of [...running].reverse()) {
        process.kill(-typed.child.pid!, 'SIGINT');
        await typed.ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
