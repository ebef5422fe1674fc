import type { Random } from '../../base/clock.ts';

/** Full jitter: a random wait between zero and a doubling ceiling, so that a crowd does not return at once. */
export function fullJitter(tries: number, baseMs: number, mostMs: number, random: Random): number {
  const ceiling = Math.min(mostMs, baseMs * 2 ** Math.max(0, tries));
  return Math.round(random() * ceiling);
}
