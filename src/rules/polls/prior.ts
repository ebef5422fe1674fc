import { bins, edges, widthOf } from './ages.ts';

/**
 * The chance that a call ends, by its age, until a campaign has shown its own: one in eight fails or is busy at once, a
 * third is not answered, a quarter reaches voicemail, the rest are conversations.
 */
const shares: readonly [share: number, alive: (age: number) => number][] = [
  [0.12, (age) => Math.exp(-age / 4)],
  [0.35, (age) => linear(age, 25, 31)],
  [0.25, (age) => linear(age, 20, 40)],
  [0.28, (age) => (age <= 9 ? 1 : 1 - normal(Math.log((age - 9) / 60) / 0.8))],
];
/** A call of any age may end: on average at least once in this many seconds. */
const slowest = 1_000;

/** The age by which half of such calls have ended. */
const half = 27;

/**
 * The rates by bin. `median` is the age by which half of a service's calls end, if it is known: all ages scale with it.
 */
export function priorOf(median: number = half): readonly number[] {
  const scale = median / half;
  return Array.from({ length: bins }, (_, bin) => {
    const before = alive(edges[bin]! / scale);
    const after = alive(edges[bin + 1]! / scale);
    const rate = after > 0 ? Math.log(before / after) / widthOf(bin) : 0;
    return Math.max(1 / slowest / scale, rate);
  });
}

function alive(age: number): number {
  return shares.reduce((sum, [share, each]) => sum + share * each(age), 0);
}

function linear(age: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (to - age) / (to - from)));
}

/** The normal distribution, to about four digits. */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}
