/** Simulated time, the time inside calls: it can run faster than the wall clock and change speed during calls. */
import type { Clock } from '../src/base/clock.ts';

export type Timescale = {
  /** Milliseconds of simulated time since the start. */
  now(): number;
  /** The wall-clock time (ms since the epoch) of a moment in simulated time. */
  wallAt(inner: number): number;
  speed(): number;
  setSpeed(speed: number): void;
};

type Stretch = { inner: number; wall: number; mono: number; speed: number };

export function createTimescale(clock: Clock, speed: number): Timescale {
  const stretches: [Stretch, ...Stretch[]] = [
    { inner: 0, wall: clock.now(), mono: clock.monotonic(), speed },
  ];
  let current = stretches[0];
  const now = () => current.inner + (clock.monotonic() - current.mono) * current.speed;
  return {
    now,
    wallAt(inner) {
      // A new speed does not change the times of earlier calls.
      const stretch = stretches.findLast((one) => one.inner <= inner) ?? stretches[0];
      return stretch.wall + (inner - stretch.inner) / stretch.speed;
    },
    speed: () => current.speed,
    setSpeed(next) {
      const inner = now();
      const wall = current.wall + (inner - current.inner) / current.speed;
      current = { inner, wall, mono: clock.monotonic(), speed: next };
      stretches.push(current);
    },
  };
}
