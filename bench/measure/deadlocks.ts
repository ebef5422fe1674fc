import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createLog } from '../../src/base/log.ts';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { say } from '../support/report.ts';

/** How often several processes that poll over one queue in Postgres deadlock, and whether all jobs finish. */
export type DeadlockOptions = {
  jobs: number;
  workers: number;
  hops: number;
  concurrency: number;
  /** A job is put off by up to this many milliseconds: the shorter, the more fall due at once. */
  delay: number;
  seconds: number;
};
export type DeadlockFigures = {
  /** The server's own count. */
  deadlocks: number;
  unfinished: number;
  failed: number;
  /** Statements that a process ran again. */
  again: number;
  errors: Record<string, number>;
  seconds: number;
};

const child = fileURLToPath(new URL('../support/poller.ts', import.meta.url));
const queueName = 'polls';

export async function measureDeadlocks(options: DeadlockOptions, signal: AbortSignal): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'carillon-deadlocks-'));
  const embedded = await startEmbedded({ home });
  try {
    const figures = await pollTogether(embedded.url, options, signal);
    say(JSON.stringify({ ...options, ...figures }));
  } finally {
    await embedded.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Runs on an empty database. */
export async function pollTogether(
  databaseUrl: string,
  { jobs, workers, hops, concurrency, delay: mostDelayMs, seconds: deadline }: DeadlockOptions,
  signal: AbortSignal,
): Promise<DeadlockFigures> {
  const engine = await createEngine({ databaseUrl, log: createLog('silent') });
  const queue = engine.newQueue<{ n: number }>(queueName);
  const children: ChildProcess[] = [];
  try {
    for (let from = 0; from < jobs; from += 1_000) {
      const delay = () => 1 + Math.floor(Math.random() * mostDelayMs);
      const batch = Array.from({ length: Math.min(1_000, jobs - from) }, (_, i) => ({
        name: 'poll',
        data: { n: from + i },
        opts: { jobId: `job-${from + i}`, delay: delay() },
      }));
      await queue.addBulk(batch);
    }
    const order = JSON.stringify({ databaseUrl, queue: queueName, hops, concurrency, mostDelayMs });
    for (let i = 0; i < workers; i++)
      children.push(
        spawn(process.execPath, ['--import', import.meta.resolve('tsx'), child, order], {
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
      );
    const texts = children.map(() => '');
    for (const [i, each] of children.entries()) each.stdout!.on('data', (chunk) => (texts[i] += chunk));
    const began = performance.now();
    const left = async () => {
      const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
      return Object.values(counts).reduce((sum, n) => sum + n, 0);
    };
    let unfinished = await left();
    for (
      const end = began + deadline * 1_000;
      unfinished > 0 && performance.now() < end && !signal.aborted;
    ) {
      await sleep(100);
      unfinished = await left();
    }
    const seconds = (performance.now() - began) / 1_000;
    const ended = children.map((each) => once(each, 'close'));
    for (const each of children) each.stdin!.end();
    await Promise.all(ended);
    const tallies = texts.map((text) => JSON.parse(text.trim().split('\n').at(-1)!) as Tally);
    const errors: Record<string, number> = {};
    for (const tally of tallies)
      for (const [code, n] of Object.entries(tally.errors)) errors[code] = (errors[code] ?? 0) + n;
    return {
      deadlocks: await deadlocksOf(databaseUrl),
      unfinished,
      failed: tallies.reduce((sum, tally) => sum + tally.failed, 0),
      again: tallies.reduce((sum, tally) => sum + tally.again, 0),
      errors,
      seconds,
    };
  } finally {
    for (const each of children) each.kill('SIGKILL');
    await queue.close();
    await engine.close();
  }
}

type Tally = { failed: number; again: number; errors: Record<string, number> };

async function deadlocksOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ deadlocks: number }>(
      'select deadlocks::integer from pg_stat_database where datname = current_database()',
    );
    return rows[0]!.deadlocks;
  } finally {
    await client.end();
  }
}
