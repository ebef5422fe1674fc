import type { Random } from '../../../src/base/clock.ts';
import type { Kind, LimitSpec } from './limiter.ts';

/** A service and the network to it, drawn by seed: what limits it has, how they change, who else uses them. */
export type World = {
  seed: number;
  name: string;
  minutes: number;
  limits: LimitSpec[];
  /** The factor of the limits at a time. */
  scale(at: number): number;
  /** The times of sudden changes, in ms. */
  changes: number[];
  /** The share of the first limit that others take, and how their requests arrive. */
  strangers: { share: number; manner: 'steady' | 'random' | 'bursts' } | null;
  /** Calls at once. */
  maxCalls: number | null;
  /** Requests per day; the end of the day is outside the time that is played. */
  quota: number | null;
  keys: number;
  processes: number;
  /** The mean round trip, and how much each way varies. */
  rttMs: number;
  jitterMs: number;
  retryAfter: 'none' | 'seconds' | 'date' | 'zero';
  /** The median length of a call. */
  callSeconds: number;
};

export function drawWorld(seed: number): World {
  const random = createRandom(seed * 7_919 + 17);
  const pick = <T>(choices: readonly [weight: number, value: T][]): T => {
    let left = random() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices.at(-1)![1];
  };
  const between = (low: number, high: number) => low + (high - low) * random();
  const scaled = (low: number, high: number) => Math.exp(between(Math.log(low), Math.log(high)));

  const kind = pick<LimitSpec['kind']>([
    [35, 'bucket'],
    [25, 'fixed'],
    [20, 'sliding'],
    [8, 'counters'],
    [12, 'leaky'],
  ]);
  const seconds =
    kind === 'bucket'
      ? pick([
          [2, 0],
          [2, 0.3],
          [4, 1],
          [2, 5],
          [1, 15],
        ])
      : kind === 'leaky'
        ? between(0.5, 3)
        : pick([
            [5, 1],
            [1, 10],
            [3, 60],
          ]);
  // A window of a second holds a whole number of requests.
  const rate = seconds === 1 && kind !== 'bucket' ? Math.round(scaled(1, 200)) : scaled(0.2, 200);
  const main: LimitSpec = { kind, rate, seconds, scope: 'all', onClock: random() < 0.5 };
  const limits = [main];
  const special = pick<'none' | 'cap' | 'operations' | 'two' | 'account' | 'quota'>([
    [68, 'none'],
    [10, 'cap'],
    [6, 'operations'],
    [8, 'two'],
    [5, 'account'],
    [3, 'quota'],
  ]);
  const callSeconds = pick([
    [1, 15],
    [3, 35],
    [1, 60],
  ]);
  let maxCalls: number | null = null;
  if (special === 'cap') {
    // A cap between what the rate would allow by itself, and a tenth of it.
    maxCalls = Math.max(1, Math.round(rate * 0.4 * callSeconds * scaled(0.1, 1)));
  }
  if (special === 'operations') {
    limits.push({ ...main, kind: 'bucket', seconds: 1, rate: rate * between(0.05, 0.3), scope: 'create' });
  }
  if (special === 'two') {
    limits.push({ kind: 'fixed', rate: rate * between(0.4, 0.8), seconds: 60, scope: 'all', onClock: true });
  }
  const { scale, changes, manner } = drawChange(random, pick, between, scaled);
  const strangers =
    special === 'none' && !(kind === 'bucket' && rate * seconds < 2) && random() < 0.2
      ? {
          share: between(0.05, 0.8),
          manner: pick<NonNullable<World['strangers']>['manner']>([
            [1, 'steady'],
            [2, 'random'],
            [1, 'bursts'],
          ]),
        }
      : null;
  const quota = special === 'quota' ? Math.round(rate * between(300, 1_500)) : null;
  return {
    seed,
    name: [
      `${kind} ${rate.toPrecision(3)}/s over ${seconds.toPrecision(2)} s`,
      manner,
      special === 'none' ? null : special,
      strangers ? `strangers ${Math.round(strangers.share * 100)} % ${strangers.manner}` : null,
    ]
      .filter((part) => part !== null)
      .join(', '),
    minutes: 30,
    limits,
    scale,
    changes,
    strangers,
    maxCalls,
    quota,
    keys:
      special === 'account'
        ? pick([
            [2, 2],
            [1, 3],
          ])
        : 1,
    processes: pick([
      [5, 1],
      [2, 2],
      [2, 4],
      [1, 8],
    ]),
    rttMs: scaled(20, 300),
    jitterMs: scaled(1, 500),
    retryAfter: pick<World['retryAfter']>([
      [6, 'none'],
      [2, 'seconds'],
      [1, 'date'],
      [1, 'zero'],
    ]),
    callSeconds,
  };
}

type Pick = <T>(choices: readonly [weight: number, value: T][]) => T;
type Range = (low: number, high: number) => number;

function drawChange(random: Random, pick: Pick, between: Range, scaled: Range) {
  const manner = pick<'stands' | 'steps' | 'returns' | 'ramp' | 'daily'>([
    [40, 'stands'],
    [25, 'steps'],
    [15, 'returns'],
    [10, 'ramp'],
    [10, 'daily'],
  ]);
  const end = 30 * 60_000;
  switch (manner) {
    case 'stands':
      return { manner, changes: [], scale: () => 1 };
    case 'steps': {
      const changes = Array.from({ length: 1 + Math.floor(random() * 3) }, () => between(120_000, end)).sort(
        (a, b) => a - b,
      );
      let last = 1;
      const scales = changes.map(() => {
        last = Math.min(10, Math.max(0.1, last * scaled(0.1, 10)));
        return last;
      });
      return {
        manner,
        changes,
        scale: (at: number) => scales[changes.findLastIndex((each) => each <= at)] ?? 1,
      };
    }
    case 'returns': {
      const from = between(120_000, end * 0.7);
      const until = from + scaled(20_000, 600_000);
      const low = scaled(0.1, 0.7);
      return {
        manner,
        changes: [from, until],
        scale: (at: number) => (at >= from && at < until ? low : 1),
      };
    }
    case 'ramp': {
      const from = between(60_000, end / 2);
      const until = from + between(120_000, 600_000);
      const to = scaled(0.1, 10);
      return {
        manner,
        changes: [],
        scale: (at: number) => to ** Math.min(1, Math.max(0, (at - from) / (until - from))),
      };
    }
    case 'daily': {
      const period = scaled(10, 1_440) * 60_000;
      const phase = random();
      return {
        manner,
        changes: [],
        scale: (at: number) => 1 + 0.6 * Math.sin(2 * Math.PI * (at / period + phase)),
      };
    }
  }
}

export function createRandom(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type { Kind };
