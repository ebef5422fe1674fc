import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Stoppable } from '../../base/lifecycle.ts';
import { buildOf, type PageStore, packageRoot } from './store.ts';

/**
 * Builds the page of a checkout at its first start, and when its sources are newer than its build: in a process of its
 * own at low priority, next to everything else. A package has its build and no sources.
 */
type PageBuilder = Stoppable & {
  /** Resolves when the page is served as it should be, or cannot be. */
  readonly done: Promise<void>;
};

type PageBuilderDeps = {
  store: Pick<PageStore, 'load'>;
  /** Writes one line for a person. */
  note(line: string): void;
  root?: string | undefined;
};

/** A build takes some seconds; one that waits for another process's takes longer. */
const patienceMs = 300_000;

export function startPageBuilder({ store, note, root = packageRoot }: PageBuilderDeps): PageBuilder {
  const stop = new AbortController();
  const work = async () => {
    if (isFresh(root)) return;
    if (!canBuild(root)) return note(unbuilt(root, 'its tools are not installed'));
    const why = await build(root, stop.signal);
    if (stop.signal.aborted) return;
    if (why !== null) return note(unbuilt(root, why));
    store.load();
  };
  const done = work().catch((error: Error) => note(unbuilt(root, error.message)));
  return {
    name: 'page builder',
    done,
    async close() {
      stop.abort();
      await done;
    },
  };
}

function unbuilt(root: string, why: string): string {
  const state = existsSync(join(buildOf(root), 'index.html')) ? 'is an older build' : 'is missing';
  return `The page ${state}: it could not be built (${why}). Everything else works. To build it, run \`npm install\` and \`npm run build\` in ${root}.`;
}

export function isFresh(root: string): boolean {
  const sources = join(root, 'dashboard');
  const build = buildOf(root);
  if (!existsSync(sources) || build === sources) return true;
  const index = join(build, 'index.html');
  return existsSync(index) && newest(sources) <= statSync(index).mtimeMs;
}

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function canBuild(root: string): boolean {
  try {
    createRequire(join(root, 'package.json')).resolve('vite');
    return existsSync(join(root, 'scripts', 'page.js'));
  } catch {
    return false;
  }
}

/** Why it failed, in one line; null when it succeeded. */
function build(root: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'scripts', 'page.js'), '--if-stale'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: patienceMs,
      signal,
    });
    lowerPriority(child.pid);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk).slice(-20_000);
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? null : (reasonIn(said) ?? `exit ${code}`)));
  });
}

/** The calls have priority. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It ended already, or this system does not allow it: the page is built anyway.
  }
}

function reasonIn(said: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal.
  const lines = said.replace(/\u001b\[[\d;]*m/g, '').split('\n');
  const told = lines.find((line) => /error\b/i.test(line) && !/build failed/i.test(line));
  const first = told ?? lines.find((line) => line.trim());
  return first?.trim().slice(0, 200);
}
