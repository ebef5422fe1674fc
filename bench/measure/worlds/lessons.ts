import type { World } from './draw.ts';
import type { LimitSpec } from './limiter.ts';

/** A usual service on a good network: a named world differs from it by one thing that is examined. */
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
