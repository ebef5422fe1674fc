import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { startSimulator } from '../../simulator/server.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import type { Environment } from '../../src/base/config/config.ts';
import { runLine } from '../../src/cli/program.ts';
import { openRecords } from './csv.ts';
import { freshDatabase, isKept, keep, type TestDatabase } from './postgres.ts';
import { startRedis } from './redis.ts';

/** A user's desk: a folder, a ledger, an engine, a simulated service, and the program as a child process. */
export type Ended = { code: number | null; stdout: string; stderr: string };
export type Running = {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves when the output so far matches; fails with that output if it does not in time. */
  prints(pattern: RegExp): Promise<void>;
};

export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** How long the program may take to print a line: far longer than it does, and shorter than a test may take. */
const patienceMs = 240_000;

/** What a line logs in this process would stand among the tests' own words. */
const quiet = { LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent' };

const program = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));

export async function openDesk(
  engine: 'postgres' | 'redis',
  options: SimulatorOptions = {},
  makeDatabase: () => Promise<TestDatabase> = freshDatabase,
) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-desk-'));
  const database = await makeDatabase();
  const redis = engine === 'redis' ? await startRedis() : undefined;
  const sim = await startSimulator({ speed: 60, rate: 200, seed: 5, ...options });
  const running = new Set<ChildProcess>();
  const baseEnv: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    HOME: folder,
    VOICE_BASE_URL: sim.url,
    VOICE_API_KEYS: 'main=sk_test_of_the_desk',
    VOICE_RATE: '200',
    DATABASE_URL: database.url,
    REDIS_URL: redis?.url,
    CARILLON_HOME: join(folder, 'home'),
    LOG_LEVEL: process.env.LOG_LEVEL,
  };

  const start = (args: string[], env: Record<string, string | undefined> = {}, input?: string): Running => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { ...baseEnv, ...env } as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    running.add(child);
    child.stdin.end(input ?? '');
    let stdout = '';
    let stderr = '';
    const watchers = new Set<() => void>();
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      for (const watch of watchers) watch();
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      for (const watch of watchers) watch();
    });
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code) => {
        running.delete(child);
        for (const watch of watchers) watch();
        resolve({ code, stdout, stderr });
      });
    });
    const prints = (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const end = () => {
          clearTimeout(patience);
          watchers.delete(watch);
        };
        const patience = setTimeout(() => {
          end();
          reject(new Error(`${pattern} was not printed within ${patienceMs} ms:\n${stdout}${stderr}`));
        }, patienceMs);
        const watch = () => {
          if (pattern.test(stdout + stderr)) {
            end();
            resolve();
          } else if (child.exitCode !== null) {
            end();
            reject(
              new Error(
                `the program exited with ${child.exitCode} before it printed ${pattern}:\n${stdout}${stderr}`,
              ),
            );
          }
        };
        watchers.add(watch);
        watch();
      });
    return { child, ended, prints };
  };

  return {
    folder,
    sim,
    redis,
    databaseUrl: database.url,
    start,
    /** In a process of its own, as a user runs it. */
    run: (args: string[], env?: Record<string, string | undefined>, input?: string) =>
      start(args, env, input).ended,
    /** In this process, for what does not depend on one: to start another costs more than most lines do. */
    type: (args: string[], env?: Record<string, string | undefined>, input?: string) =>
      typeLine(atHome(args, folder), { ...baseEnv, ...quiet, ...env }, folder, input),
    write(name: string, text: string | Buffer) {
      writeFileSync(join(folder, name), text);
    },
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    /** A results or rejected file as rows by column name. */
    table: (name: string) => openRecords(readFileSync(join(folder, name), 'utf8')),
    /** Creates that the service accepted, by phone. */
    created(): Map<string, number> {
      const phones = new Map<string, number>();
      const calls = new Set<string>();
      for (const { call, phone } of sim.journal({ method: 'POST' })) {
        // The answer to a repeated create is about the same call.
        if (call && phone && !calls.has(call)) phones.set(phone, (phones.get(phone) ?? 0) + 1);
        if (call) calls.add(call);
      }
      return phones;
    },
    async close() {
      for (const child of running) child.kill('SIGKILL');
      await sim.close();
      await redis?.stop();
      await database.drop();
      if (isKept()) return keep('the folder of its commands', folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function typeLine(args: string[], env: Environment, cwd: string, input?: string): Promise<Ended> {
  const [stdout, stderr] = [keepText(), keepText()];
  const stdin = Readable.from(input === undefined ? [] : [input]);
  const code = await runLine(args, { stdin, stdout: stdout.stream, stderr: stderr.stream, env, cwd });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** `run` opens files where the process is: these lines name them by their paths. */
function atHome(args: string[], folder: string): string[] {
  const [verb, file = '', ...flags] = args;
  if (verb !== 'run') return args;
  const own = parse(file).name;
  const name = flags.includes('--name') ? flags[flags.indexOf('--name') + 1] : own;
  const out = flags.includes('--out') ? flags.splice(flags.indexOf('--out'), 2)[1]! : `${name}.results.csv`;
  return [verb, file === '-' ? file : join(folder, file), ...flags, '--out', join(folder, out)];
}

function keepText() {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  return { stream, text: () => text };
}

/** A list of `count` people, each with a different number. */
export function people(count: number, from = 0): string {
  const rows = Array.from(
    { length: count },
    (_, i) => `+1415${5_550_000 + from + i},Person ${from + i},Company ${i % 7}`,
  );
  return `phone,name,company\n${rows.join('\n')}\n`;
}

export type Printed = Record<
  | 'rows'
  | 'rejected'
  | 'skipped'
  | 'waiting'
  | 'queued'
  | 'calling'
  | 'done'
  | 'parked'
  | 'unknown'
  | 'attempts'
  | 'requests'
  | 'polls',
  number
> & {
  campaign: string;
  outcomes: Record<string, number>;
  cost: number | null;
  seconds: number;
};

/** The summary: one JSON line, and the only thing on stdout. */
export function summaryOf(ended: Ended): Printed {
  const lines = ended.stdout.trim().split('\n');
  if (lines.length !== 1) throw new Error(`more than a summary on stdout:\n${ended.stdout}\n${ended.stderr}`);
  const s = JSON.parse(lines[0]!) as Printed;
  const sum = s.rejected + s.skipped + s.waiting + s.queued + s.calling + s.done + s.parked + s.unknown;
  if (sum !== s.rows) throw new Error(`the balance does not hold: ${ended.stdout}`);
  return s;
}
