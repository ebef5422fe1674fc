/** The time inside calls: it can run faster than the wall's, and change its pace while calls are going on. */
import type { Clock } from '../src/base/clock.ts';

export type Timescale = {
  /** Milliseconds inside the calls' world since it began. */
  now(): number;
  /** The wall's time (ms since the epoch) at a moment of the calls' world. */
  wallAt(inner: number): number;
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
      // Calls of an earlier stretch keep the times they had, however fast the present one runs.
      const stretch = stretches.findLast((one) => one.inner <= inner) ?? stretches[0];
      return stretch.wall + (inner - stretch.inner) / stretch.speed;
    },
    setSpeed(next) {
      const inner = now();
      const wall = current.wall + (inner - current.inner) / current.speed;
      current = { inner, wall, mono: clock.monotonic(), speed: next };
      stretches.push(current);
    },
  };
}
