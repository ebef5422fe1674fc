import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd } from '../../support/child.ts';
import { hasPython, type Independent, type Journal, openIndependent } from '../../support/independent.ts';
import { keep, say } from '../../support/report.ts';
import { openStage, type Stage } from '../../support/stage.ts';
import { judgeRun, type PhaseFigures } from './figures.ts';
import { type World, worlds } from './worlds.ts';

/**
 * The whole program over HTTP against an independent service with an unknown limit, judged by that service's journal.
 */
export type MovingOptions = {
  runs: number;
  /** Only worlds whose name contains this. */
  only: string;
  /** The most milliseconds by which a request may arrive later than another. */
  jitter: number;
  /** How much shorter calls are than in real life. */
  speed: number;
  retryAfter: 'none' | 'seconds' | 'date';
};

type Spread = { median: number | null; least: number | null; most: number | null };

export async function measureMoving(options: MovingOptions, signal: AbortSignal): Promise<void> {
  if (!hasPython()) throw new Error('python3 is not on the PATH: the independent service is written in it');
  const chosen = worlds.filter(({ name }) => name.includes(options.only));
  if (chosen.length === 0) throw new Error(`no world is named ${options.only}`);
  const stage = await openStage(['postgres'], false);
  const rows: object[] = [];
  try {
    say(
      `% of the limit used, % answered 429, seconds until 90 % are used; medians of ${options.runs}, min to max`,
    );
    for (const world of chosen) {
      const runs: PhaseFigures[][] = [];
      for (let nth = 1; nth <= options.runs; nth++) {
        if (signal.aborted) throw new Error('interrupted');
        runs.push(await runWorld(stage, world, nth, options, signal));
      }
      const phases = runs[0]!.map((_, i) => summarise(runs.map((run) => run[i]!)));
      for (const [i, phase] of phases.entries()) {
        say(
          `${(i === 0 ? world.name : '').padEnd(36)}${String(phase.rate ?? '-').padStart(4)}/s` +
            `${percent(phase.used)}${percent(phase.refused, 1)}${tell(phase.settled, (value) => value.toFixed(1))}` +
            `   polls a call ${phase.polls.median?.toFixed(1)}`,
        );
      }
      rows.push({ world: world.name, args: world.args, phases, runs });
    }
  } finally {
    await stage.close();
  }
  keep('limits-moving', { ...options, rows });
}

async function runWorld(
  stage: Stage,
  world: World,
  nth: number,
  options: MovingOptions,
  signal: AbortSignal,
): Promise<PhaseFigures[]> {
  const keys = Array.from({ length: world.keys }, (_, i) => `key-${i + 1}`);
  const args = {
    keys: keys.join(','),
    jitter: options.jitter,
    'retry-after': options.retryAfter,
    speed: options.speed,
    seed: nth,
  };
  const flags = Object.entries(args).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const database = await stage.freshDatabase();
  const service = await openIndependent([...world.args, ...flags], signal);
  try {
    const ground = { service, keys, databaseUrl: database.url };
    return judgeRun(world, await dial(stage, world, ground, signal));
  } finally {
    await service.stop();
    await database.drop();
  }
}

type Ground = { service: Independent; keys: string[]; databaseUrl: string };

/** Runs a list that is longer than the world's time, and stops when the time is over. */
async function dial(stage: Stage, world: World, ground: Ground, signal: AbortSignal): Promise<Journal> {
  const { folder: cwd, program } = stage;
  const { service, keys, databaseUrl } = ground;
  const env = {
    PATH: process.env.PATH,
    VOICE_BASE_URL: service.url,
    VOICE_API_KEYS: keys.map((key, i) => `k${i + 1}=${key}`).join(','),
    DATABASE_URL: databaseUrl,
    CARILLON_HOME: join(cwd, 'home'),
  };
  const stop = new AbortController();
  const giveUp = () => stop.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  const order = { agent: 'agent_bench', name: 'bench', out: join(cwd, 'results.csv') };
  const flags = Object.entries(order).flatMap(([name, value]) => [`--${name}`, value]);
  const command = [program, 'run', stage.writePeople(listLength(world)), ...flags, '--yes', '--json'];
  const deadlineMs = (world.seconds + 60) * 1_000;
  const early = runToEnd(command, { cwd, env, signal: stop.signal, deadlineMs }).then(
    () => new Error('the list ended before the time was over'),
    (error: Error) => error,
  );
  try {
    const ended = await Promise.race([early, untilOver(service, world, stop.signal)]);
    if (ended) throw ended;
    return await service.journal();
  } finally {
    stop.abort();
    signal.removeEventListener('abort', giveUp);
    await early;
  }
}

/** Enough people even if every request is a create. */
function listLength({ phases, seconds }: World): number {
  const most = Math.max(...phases.map(({ rate }) => rate ?? 30));
  return Math.ceil(most * seconds * 1.2);
}

/**
 * Waits for the first create and then for the world's time: reading the journal in between would slow the service down.
 */
async function untilOver(service: Independent, { seconds }: World, signal: AbortSignal): Promise<null> {
  const deadline = Date.now() + 30_000;
  let beganAt = await service.beganAt();
  while (beganAt === null) {
    if (Date.now() > deadline) throw new Error('no call was made within 30 s');
    await sleep(250, undefined, { signal });
    beganAt = await service.beganAt();
  }
  await sleep(beganAt + seconds * 1_000 + 500 - Date.now(), undefined, { signal });
  return null;
}

function summarise(phases: readonly PhaseFigures[]) {
  const { from, rate } = phases[0]!;
  const spread = (pick: (phase: PhaseFigures) => number | null): Spread => {
    const never = Number.POSITIVE_INFINITY;
    const values = phases.map((phase) => pick(phase) ?? never).sort((a, b) => a - b);
    const at = (i: number) => (values[i] === never ? null : values[i]!);
    return { median: at(Math.floor(values.length / 2)), least: at(0), most: at(values.length - 1) };
  };
  return {
    from,
    rate,
    used: spread((phase) => phase.used),
    refused: spread((phase) => phase.refused),
    settled: spread((phase) => phase.settled),
    polls: spread((phase) => phase.polls),
  };
}

function percent(spread: Spread, digits = 0): string {
  return tell(spread, (value) => (value * 100).toFixed(digits));
}

function tell({ median, least, most }: Spread, show: (value: number) => string): string {
  const [middle, low, high] = [median, least, most].map((value) => (value === null ? 'never' : show(value)));
  return (low === high ? `${middle}` : `${middle} (${low}-${high})`).padStart(20);
}
