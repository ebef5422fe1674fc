import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install, leave } from './install.ts';
import { type Kind, kinds } from './plan.ts';
import { kindsOf, type Played, play } from './play.ts';
import { openSimLedger, startSimPostgres } from './postgres.ts';

/** `npm run schedules`: schedules drawn by seed over the real dispatch code and SQL, in simulated time. */
const usage = `npm run schedules -- [--schedules 1000] [--first 1] [--minutes N] [--jobs 1] [--seed N] [--mutations [words]]

--schedules  how many, with consecutive seeds
--first      seed of the first
--kind       of these, only those that have this kind of trouble, such as history
--minutes    stop after so long
--jobs       so many processes, each with a database of its own
--seed       play this one, and print its last steps
--steps      how many of them (default: 200)
--until-failure  stop at the first that fails
--digests    print the digest of each schedule
--mutations  remove one safeguard at a time and tell how soon a schedule fails; words choose the safeguards;
             each for two minutes, or for --minutes`;

class Usage extends Error {}

const say = (line: string) => process.stdout.write(`${line}\n`);

type Options = ReturnType<typeof readOptions>;

function readOptions(argv: string[]) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      schedules: { type: 'string', default: '1000' },
      first: { type: 'string', default: '1' },
      kind: { type: 'string' },
      minutes: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      seed: { type: 'string' },
      steps: { type: 'string', default: '200' },
      digests: { type: 'boolean', default: false },
      'until-failure': { type: 'boolean', default: false },
      mutations: { type: 'boolean', default: false },
      /** Of a part of the work: the server of the whole. */
      server: { type: 'string' },
      every: { type: 'string', default: '1' },
    },
  });
  return {
    schedules: whole('--schedules', values.schedules, 1, 10_000_000),
    first: whole('--first', values.first, 0, 2 ** 31),
    kind: values.kind === undefined ? null : kindOf(values.kind),
    minutes: values.minutes === undefined ? null : whole('--minutes', values.minutes, 1, 10_000),
    jobs: whole('--jobs', values.jobs, 1, 64),
    seed: values.seed === undefined ? null : whole('--seed', values.seed, 0, 2 ** 31),
    steps: whole('--steps', values.steps, 1, 100_000),
    every: whole('--every', values.every, 1, 64),
    digests: values.digests,
    mostFailures: values['until-failure'] ? 1 : 5,
    mutations: values.mutations,
    only: positionals[0] ?? null,
    server: values.server ?? null,
  };
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Usage(`${flag} must be a whole number of ${least} to ${most}, not ${text}.`);
}

function kindOf(text: string): Kind {
  const kind = kinds.find((each) => each === text);
  if (kind === undefined) throw new Usage(`--kind must be one of ${kinds.join(', ')}, not ${text}.`);
  return kind;
}

type Sum = { schedules: number; failed: number; steps: number; calls: number; statements: number };
const nothing = (): Sum => ({ schedules: 0, failed: 0, steps: 0, calls: 0, statements: 0 });

function add(sum: Sum, part: Sum): void {
  for (const key of Object.keys(sum) as (keyof Sum)[]) sum[key] += part[key];
}

/** At Ctrl-C: the schedule that is being played ends, and the sum is told. */
let isStopped = false;

/** Plays a part of the seeds: from the first on, every so many. */
async function playSome(options: Options, server: string, tell: (played: Played) => void): Promise<Sum> {
  const books = await openSimLedger(server, `sim_${process.pid}`);
  const sum = nothing();
  const end = performance.now() + (options.minutes ?? 600) * 60_000;
  try {
    for (
      let n = 0;
      n < options.schedules && !isStopped && performance.now() < end && sum.failed < options.mostFailures;
      n++
    ) {
      const seed = options.first + n * options.every;
      if (options.kind !== null && !kindsOf(seed).has(options.kind)) continue;
      const played = await play(seed, books, options.steps);
      const { steps, calls, statements } = played;
      add(sum, { schedules: 1, failed: played.broken === null ? 0 : 1, steps, calls, statements });
      tell(played);
    }
  } finally {
    await books.close();
  }
  return sum;
}

function tellFailure({ seed, broken, plan }: Pick<Played, 'seed' | 'broken' | 'plan'>): void {
  say(`seed ${seed} FAILED: ${broken}`);
  say(`  trouble: ${[...plan.kinds].join(', ')}`);
  say(`  again:   npm run schedules -- --seed ${seed}`);
}

/** One schedule, with its last steps. */
async function playOne(options: Options, server: string, seed: number): Promise<Sum> {
  return playSome({ ...options, first: seed, schedules: 1 }, server, (played) => {
    for (const line of played.last) say(line);
    say(`digest ${played.digest}, ${played.steps} steps, ${played.calls} calls`);
    if (played.broken !== null) tellFailure(played);
  });
}

/** The same command in several processes, each with its share of the seeds; where one failure is enough, it ends all. */
async function playParts(options: Options, server: string): Promise<Sum> {
  const sum = nothing();
  const parts = Array.from({ length: options.jobs }, (_, nth) => {
    const flags = {
      schedules: Math.ceil((options.schedules - nth) / options.jobs),
      first: options.first + nth,
      every: options.jobs,
      minutes: options.minutes ?? 600,
      server,
      ...(options.kind === null ? {} : { kind: options.kind }),
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
    if (options.mostFailures === 1) args.push('--until-failure');
    const part = fork(fileURLToPath(import.meta.url), args, { execArgv: process.execArgv });
    part.on('message', (told) => {
      add(sum, told as Sum);
      if (sum.failed >= options.mostFailures) for (const each of parts) each.kill();
    });
    return part;
  });
  onSignal(() => {
    for (const part of parts) part.kill();
  });
  await Promise.all(parts.map((part) => new Promise<void>((resolve) => part.on('close', () => resolve()))));
  return sum;
}

/** A terminal sends Ctrl-C to all processes; those that play a part are told by the first, once. */
function onSignal(act: () => void): void {
  process.on('SIGTERM', act);
  process.on('SIGINT', process.send ? () => undefined : act);
}

/** At once at the second signal. */
function stopOnSignal(stop: () => Promise<void>, isPatient: boolean): void {
  let signals = isPatient ? 0 : 1;
  onSignal(() => {
    isStopped = true;
    signals += 1;
    if (signals !== 2) return;
    leave();
    void stop().finally(() => process.exit(130));
  });
}

async function playAll(options: Options): Promise<boolean> {
  const own = options.server === null ? await startSimPostgres() : null;
  const server = options.server ?? own!.url;
  stopOnSignal(async () => own?.stop(), true);
  const began = performance.now();
  try {
    let sum: Sum;
    if (options.seed !== null) sum = await playOne(options, server, options.seed);
    else if (options.jobs > 1) sum = await playParts(options, server);
    else {
      sum = await playSome(options, server, (played) => {
        if (options.digests) say(`${played.seed} ${played.digest}`);
        if (played.broken !== null) tellFailure(played);
      });
    }
    if (process.send) process.send(sum);
    else {
      const seconds = (performance.now() - began) / 1_000;
      const each = (n: number) => (n / Math.max(1, sum.schedules)).toFixed(1);
      say(
        `${sum.schedules} schedules in ${seconds.toFixed(1)} s (${(sum.schedules / seconds).toFixed(1)}/s), ${sum.failed} failed; ` +
          `${each(sum.steps)} steps, ${each(sum.statements)} statements and ${each(sum.calls)} calls each`,
      );
    }
    return sum.failed === 0;
  } finally {
    await own?.stop();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.mutations) {
    const { runMutations } = await import('./mutations.ts');
    const { only, jobs, first } = options;
    const server = await startSimPostgres();
    stopOnSignal(() => server.stop(), false);
    const each = { server: server.url, jobs, first, minutes: options.minutes ?? 2 };
    process.exitCode = (await runMutations(say, only, each).finally(() => server.stop())) ? 0 : 1;
  } else {
    install();
    process.exitCode = (await playAll(options)) ? (isStopped ? 130 : 0) : 1;
  }
} catch (error) {
  const { message, code } = error as Error & { code?: string };
  const misused = error instanceof Usage || code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(misused ? `${message}\n\n${usage}\n` : `sim: ${(error as Error).stack ?? message}\n`);
  process.exitCode = misused ? 2 : 1;
}
// Processes that a schedule ended never return: their waits must not hold this one.
process.exit();
