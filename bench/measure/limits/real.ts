import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd, startService } from '../../support/child.ts';
import { openStage, results, type Stage } from '../../support/stage.ts';

/** The whole program over HTTP against the simulated service in its own process, judged by the service's journal. */
type Case = {
  name: string;
  rate: number;
  sim: string[];
  voiceRate?: string;
  workers: number;
  seconds: number;
};

const fixedCases = [20, 200].flatMap((rate) =>
  [1, 2, 4].map((workers): Case => {
    const name = `known ${rate}/s, ${workers} worker${workers > 1 ? 's' : ''}`;
    return { name, rate, sim: [], voiceRate: String(rate), workers, seconds: 60 };
  }),
);
const learnedCases: Case[] = [
  { name: 'unknown: token bucket 20/s', rate: 20, sim: [], workers: 1, seconds: 90 },
  { name: 'unknown: fixed window 50/s', rate: 50, sim: ['--limiter', 'fixed'], workers: 1, seconds: 90 },
  { name: 'unknown: sliding window 10/s', rate: 10, sim: ['--limiter', 'sliding'], workers: 1, seconds: 90 },
];

type Entry = { mono: number; answer: number | string };
/** Excludes the start of the processes and the time to learn an unknown limit. */
const startMs = 3_000;
const learnMs = 20_000;

export async function measurePace(signal: AbortSignal, only = ''): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const stage = await openStage(['postgres'], false);
  const rows: { name: string; used: number; refused: number; requests: number }[] = [];
  try {
    say(`${'case'.padEnd(32)}${'used'.padStart(8)}${'429'.padStart(8)}${'requests'.padStart(10)}`);
    for (const each of [...fixedCases, ...learnedCases].filter(({ name }) => name.includes(only))) {
      if (signal.aborted) throw new Error('interrupted');
      const row = { name: each.name, ...(await runCase(stage, each, signal)) };
      rows.push(row);
      const shares = [row.used, row.refused].map((share) => `${(share * 100).toFixed(1)} %`.padStart(8));
      say(`${row.name.padEnd(32)}${shares.join('')}${String(row.requests).padStart(10)}`);
    }
  } finally {
    await stage.close();
  }
  const path = join(results, 'limits-real.json');
  writeFileSync(path, `${JSON.stringify(rows, null, 2)}\n`);
  say(`\nWritten to ${path}`);
}

async function runCase(stage: Stage, each: Case, signal: AbortSignal) {
  const database = await stage.freshDatabase();
  const { folder: cwd, program } = stage;
  const sim = await startService(
    [
      program,
      'sim',
      '--port',
      '0',
      '--rate',
      String(each.rate),
      '--speed',
      '60',
      '--latency',
      '20',
      '--json',
      ...each.sim,
    ],
    { cwd, env: { PATH: process.env.PATH }, signal },
  );
  const { url } = JSON.parse(sim.firstLine) as { url: string };
  const env = {
    PATH: process.env.PATH,
    VOICE_BASE_URL: url,
    VOICE_API_KEYS: 'bench=bench-key',
    VOICE_RATE: each.voiceRate,
    DATABASE_URL: database.url,
    CARILLON_HOME: join(cwd, 'home'),
  };
  const stop = new AbortController();
  const giveUp = () => stop.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const people = stage.writePeople(each.rate * each.seconds);
    const order = ['--agent', 'agent_bench', '--name', 'bench', '--yes', '--limit', '1', '--json'];
    const once = { cwd, env, signal, deadlineMs: 60_000 };
    await runToEnd([program, 'run', people, ...order, '--out', join(cwd, 'results.csv')], once);
    await runToEnd([program, 'campaign', 'resume', 'bench'], once);
    const from = (await readEntries(url)).length;
    const deadlineMs = (each.seconds + 60) * 1_000;
    const crew = Array.from({ length: each.workers }, () =>
      runToEnd([program, 'worker'], { cwd, env, signal: stop.signal, deadlineMs }),
    );
    await new Promise((done) => setTimeout(done, (each.seconds + 8) * 1_000));
    const entries = (await readEntries(url)).slice(from);
    stop.abort();
    await Promise.allSettled(crew);
    return judge(entries, each);
  } finally {
    stop.abort();
    signal.removeEventListener('abort', giveUp);
    await sim.stop();
    await database.drop();
  }
}

async function readEntries(url: string): Promise<Entry[]> {
  const text = await (await fetch(new URL('/_sim/journal', url))).text();
  return text
    .split('\n')
    .filter((line) => line)
    .map((line) => JSON.parse(line) as Entry);
}

function judge(entries: readonly Entry[], { rate, seconds, voiceRate }: Case) {
  const began = entries[0]!.mono;
  const begin = began + (voiceRate ? startMs : learnMs);
  const end = Math.min(began + seconds * 1_000, entries.at(-1)!.mono);
  const seen = entries.filter(({ mono }) => mono >= begin && mono < end);
  const refused = seen.filter(({ answer }) => answer === 429).length;
  return {
    used: (seen.length - refused) / ((rate * (end - begin)) / 1_000),
    refused: refused / Math.max(1, seen.length),
    requests: seen.length,
  };
}
