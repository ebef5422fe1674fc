import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startService } from '../support/child.ts';
import { keep, type Spread, say, spread } from '../support/report.ts';
import { openService } from '../support/service.ts';
import { type EngineKind, openStage, type Stage } from '../support/stage.ts';

/**
 * A campaign of a million compared with one of a thousand: the size of its queue, the time from import to first call,
 * and how a short list is served while a long one is dialled on the same key.
 */
export type MillionOptions = { rows: number; pairs: number; seconds: number; engine: readonly EngineKind[] };

type Alone = { rows: number; firstDialMs: number; queueKb: number; queueGrownKb: number };
type Beside = { firstDialMs: number; seconds: number; short: number; long: number };
type Case = { engine: EngineKind; long: Alone; short: Alone; beside: Beside };

const short = 1_000;
const rate = 20;
/** How often to check for the end of an import. */
const lookMs = 10;
const deadlineMs = 600_000;

export async function measureMillion(options: MillionOptions, signal: AbortSignal): Promise<void> {
  const stage = await openStage(options.engine, false);
  const cases: Case[] = [];
  try {
    const lists = {
      long: await writePeople(join(stage.folder, 'long.csv'), options.rows, 0),
      short: await writePeople(join(stage.folder, 'short.csv'), short, 0),
      other: await writePeople(join(stage.folder, 'other.csv'), short, options.rows),
    };
    for (const engine of options.engine) {
      for (let pair = 0; pair < options.pairs; pair++) {
        const seconds = options.seconds;
        const few = await withHouse(stage, engine, signal, async (house) => {
          const run = await house.start('short', lists.short);
          return house.watch(run, short, seconds);
        });
        const { many, beside } = await withHouse(stage, engine, signal, async (house) => {
          const run = await house.start('long', lists.long);
          const many = await house.watch(run, options.rows, seconds);
          const second = await house.start('other', lists.other);
          return { many, beside: await house.share(second, seconds) };
        });
        cases.push({ engine, long: many, short: few, beside });
        say(
          `${engine}: first call ${few.firstDialMs} ms after the import of ${short}, ${many.firstDialMs} ms after ${options.rows}; ` +
            `queue ${few.queueKb.toFixed(0)} and ${many.queueKb.toFixed(0)} KB; next to the long list the short list's first ` +
            `call came after ${beside.firstDialMs} ms, and then ${beside.short} calls to ${beside.long} in ${beside.seconds} s`,
        );
      }
    }
  } finally {
    await stage.close();
  }
  const summaries = options.engine.map((engine) => summarise(engine, cases));
  for (const summary of summaries) printSummary(summary, options.rows);
  keep('million', { ...options, rate, summaries, cases });
}

type Summary = {
  engine: EngineKind;
  lines: [what: string, short: Spread | null, long: Spread, ratio: Spread | null][];
};

function summarise(engine: EngineKind, all: readonly Case[]): Summary {
  const cases = all.filter((each) => each.engine === engine);
  const line = (what: string, of: (alone: Alone) => number): Summary['lines'][number] => [
    what,
    spread(cases.map((each) => of(each.short))),
    spread(cases.map((each) => of(each.long))),
    spread(cases.map((each) => of(each.long) / of(each.short))),
  ];
  return {
    engine,
    lines: [
      line('import to first call, ms', (alone) => alone.firstDialMs),
      line('queue, KB', (alone) => alone.queueKb),
      line('queue above an empty one, KB', (alone) => alone.queueGrownKb),
      [
        'short next to long: to first call, ms',
        null,
        spread(cases.map((each) => each.beside.firstDialMs)),
        null,
      ],
      [
        'short next to long: calls, short to long',
        null,
        spread(cases.map(({ beside }) => beside.short / beside.long)),
        null,
      ],
    ],
  };
}

function printSummary({ engine, lines }: Summary, rows: number): void {
  const row = (cells: string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(42) : cell.padStart(12))).join('');
  const text = (of: Spread | null, digits: number) => (of === null ? '' : of.median.toFixed(digits));
  say('');
  say(row([`queue in ${engine}`, String(short), String(rows), 'ratio', 'min', 'max']));
  for (const [what, few, many, ratio] of lines) {
    const digits = what.includes('short to long') ? 2 : 0;
    say(row([what, text(few, digits), text(many, digits), text(ratio, 2), ...spans(ratio)]));
  }
}

function spans(ratio: Spread | null): string[] {
  return ratio === null ? [] : [ratio.least.toFixed(2), ratio.most.toFixed(2)];
}

type House = Awaited<ReturnType<typeof openHouse>>;

/** Provides an empty ledger, an empty queue and a service, for one case. */
async function withHouse<T>(
  stage: Stage,
  engine: EngineKind,
  signal: AbortSignal,
  work: (house: House) => Promise<T>,
): Promise<T> {
  const house = await openHouse(stage, engine, signal);
  try {
    return await work(house);
  } finally {
    await house.close();
  }
}

async function openHouse(stage: Stage, engine: EngineKind, signal: AbortSignal) {
  const database = await stage.freshDatabase();
  const redisUrl = engine === 'redis' ? await stage.freshRedis() : undefined;
  const cwd = stage.folder;
  // Calls last as long as real ones, and the service never refuses a request within its limit.
  const service = await openService(stage, { rate, speed: 1, seed: 1, latencyMs: 0 }, signal);
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
  const redis = redisUrl ? new Redis(redisUrl) : null;
  const runs: Promise<{ stop(): Promise<void> }>[] = [];
  let emptyKb: number | null = null;

  const ask = async (text: string, values: unknown[] = []): Promise<number | null> => {
    const { rows } = await pool.query<{ value: number | null }>(text, values);
    return rows[0]?.value ?? null;
  };
  const queueKb = async (): Promise<number> => {
    if (redis) return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1]) / 1_024;
    const bytes = await ask(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as value from pg_class c
       where c.relnamespace = to_regnamespace('carillon_queue') and c.relkind = 'r'`,
    );
    return bytes! / 1_024;
  };
  /** Asks until there is an answer, which is in ms by the ledger's clock. */
  const until = async (text: string, values: unknown[]): Promise<number> => {
    const end = performance.now() + deadlineMs;
    for (;;) {
      // The first run creates the tables.
      const value = await ask(text, values).catch(() => null);
      if (value !== null) return value;
      if (signal.aborted) throw new Error('interrupted');
      if (performance.now() > end) throw new Error('no call was made in time');
      await sleep(lookMs);
    }
  };
  const firstDialOf = async (name: string): Promise<number> => {
    // Its columns are written with its people. Looking for people would read through all the uncommitted ones.
    const importedAt = await until(
      `select extract(epoch from clock_timestamp())::float8 * 1000 as value from carillon.campaigns c
       where c.name = $1 and cardinality(c.columns) > 0`,
      [name],
    );
    if (emptyKb === null) emptyKb = await queueKb();
    const dialedAt = await until(
      `select extract(epoch from min(a.dialing_at))::float8 * 1000 as value
       from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id where c.name = $1`,
      [name],
    );
    return Math.round(dialedAt - importedAt);
  };

  return {
    /** Starts a run as a user does; it continues until the house is closed. */
    async start(name: string, file: string): Promise<string> {
      const flags = [
        '--agent',
        'agent_bench',
        '--name',
        name,
        '--yes',
        '--out',
        join(cwd, `${name}.out.csv`),
      ];
      const env = {
        PATH: process.env.PATH,
        VOICE_BASE_URL: service.url,
        VOICE_API_KEYS: 'bench=bench-key',
        VOICE_RATE: String(rate),
        DATABASE_URL: database.url,
        REDIS_URL: redisUrl,
        CARILLON_HOME: join(cwd, 'home'),
      };
      const run = startService([stage.program, 'run', file, ...flags], { cwd, env, signal });
      run.catch(() => undefined);
      runs.push(run);
      return name;
    },
    /** The time to the campaign's first call, and its largest queue while it is dialled. */
    async watch(name: string, rows: number, seconds: number): Promise<Alone> {
      const firstDialMs = await firstDialOf(name);
      const end = performance.now() + seconds * 1_000;
      let most = 0;
      while (performance.now() < end) {
        most = Math.max(most, await queueKb());
        await sleep(250, undefined, { signal });
      }
      return { rows, firstDialMs, queueKb: most, queueGrownKb: most - emptyKb! };
    },
    /** The time to its first call next to the other campaign, and how many calls each places after that. */
    async share(name: string, seconds: number): Promise<Beside> {
      const firstDialMs = await firstDialOf(name);
      const since = (await ask(`select extract(epoch from clock_timestamp())::float8 as value`))!;
      await sleep(seconds * 1_000, undefined, { signal });
      const { rows } = await pool.query<{ name: string; n: number }>(
        `select c.name, count(*)::integer as n from carillon.attempts a join carillon.campaigns c on c.id = a.campaign_id
         where a.placed_at >= to_timestamp($1) group by 1`,
        [since],
      );
      const own = rows.find((row) => row.name === name)?.n ?? 0;
      return { firstDialMs, seconds, short: own, long: rows.reduce((sum, row) => sum + row.n, 0) - own };
    },
    async close() {
      for (const run of runs) await (await run.catch(() => null))?.stop();
      redis?.disconnect();
      await pool.end();
      await service.stop();
      await database.drop();
    },
  };
}

export async function writePeople(path: string, rows: number, from: number): Promise<string> {
  const file = createWriteStream(path);
  file.write('phone,name,city\n');
  for (let i = from; i < from + rows; i++) {
    const digits = 2_012_000_000 + Math.floor(i / 9_000) * 1_000_000 + (i % 9_000);
    if (!file.write(`+1${digits},Person ${i},City ${i % 500}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
  return path;
}
