import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasRedis } from '../../test/support/redis.ts';
import { runToEnd, startRun } from '../support/child.ts';
import { type Followed, followCalls, type Lag, lagOf } from '../support/followed.ts';
import {
  describeMachine,
  keep,
  machineLine,
  printSpreads,
  type SpreadLine,
  say,
  spread,
} from '../support/report.ts';
import { type Entry, openService, type Service } from '../support/service.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { type Bound, boundOf, type Stretch } from './bound.ts';
import { cpuOf } from './idle.ts';
import { firstCall } from './shared.ts';

/**
 * How long the whole program takes for a whole list, with an outage of credit and a lower limit midway, compared with
 * the bound of a schedule that knows everything in advance. Seconds are wall-clock; lags are in simulated time, which
 * runs `speed` times as fast.
 */
export type MakespanOptions = {
  calls: number;
  /** Requests a second of wall-clock time. */
  rate: number;
  speed: number;
  runs: number;
  /** The lag that one request is worth, in simulated seconds. */
  lag: number;
};

const kinds = ['undisturbed', 'disturbed'] as const;
type Kind = (typeof kinds)[number];

type Run = {
  kind: Kind;
  seconds: number;
  bound: Bound;
  /** The time relative to the bound. */
  ratio: number;
  /** The time relative to the bound of a schedule that polls as often as the undisturbed run did. */
  toEqualPolls: number;
  pollsPerCall: number;
  /** The time from the last create to the last result: long calls cannot be known and made first. */
  tail: number;
  lag: Lag;
  /** Mean lag of each tenth of the list, in the order of the creates. */
  lagByTenth: number[];
  used: number;
  refused: number;
  cpu: number;
  outage: number;
  /** The time from the return of the credit to the next call. */
  creditNoticed: number;
  /** The time from the return of the limit until 90 % of it was used, over five seconds. */
  limitFound: number;
};

/** Times from the first call, as fractions of the time that two requests a call take. */
const outageFrom = 0.3;
const dropFrom = 0.6;
const dropUntil = 0.9;
/** The limit drops to this fraction. */
const drop = 0.5;
/** Short calls first teach the key its limit: a list is seldom the first work of a key. */
const lessonsFor = (rate: number) => Math.ceil(rate * 12.5);
const lessonSpeed = 1_000_000;

export async function measureMakespan(options: MakespanOptions, signal: AbortSignal): Promise<void> {
  const machine = describeMachine();
  const engine = hasRedis() ? 'redis' : 'postgres';
  const { calls, rate, speed } = options;
  say(`${machineLine(machine)}, queue in ${engine}`);
  say(`${calls} calls, one limit of ${rate}/s; time runs ${speed} times as fast inside the calls`);
  const stage = await openStage([engine], false);
  const runs: Run[] = [];
  try {
    for (let turn = 0; turn < options.runs; turn++) {
      let polls: number | null = null;
      for (const kind of kinds) {
        if (signal.aborted) throw new Error('interrupted');
        const outage = kind === 'disturbed' ? outageOf(turn, options.runs) : 0;
        const run = await runOnce(stage, kind, { ...options, seed: turn + 1, outage, polls }, signal);
        polls ??= run.pollsPerCall;
        runs.push(run);
        say(describe(run));
        // A run takes long: what is known stays, whatever becomes of the next one.
        keep('makespan', { engine, options, runs });
      }
    }
  } finally {
    await stage.close();
  }
  print(runs);
}

/**
 * A key without credit is probed after 5 s, 15 s, and so on. How late the return of credit is noticed depends on where
 * it falls between two probes, so the outages are spread evenly over one such gap.
 */
function outageOf(turn: number, runs: number): number {
  return 5 + (10 * (turn + 0.5)) / runs;
}

type Order = MakespanOptions & { seed: number; outage: number; polls: number | null };

async function runOnce(stage: Stage, kind: Kind, order: Order, signal: AbortSignal): Promise<Run> {
  const { speed, calls } = order;
  const lessons = lessonsFor(order.rate);
  const database = await stage.freshDatabase();
  const redisUrl = hasRedis() ? await stage.freshRedis() : undefined;
  const service = await openService(stage, { ...order, speed: lessonSpeed, latencyMs: 20 }, signal);
  const stop = new AbortController();
  const giveUp = () => stop.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  const child = {
    cwd: stage.folder,
    env: {
      PATH: process.env.PATH,
      VOICE_BASE_URL: service.url,
      VOICE_API_KEYS: 'bench=bench-key',
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      CARILLON_HOME: join(stage.folder, 'home'),
      LOG_LEVEL: 'error',
    },
    signal: stop.signal,
    deadlineMs: 600_000,
  };
  const argsFor = (list: string, name: string) => {
    const out = join(stage.folder, `${name}.results.csv`);
    const flags = ['--agent', 'agent_bench', '--name', name, '--new', '--yes', '--json', '--out', out];
    return [stage.program, 'run', list, ...flags, '--result-delay', `${order.lag / speed}s`];
  };
  let run: ReturnType<typeof startRun> | undefined;
  try {
    await runToEnd(argsFor(stage.writePeople(lessons, 'lessons'), 'lessons'), child);
    await service.control({ speed });
    const people = stage.writePeople(calls, 'people', lessons);
    run = startRun(argsFor(people, 'people'), child);
    run.ended.catch(() => undefined);
    await firstCall(service, run.ended, lessons + 1);
    const before = { cpu: cpuOf(run.pid), at: performance.now() };
    const changes = kind === 'disturbed' ? await disturb(service, order, signal) : [];
    if (changes.length === 0) await sleep(leastSeconds(order) * outageFrom * 1_000, undefined, { signal });
    const cpu = ((cpuOf(run.pid) - before.cpu) * 1_000) / (performance.now() - before.at);
    const summary = JSON.parse((await run.ended).stdout) as { done: number };
    if (summary.done !== calls) throw new Error(`${summary.done} of ${calls} calls were done`);
    return { kind, ...judge(await service.journal(), changes, order), cpu };
  } finally {
    stop.abort();
    await run?.ended.catch(() => undefined);
    signal.removeEventListener('abort', giveUp);
    await service.stop();
    await database.drop();
  }
}

function leastSeconds({ calls, rate }: Pick<Order, 'calls' | 'rate'>): number {
  return (2 * calls) / rate;
}

/** The changes and their times, by this process's clock, which the service shares. */
type Change = { at: number; rate: number; credit: boolean };

async function disturb(service: Service, order: Order, signal: AbortSignal): Promise<Change[]> {
  const { rate, outage } = order;
  const began = performance.now();
  const least = leastSeconds(order);
  const plan = [
    { after: least * outageFrom, change: { credits: 0 }, rate, credit: false },
    { after: least * outageFrom + outage, change: { credits: null }, rate, credit: true },
    { after: least * dropFrom, change: { rate: rate * drop }, rate: rate * drop, credit: true },
    { after: least * dropUntil, change: { rate }, rate, credit: true },
  ];
  const changes: Change[] = [];
  for (const step of plan) {
    await sleep(Math.max(0, step.after * 1_000 - (performance.now() - began)), undefined, { signal });
    await service.control(step.change);
    changes.push({ at: Date.now(), rate: step.rate, credit: step.credit });
  }
  return changes;
}

function judge(
  entries: readonly Entry[],
  changes: readonly Change[],
  order: Order,
): Omit<Run, 'kind' | 'cpu'> {
  const { rate, speed, calls, outage } = order;
  const lessons = lessonsFor(rate);
  const all = followCalls(entries, order);
  const mine = all.slice(lessons);
  if (mine.length !== calls) throw new Error(`${mine.length} of ${calls} calls were made`);
  const first = mine[0]!.madeAt;
  const last = Math.max(...mine.map((call) => call.knownAt ?? Number.POSITIVE_INFINITY));
  const seconds = (last - first) / 1_000;
  const own = entries.filter(({ mono, path }) => mono >= first && path.startsWith('/v1/'));
  const refused = own.filter(({ answer }) => answer === 429).length;
  // The journal has each moment by both clocks.
  const toSeconds = (at: number) => (at - own[0]!.at) / 1_000;
  const stretches: Stretch[] = [
    { from: 0, rate, credit: true },
    ...changes.map(({ at, ...rest }) => ({ from: toSeconds(at), ...rest })),
  ];
  const lengths = mine.map((call) => (call.endedAt - call.madeAt) / 1_000);
  const pollsPerCall = own.filter(({ method, answer }) => method === 'GET' && answer === 200).length / calls;
  const bound = boundOf(lengths, stretches);
  const equal = boundOf(lengths, stretches, 1 + (order.polls ?? pollsPerCall));
  const [, credited, , raised] = changes.map(({ at }) => first + toSeconds(at) * 1_000);
  return {
    seconds,
    bound,
    ratio: seconds / bound.seconds,
    toEqualPolls: seconds / equal.seconds,
    pollsPerCall,
    tail: (last - Math.max(...mine.map((call) => call.madeAt))) / 1_000,
    lag: lagOf(mine, speed),
    lagByTenth: Array.from({ length: 10 }, (_, i) => {
      const part = mine.slice((i * calls) / 10, ((i + 1) * calls) / 10);
      return lagOf(part, speed).mean;
    }),
    used: (own.length - refused) / capacity(stretches, seconds),
    refused: refused / own.length,
    outage,
    creditNoticed: credited === undefined ? 0 : noticed(mine, credited),
    limitFound: raised === undefined ? 0 : found(own, raised, rate),
  };
}

function capacity(stretches: readonly Stretch[], seconds: number): number {
  return stretches.reduce((sum, { from, rate }, i) => {
    const until = Math.min(seconds, stretches[i + 1]?.from ?? seconds);
    return sum + rate * Math.max(0, until - from);
  }, 0);
}

function noticed(calls: readonly Followed[], from: number): number {
  const next = calls.find((call) => call.madeAt >= from);
  return next ? (next.madeAt - from) / 1_000 : Number.POSITIVE_INFINITY;
}

function found(entries: readonly Entry[], from: number, rate: number): number {
  const passed = entries.filter(({ mono, answer }) => mono >= from && answer !== 429).map(({ mono }) => mono);
  const spanMs = 5_000;
  const enough = Math.ceil((rate * 0.9 * spanMs) / 1_000);
  for (let i = 0; i + enough <= passed.length; i++) {
    if (passed[i + enough - 1]! - passed[i]! <= spanMs) return (passed[i]! - from) / 1_000;
  }
  return Number.POSITIVE_INFINITY;
}

function describe(run: Run): string {
  const found = Number.isFinite(run.limitFound) ? `after ${run.limitFound.toFixed(1)} s` : 'not again';
  const disturbed =
    run.kind === 'disturbed'
      ? `; ${run.outage.toFixed(1)} s without credit, return noticed ${run.creditNoticed.toFixed(1)} s late, limit found ${found}`
      : '';
  return (
    `${run.kind}: ${run.seconds.toFixed(1)} s, bound ${run.bound.seconds.toFixed(1)} s (requests ${run.bound.requests.toFixed(1)}, calls ${run.bound.calls.toFixed(1)}), ` +
    `${run.ratio.toFixed(2)} of it, ${run.toEqualPolls.toFixed(2)} at equal polls, ${run.pollsPerCall.toFixed(2)} polls a call, ${run.tail.toFixed(1)} s after the last create, ` +
    `lag ${run.lag.mean.toFixed(1)} s, p95 ${run.lag.p95.toFixed(1)} s, by tenths ${run.lagByTenth.map((lag) => lag.toFixed(0)).join(' ')}, ${(run.used * 100).toFixed(1)} % of the limit, ` +
    `${(run.refused * 100).toFixed(2)} % 429, ${(run.cpu * 100).toFixed(0)} % of a core${disturbed}`
  );
}

function print(runs: readonly Run[]): void {
  const figures: [string, (run: Run) => number, number][] = [
    ['seconds', (run) => run.seconds, 1],
    ['bound, seconds', (run) => run.bound.seconds, 1],
    ['to the bound', (run) => run.ratio, 2],
    ['to the bound at equal polls', (run) => run.toEqualPolls, 2],
    ['after the last create, seconds', (run) => run.tail, 1],
    ['polls a call', (run) => run.pollsPerCall, 2],
    ['mean lag, s', (run) => run.lag.mean, 1],
    ['95 % of lags, s', (run) => run.lag.p95, 1],
    ['% of the limit', (run) => run.used * 100, 1],
    ['% 429', (run) => run.refused * 100, 2],
    ['return of the credit noticed after, s', (run) => run.creditNoticed, 1],
    ['return of the limit found after, s', (run) => run.limitFound, 1],
  ];
  const linesOf = (kind: Kind) =>
    figures.map(([name, pick, digits]): SpreadLine => {
      const own = runs.filter((run) => run.kind === kind);
      return [`${kind}, ${name}`, spread(own.map(pick)), digits];
    });
  printSpreads('', kinds.flatMap(linesOf));
}
