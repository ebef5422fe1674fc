import type { World } from '../../../bench/measure/worlds/draw.ts';
import { plain } from '../../../bench/measure/worlds/lessons.ts';
import type { LimitSpec } from '../../../bench/measure/worlds/limiter.ts';
import { carillon } from '../../../bench/measure/worlds/ours.ts';
import { type Played, play } from '../../../bench/measure/worlds/play.ts';
import { allowedOf } from '../../../bench/measure/worlds/score.ts';
import type { Belief } from '../../../src/rules/limit/belief.ts';

/** The worlds of the benchmark, for tests: a lane with an endless backlog and a service with limits, in virtual time. */
export type Visit = Partial<World> & { limits: LimitSpec[]; minutes: number };

/**
 * Figures that people notice: which part of what was allowed it used, and which part of its requests was
 * refused.
 */
export type Stay = {
  used(from: number, until: number): number;
  refused(from: number, until: number): number;
  creates(from: number, until: number): number;
  belief: Belief;
};

/** `watch` sees what is believed after each answer that was judged. */
export function visit(options: Visit, watch: (belief: Belief, now: number) => void = () => undefined): Stay {
  const world = { ...plain, ...options };
  let last: Belief | undefined;
  const played = play(world, carillon, ({ belief, now }) => {
    last = belief;
    watch(belief, now);
  });
  const allowed = Array.from({ length: world.minutes * 60 }, (_, i) =>
    allowedOf(world, i, played.pollsPerCall),
  );
  return {
    used: (from, until) => sum(played.accepted, from, until) / sum(allowed, from, until),
    refused: (from, until) => refusedOf(played, from, until),
    creates: (from, until) => sum(played.creates, from, until) / (until - from),
    belief: last!,
  };
}

/** The limit of a key: all its requests. */
export function limitOf(kind: LimitSpec['kind'], rate: number, seconds = 1, onClock = true): LimitSpec {
  return { kind, rate, seconds, scope: 'all', onClock };
}

/** It falls to a part of itself and rises again, each after as many seconds. */
export function changing(each: number, parts: readonly number[]): Pick<World, 'scale' | 'changes'> {
  return {
    changes: parts.slice(1).map((_, i) => (i + 1) * each * 1_000),
    scale: (at) => parts[Math.min(parts.length - 1, Math.floor(at / 1_000 / each))]!,
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function refusedOf({ accepted, refused }: Played, from: number, until: number): number {
  const no = sum(refused, from, until);
  return no / Math.max(1, no + sum(accepted, from, until));
}

function sum(of: ArrayLike<number>, from: number, until: number): number {
  let total = 0;
  for (let i = from; i < until && i < of.length; i++) total += of[i]!;
  return total;
}
