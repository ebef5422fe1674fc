import { setImmediate } from 'node:timers/promises';
import { keep, median, type Spread, say, spread } from '../../support/report.ts';
import type { World } from './draw.ts';
import { percent } from './figures.ts';
import { inPhases, limitOf, plain } from './lessons.ts';
import { carillon } from './ours.ts';
import { type Played, play } from './play.ts';
import { allowedOf, score } from './score.ts';

/** Named worlds, each with several seeds: limits that fall and rise, calls at once, and other clients of the key. */
export type ChangesOptions = { seeds: number; only: string };

const learnSeconds = 20;
const judgedSeconds = 75;
const spanSeconds = 5;
const kinds = ['bucket', 'fixed', 'sliding', 'leaky'] as const;

export async function measureChanges(options: ChangesOptions, signal: AbortSignal): Promise<void> {
  const { only } = options;
  const seeds = Array.from({ length: options.seeds }, (_, i) => i + 1);
  const measure = async <T>(worlds: readonly World[], one: (world: World) => T) => {
    const found: { name: string; runs: T[] }[] = [];
    for (const world of worlds.filter(({ name }) => name.includes(only))) {
      if (signal.aborted) throw new Error('interrupted');
      found.push({ name: world.name, runs: seeds.map((seed) => one({ ...world, seed })) });
      await setImmediate();
    }
    return found;
  };

  say(`Medians of ${options.seeds} seeds, least and most in brackets; all shares in %.`);
  const phases = await measure(phaseWorlds(), measurePhases);
  say(
    '\na limit that changes           first, from 20 s         fall, 75 s                                 rise, 75 s',
  );
  for (const { name, runs } of phases) say(phaseLine(name, runs));

  const creates = await measure(createWorlds(), measureCreates);
  say('\nlimits of creates                     told apart                used               429');
  for (const { name, runs } of creates) {
    say(`${name.padEnd(38)}${toldLine(runs).padEnd(26)}${shares(runs)}`);
  }

  const strangers = await measure(strangerWorlds(), (world) => score(world, play(world, carillon)));
  say('\nother clients of the key                                used of the rest   429');
  for (const { name, runs } of strangers) say(`${name.padEnd(54)}${shares(runs)}`);

  keep('changes', { seeds: options.seeds, phases, creates, strangers });
}

function phaseWorlds(): World[] {
  return [
    [30, 10, 45],
    [12, 4, 18],
  ].flatMap((rates) =>
    kinds.flatMap((kind) =>
      [75, 200].flatMap((seconds) =>
        [1, 4, 8].map((processes) => ({
          ...inPhases(kind, rates, seconds),
          name: `${kind} ${rates.join('-')} /${seconds} p${processes}`,
          processes,
        })),
      ),
    ),
  );
}

type PhaseRun = Record<'first' | 'fall' | 'rise', { used: number; refused: number; settled: number | null }>;

function measurePhases(world: World): PhaseRun {
  const played = play(world, carillon);
  const [fallAt, riseAt] = world.changes.map((at) => at / 1_000) as [number, number];
  const judge = (from: number, until: number, settles: number, end: number) => {
    const accepted = sum(played.accepted, from, until);
    const refused = sum(played.refused, from, until);
    return {
      used: accepted / allowedIn(world, played, from, until),
      refused: refused / Math.max(1, accepted + refused),
      settled: settledAfter(world, played, settles, end),
    };
  };
  return {
    first: judge(learnSeconds, fallAt, 0, fallAt),
    fall: judge(fallAt, fallAt + judgedSeconds, fallAt, riseAt),
    rise: judge(riseAt, riseAt + judgedSeconds, riseAt, 2 * riseAt - fallAt),
  };
}

/** Seconds until nine tenths are used, over a span of five. */
function settledAfter(world: World, played: Played, from: number, until: number): number | null {
  for (let at = from; at + spanSeconds < until; at++) {
    const share = sum(played.accepted, at, at + spanSeconds) / allowedIn(world, played, at, at + spanSeconds);
    if (share >= 0.9 && share < 1.25) return at - from;
  }
  return null;
}

function allowedIn(world: World, { pollsPerCall }: Played, from: number, until: number): number {
  let allowed = 0;
  for (let second = from; second < until; second++) allowed += allowedOf(world, second, pollsPerCall);
  return allowed;
}

function sum(counts: ArrayLike<number>, from: number, until: number): number {
  let total = 0;
  for (let second = from; second < Math.min(until, counts.length); second++) total += counts[second]!;
  return total;
}

function phaseLine(name: string, runs: readonly PhaseRun[]): string {
  const of = (phase: keyof PhaseRun, figure: 'used' | 'refused') => runs.map((run) => run[phase][figure]);
  const cell = (phase: keyof PhaseRun) =>
    `${range(spread(of(phase, 'used')), 0).padEnd(16)}${range(spread(of(phase, 'refused')), 1)}`;
  const after = (phase: keyof PhaseRun) => {
    const middle = median(runs.map((run) => run[phase].settled ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(middle) ? `in ${middle} s` : 'never';
  };
  return [
    name.padEnd(27),
    cell('first').padEnd(34),
    `${cell('fall').padEnd(34)}${after('fall').padEnd(11)}`,
    `${cell('rise').padEnd(34)}${after('rise')}`,
  ].join('');
}

function createWorlds(): World[] {
  const minutes = 10;
  return [1, 2, 5, 10, 20].flatMap((rate) => {
    // How many calls need about this rate: a call takes 2.6 requests, and lasts 1.28 times its median.
    const callsFor = (requests: number) =>
      Math.max(1, Math.round((requests / 2.6) * plain.callSeconds * 1.28));
    const cap = { ...plain, minutes, maxCalls: callsFor(rate) };
    const limits = [limitOf('bucket', rate)];
    const own = [limitOf('bucket', rate), limitOf('bucket', rate / 10, 1 / Math.min(1, rate / 10), 'create')];
    return [
      { ...cap, name: `cap of ${cap.maxCalls} calls, ${rate}/s needed` },
      { ...plain, minutes, limits, name: `rate of ${rate}/s` },
      {
        ...cap,
        limits,
        maxCalls: callsFor(rate / 2),
        name: `rate of ${rate}/s and cap of ${callsFor(rate / 2)} calls`,
      },
      { ...plain, minutes, limits: own, name: `rate of ${rate}/s, creates ${rate / 10}/s` },
    ];
  });
}

/** Whether the final belief names the limit that holds: none of the creates' own, calls at once, or a rate. */
function measureCreates(world: World) {
  let kind = 'none';
  const played = play(world, carillon, ({ belief }) => {
    kind = belief.creates.kind;
  });
  const { used, refused } = score(world, played);
  const own = world.limits.some(({ scope }) => scope === 'create') ? 'rate' : 'none';
  const truth = world.maxCalls === null ? own : 'cap';
  return { used, refused, kind, isTold: kind === truth };
}

/** How often the belief was right, and what it was otherwise. */
function toldLine(runs: readonly { kind: string; isTold: boolean }[]): string {
  const wrong = ['none', 'cap', 'rate']
    .map((kind) => [kind, runs.filter((run) => !run.isTold && run.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  const told = runs.filter(({ isTold }) => isTold).length;
  return `${told} of ${runs.length}${wrong.length > 0 ? `; ${wrong.join(', ')}` : ''}`;
}

function strangerWorlds(): World[] {
  return (['bucket', 'fixed', 'sliding'] as const).flatMap((kind) =>
    (['steady', 'random'] as const).flatMap((manner) =>
      [0, 0.2, 0.4, 0.6, 0.8].map((share) => ({
        ...plain,
        name: `${kind} 20/s, strangers ${percent(share, 0)} % ${manner}`,
        minutes: 10,
        limits: [limitOf(kind, 20)],
        strangers: share === 0 ? null : { share, manner },
      })),
    ),
  );
}

function shares(runs: readonly { used: number; refused: number }[]): string {
  const used = range(spread(runs.map((run) => run.used)), 0);
  return `${used.padEnd(19)}${range(spread(runs.map((run) => run.refused)), 2)}`;
}

function range({ median: middle, least, most }: Spread, digits: number): string {
  return `${percent(middle, digits)} (${percent(least, digits)}-${percent(most, digits)})`;
}
