import type { Random } from '../../base/clock.ts';

/** Full jitter: somewhere between nothing and a doubling ceiling, so that a crowd does not come back at once. */
export function fullJitter(tries: number, baseMs: number, mostMs: number, random: Random): number {
  const ceiling = Math.min(mostMs, baseMs * 2 ** Math.max(0, tries));
  return Math.round(random() * ceiling);
}
