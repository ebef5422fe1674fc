import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processes under test: children of the harness, each restarted when it ends, until it is retired. */
export type Life = {
  name: string;
  pid: number;
  bornAt: number;
  diedAt: number | null;
  code: number | null;
  killed: boolean;
  /** Its last line, if it ended unexpectedly. */
  words: string;
  /** When it was stopped by SIGSTOP. */
  stops: { from: number; to: number | null }[];
};

export type Ended = { code: number | null; stdout: string; stderr: string };

export type Member = {
  readonly name: string;
  readonly args: readonly string[];
  /** The process running now. */
  life(): Life | null;
  isStopped(): boolean;
  kill(): Promise<void>;
  interrupt(): void;
  stop(): void;
  go(): void;
  /** It is not restarted; a running process continues. */
  retire(): void;
  isRetired(): boolean;
  /** Resolves with the match when a line of its stdout matches. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
};

export type Crew = {
  lives: readonly Life[];
  hire(name: string, args: readonly string[], options?: Hiring): Member;
  members(): readonly Member[];
  /** A command that ends by itself; it bypasses the proxies. */
  call(args: readonly string[], deadlineMs?: number): Promise<Ended>;
  /** Ends all processes, cleanly if they manage in time, and waits for them. */
  dismiss(graceMs: number): Promise<void>;
};

export type Hiring = {
  /** Extra settings. */
  env?: Record<string, string>;
  restartMs?: () => number;
  /** Asked when it ends: true if its work is done and it must not be restarted. `said`: the end of its stdout. */
  isDone?: (code: number | null, life: Life, said: string) => boolean;
};

export type CrewDeps = {
  /** The script that node runs. */
  program: string;
  folder: string;
  env: Record<string, string | undefined>;
  /** For a person's commands, which bypass the proxies. */
  directEnv: Record<string, string | undefined>;
};

export function createCrew(deps: CrewDeps): Crew {
  const lives: Life[] = [];
  const members: (Member & { end(graceMs: number): Promise<void> })[] = [];
  const calls = new Set<ChildProcess>();

  return {
    lives,
    members: () => members,
    hire(name, args, options = {}) {
      const member = hire(name, args, options);
      members.push(member);
      return member;
    },
    async call(args, deadlineMs = 120_000) {
      const child = spawn(process.execPath, [deps.program, ...args], {
        cwd: deps.folder,
        env: deps.directEnv as NodeJS.ProcessEnv,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      calls.add(child);
      const ended: Ended = { code: null, stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => (ended.stdout += chunk));
      child.stderr.on('data', (chunk) => (ended.stderr += chunk));
      const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
      const [code] = await once(child, 'close');
      clearTimeout(timer);
      calls.delete(child);
      return { ...ended, code };
    },
    async dismiss(graceMs) {
      for (const child of calls) child.kill('SIGKILL');
      await Promise.all(members.map((member) => member.end(graceMs)));
    },
  };

  function hire(name: string, args: readonly string[], options: Hiring) {
    const logPath = join(deps.folder, `${name}.log`);
    let child: ChildProcess | null = null;
    let life: Life | null = null;
    let retired = false;
    let timer: NodeJS.Timeout | undefined;
    const listeners = new Set<(text: string) => void>();

    const start = () => {
      const log = openSync(logPath, 'a');
      const mine = spawn(process.execPath, [deps.program, ...args], {
        cwd: deps.folder,
        env: { ...deps.env, ...options.env } as NodeJS.ProcessEnv,
        stdio: ['ignore', 'pipe', log],
      });
      closeSync(log);
      child = mine;
      const own: Life = {
        name,
        pid: mine.pid ?? -1,
        bornAt: Date.now(),
        diedAt: null,
        code: null,
        killed: false,
        words: '',
        stops: [],
      };
      life = own;
      lives.push(own);
      let said = '';
      mine.stdout!.on('data', (chunk) => {
        said = (said + chunk).slice(-20_000);
        for (const listen of listeners) listen(said);
      });
      mine.once('close', (code) => {
        own.diedAt = Date.now();
        own.code = code;
        if (code === 1 || code === 2) own.words = tail(logPath, 1);
        const open = own.stops.at(-1);
        if (open && open.to === null) open.to = own.diedAt;
        if (child === mine) child = null;
        if (!own.killed && options.isDone?.(code, own, said)) retired = true;
        if (!retired) timer = setTimeout(start, options.restartMs?.() ?? 200);
      });
    };
    start();

    const member = {
      name,
      args,
      life: () => (child ? life : null),
      isStopped: () => life?.stops.at(-1)?.to === null,
      async kill() {
        const mine = child;
        if (!mine || mine.exitCode !== null) return;
        const closed = once(mine, 'close');
        life!.killed = true;
        mine.kill('SIGKILL');
        await closed;
      },
      interrupt: () => void child?.kill('SIGINT'),
      stop() {
        if (!child || member.isStopped()) return;
        child.kill('SIGSTOP');
        life!.stops.push({ from: Date.now(), to: null });
      },
      go() {
        const open = life?.stops.at(-1);
        if (!child || !open || open.to !== null) return;
        open.to = Date.now();
        child.kill('SIGCONT');
      },
      retire() {
        retired = true;
        clearTimeout(timer);
      },
      isRetired: () => retired,
      says(pattern: RegExp) {
        return new Promise<RegExpExecArray>((resolve, reject) => {
          const late = setTimeout(() => {
            listeners.delete(listen);
            reject(new Error(`${name} did not say ${pattern} in time: ${tail(logPath)}`));
          }, 180_000);
          const listen = (text: string) => {
            const match = pattern.exec(text);
            if (!match) return;
            clearTimeout(late);
            listeners.delete(listen);
            resolve(match);
          };
          listeners.add(listen);
        });
      },
      async end(graceMs: number) {
        member.retire();
        const mine = child;
        if (!mine) return;
        member.go();
        const closed = once(mine, 'close');
        mine.kill('SIGINT');
        const hard = setTimeout(() => {
          if (life) life.killed = true;
          mine.kill('SIGKILL');
        }, graceMs);
        await closed;
        clearTimeout(hard);
      },
    };
    return member;
  }
}

function tail(path: string, lines = 3): string {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').slice(-lines).join(' / ');
  } catch {
    return '';
  }
}
