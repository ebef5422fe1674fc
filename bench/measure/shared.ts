import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { busyWorth } from '../../src/lane/poll-price.ts';
import { hasRedis } from '../../test/support/redis.ts';
import { startRun } from '../support/child.ts';
import { type Followed, followCalls, type Lag, lagOf } from '../support/followed.ts';
import {
  describeMachine,
  keep,
  machineLine,
  median,
  printSpreads,
  type Spread,
  type SpreadLine,
  say,
  spread,
} from '../support/report.ts';
import { type Entry, openService, type Service } from '../support/service.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { cpuOf } from './idle.ts';

/**
 * Calls finished in a fixed time under one shared limit, from an endless list: the planner compared with the same
 * program polling at a fixed interval. All times and rates here are in simulated time, which runs `speed` times as fast
 * as the wall clock.
 */
export type SharedOptions = {
  /** Requests a second of simulated time. */
  rate: number;
  speed: number;
  pairs: number;
  /** How long to measure, after the warm-up. */
  seconds: number;
  /** The fixed interval, in seconds. */
  beat: number;
  /** Seed of the first pair; each pair has its own. */
  seed: number;
};

const schedules = ['planner', 'beat'] as const;
type Schedule = (typeof schedules)[number];

type Run = {
  schedule: Schedule;
  finished: number;
  /** Calls made within the time. */
  made: number;
  /** The most calls in flight at once, from the create to the poll that saw the end. */
  inFlight: number;
  pollsPerCall: number;
  lag: Lag;
  /** The median time between two polls of a call. */
  beat: number;
  /** Share of the limit used by requests that were not refused. */
  used: number;
  refused: number;
  /** Share of one core used by the program with all its threads. */
  cpu: number;
};

/** Long enough that the first long calls have ended and the planner uses what it learned from them. */
const warmSeconds = 150;
/** The run continues this long, so that calls that ended within the time can still be polled. */
const graceSeconds = 60;

export async function measureShared(options: SharedOptions, signal: AbortSignal): Promise<void> {
  const machine = describeMachine();
  const engine = hasRedis() ? 'redis' : 'postgres';
  const { rate, speed, beat } = options;
  say(`${machineLine(machine)}, queue in ${engine}`);
  say(
    `one limit of ${rate} requests a second, ${options.seconds} s after ${warmSeconds} s; time runs ${speed} times as fast`,
  );
  const stage = await openStage([engine], false);
  const runs: Run[] = [];
  try {
    const people = stage.writePeople(listFor(options));
    for (let pair = 0; pair < options.pairs; pair++) {
      // The schedules take turns, each first equally often.
      for (const schedule of pair % 2 === 0 ? schedules : [...schedules].reverse()) {
        if (signal.aborted) throw new Error('interrupted');
        const run = await runOnce(stage, schedule, { ...options, seed: options.seed + pair, people }, signal);
        runs.push(run);
        say(describe(run, beat));
      }
    }
  } finally {
    await stage.close();
  }
  const of = (schedule: Schedule) => runs.filter((run) => run.schedule === schedule);
  const ratio = spread(of('planner').map((run, i) => run.finished / of('beat')[i]!.finished));
  print(of, ratio, beat);
  keep('shared', { engine, options, ratio, runs });
}

/** More calls than can be made in the time: each needs at least two requests. */
function listFor({ rate, seconds }: SharedOptions): number {
  return Math.min(200_000, Math.ceil((rate * (warmSeconds + seconds + graceSeconds)) / 2) + 1_000);
}

type Order = SharedOptions & { people: string };

async function runOnce(stage: Stage, schedule: Schedule, order: Order, signal: AbortSignal): Promise<Run> {
  const { rate, speed, seed, beat } = order;
  const database = await stage.freshDatabase();
  const redisUrl = hasRedis() ? await stage.freshRedis() : undefined;
  const service = await openService(stage, { rate: rate * speed, speed, seed, latencyMs: 20 }, signal);
  const stop = new AbortController();
  const giveUp = () => stop.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  let run: ReturnType<typeof startRun> | undefined;
  try {
    const flags = ['--agent', 'agent_bench', '--name', 'bench', '--new', '--yes', '--json'];
    // The default worth of a request, converted to simulated time.
    const own = ['--result-delay', `${busyWorth / speed}s`, '--out', join(stage.folder, 'results.csv')];
    const whole = (warmSeconds + order.seconds + graceSeconds) / speed;
    run = startRun([stage.program, 'run', order.people, ...flags, ...own], {
      cwd: stage.folder,
      env: {
        PATH: process.env.PATH,
        VOICE_BASE_URL: service.url,
        VOICE_API_KEYS: 'bench=bench-key',
        VOICE_RATE: String(rate * speed),
        VOICE_POLL: schedule === 'beat' ? String(beat / speed) : 'auto',
        DATABASE_URL: database.url,
        REDIS_URL: redisUrl,
        CARILLON_HOME: join(stage.folder, 'home'),
        LOG_LEVEL: 'error',
      },
      signal: stop.signal,
      deadlineMs: (whole + 120) * 1_000,
    });
    run.ended.catch(() => undefined);
    await firstCall(service, run.ended);
    await sleep((warmSeconds / speed) * 1_000, undefined, { signal });
    const before = { cpu: cpuOf(run.pid), at: performance.now() };
    await sleep((order.seconds / speed) * 1_000, undefined, { signal });
    const cpu = ((cpuOf(run.pid) - before.cpu) * 1_000) / (performance.now() - before.at);
    await sleep((graceSeconds / speed) * 1_000, undefined, { signal });
    const entries = await service.journal();
    return { ...judge(entries, schedule, order), cpu };
  } finally {
    stop.abort();
    // Awaited before its stores are removed: it would wait for them to return.
    await run?.ended.catch(() => undefined);
    signal.removeEventListener('abort', giveUp);
    await service.stop();
    await database.drop();
  }
}

/** Resolves when the first call is made; throws if the program ends earlier. */
export async function firstCall(service: Service, ended: Promise<unknown>, least = 1): Promise<void> {
  let over = false;
  ended.then(
    () => {
      over = true;
    },
    () => {
      over = true;
    },
  );
  while ((await service.made()) < least) {
    if (over) {
      await ended;
      throw new Error('the run ended before it made a call');
    }
    await sleep(100);
  }
}

function judge(entries: readonly Entry[], schedule: Schedule, order: Order): Omit<Run, 'cpu'> {
  const { rate, speed, seconds } = order;
  const calls = followCalls(entries, order);
  const from = calls[0]!.madeAt + (warmSeconds * 1_000) / speed;
  const to = from + (seconds * 1_000) / speed;
  const within = (at: number | null) => at !== null && at >= from && at < to;
  const requests = entries.filter((entry) => entry.path.startsWith('/v1/') && within(entry.mono));
  const refused = requests.filter((entry) => entry.answer === 429).length;
  const finished = calls.filter((call) => within(call.knownAt)).length;
  const polls = requests.filter((entry) => entry.method === 'GET' && entry.answer === 200).length;
  const gaps = calls.flatMap(({ asked }) =>
    asked.slice(1).flatMap((at, i) => (within(at) ? [((at - asked[i]!) * speed) / 1_000] : [])),
  );
  return {
    schedule,
    finished,
    made: calls.filter((call) => within(call.madeAt)).length,
    inFlight: mostAtOnce(calls, to),
    pollsPerCall: polls / finished,
    lag: lagOf(
      calls.filter((call) => within(call.endedAt)),
      speed,
    ),
    beat: gaps.length > 0 ? median(gaps) : 0,
    used: (requests.length - refused) / (rate * seconds),
    refused: refused / Math.max(1, requests.length),
  };
}

function mostAtOnce(calls: readonly Followed[], until: number): number {
  const turns = calls.flatMap(({ madeAt, knownAt }) => [
    { at: madeAt, by: 1 },
    { at: knownAt ?? Number.POSITIVE_INFINITY, by: -1 },
  ]);
  let now = 0;
  let most = 0;
  for (const { at, by } of turns.sort((a, b) => a.at - b.at)) {
    if (at > until) break;
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

function describe(run: Run, beat: number): string {
  const name = run.schedule === 'planner' ? 'planner' : `every ${beat} s`;
  return (
    `${name}: ${run.finished} calls finished, ${run.pollsPerCall.toFixed(2)} polls a call ${run.beat.toFixed(1)} s apart, ` +
    `lag ${run.lag.mean.toFixed(1)} s, p95 ${run.lag.p95.toFixed(1)} s, ${(run.used * 100).toFixed(1)} % of the limit, ` +
    `${(run.refused * 100).toFixed(2)} % 429, ${run.inFlight} in flight at most, ${(run.cpu * 100).toFixed(0)} % of a core`
  );
}

function print(of: (schedule: Schedule) => Run[], ratio: Spread, beat: number): void {
  printSpreads('', [
    ...schedules.flatMap((schedule): SpreadLine[] => {
      const name = schedule === 'planner' ? 'planner' : `every ${beat} s`;
      const each = (pick: (run: Run) => number) => spread(of(schedule).map(pick));
      return [
        [`${name}, calls finished`, each((run) => run.finished), 0],
        [`${name}, polls a call`, each((run) => run.pollsPerCall), 2],
        [`${name}, mean lag, s`, each((run) => run.lag.mean), 1],
        [`${name}, 95 % of lags, s`, each((run) => run.lag.p95), 1],
        [`${name}, % of the limit`, each((run) => run.used * 100), 1],
      ];
    }),
    ['planner to the fixed interval', ratio, 2],
  ]);
}
