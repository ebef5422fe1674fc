import type { World } from './draw.ts';
import type { LimitSpec } from './limiter.ts';

/** Named worlds: a usual service on a good network, with one thing about it that is examined. */
export const plain: World = {
  seed: 1,
  name: '',
  minutes: 5,
  limits: [],
  scale: () => 1,
  changes: [],
  strangers: null,
  maxCalls: null,
  quota: null,
  keys: 1,
  processes: 1,
  rttMs: 20,
  jitterMs: 10,
  retryAfter: 'none',
  callSeconds: 35,
};

export function limitOf(
  kind: LimitSpec['kind'],
  rate: number,
  seconds = 1,
  scope: LimitSpec['scope'] = 'all',
) {
  return { kind, rate, seconds, scope };
}

/** A limit that takes each rate for so many seconds. */
export function inPhases(kind: LimitSpec['kind'], rates: readonly number[], seconds: number): World {
  const first = rates[0]!;
  const phaseAt = (at: number) => Math.min(rates.length - 1, Math.max(0, Math.floor(at / (seconds * 1_000))));
  return {
    ...plain,
    name: `${kind} ${rates.join('-')}, ${seconds} s each`,
    minutes: Math.ceil((rates.length * seconds) / 60),
    limits: [limitOf(kind, first)],
    changes: rates.slice(1).map((_, i) => (i + 1) * seconds * 1_000),
    scale: (at) => rates[phaseAt(at)]! / first,
  };
}

const bucket20 = limitOf('bucket', 20);

/** Worlds whose pictures are in the docs. */
export const lessons: Record<string, World> = {
  'bucket-30-10-45': {
    ...inPhases('bucket', [30, 10, 45], 75),
    name: 'A token bucket of 30, 10, then 45 a second',
  },
  'sliding-12-4-18': {
    ...inPhases('sliding', [12, 4, 18], 75),
    name: 'A sliding window of a second that holds 12, 4, then 18',
  },
  'fixed-60-a-minute': {
    ...plain,
    name: '60 a minute, counted by the minutes of the clock',
    minutes: 12,
    limits: [{ ...limitOf('fixed', 1, 60), onClock: true }],
  },
  'daily-curve': {
    ...plain,
    name: 'A limit that rises and falls all the time, by 60 % in 20 minutes',
    minutes: 30,
    limits: [bucket20],
    scale: (at) => 1 + 0.6 * Math.sin((2 * Math.PI * at) / 1_200_000),
  },
  strangers: {
    ...plain,
    name: 'Others take part of 20 a second: much for 20 s, little for 40 s',
    minutes: 6,
    limits: [bucket20],
    strangers: { share: 0.5, manner: 'bursts' },
  },
  'cap-of-12-calls': {
    ...plain,
    name: '12 calls at once, and 20 requests a second',
    minutes: 10,
    limits: [bucket20],
    maxCalls: 12,
  },
  'creates-1-reads-20': {
    ...plain,
    name: '1 create a second, and 20 reads a second',
    minutes: 8,
    limits: [limitOf('bucket', 1, 1, 'create'), limitOf('bucket', 20, 1, 'poll')],
  },
  'jitter-500': {
    ...plain,
    name: '10 a second in a sliding window, on a network that varies by half a second',
    minutes: 6,
    limits: [limitOf('sliding', 10)],
    rttMs: 100,
    jitterMs: 500,
  },
  'retry-after-seconds': {
    ...plain,
    name: '50 in ten seconds, and each refusal says when to try again',
    minutes: 4,
    limits: [limitOf('fixed', 5, 10)],
    retryAfter: 'seconds',
  },
  'falls-to-a-tenth': {
    ...inPhases('bucket', [50, 5, 50], 120),
    name: 'A token bucket that falls to a tenth, and returns',
  },
};
