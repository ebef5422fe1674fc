/**
 * How a lane probes for its limit: it stays just below the believed limit for long, passes it slowly, and then rises
 * faster and faster while nothing is refused. A cubic, as in TCP CUBIC, but flat enough to be refused seldom.
 */
const depth = 0.02;
const rise = 0.03;
/** For a rate so low that passing the limit costs one refusal, however far it is passed. */
const slowRise = 0.15;
const slowRate = 2;
/** While the limit is unsure: it may be far off, so the curve is steep and short. */
const boldRise = 0.12;
const leastSpanMs = 15_000;
const boldSpanMs = 5_000;
/** The fewest requests between two 429s that the curve itself causes. */
const leastRequests = 55;
const mostSpanMs = 2 * 3_600_000;

/** After a fall: half of the first look for its return, in time and in requests. */
const leastLookMs = 3_000;
const leastLookRequests = 20;

export type Shape = {
  period: number;
  turns: number;
  restMs: number;
  sure: number;
  /** How often the return of a fallen limit was looked for in vain; null when it has not fallen. */
  looks: number | null;
  /** When it fell, and when it was last met. */
  fallenAt: number;
  cutAt: number;
};

/** The time from the bottom of the curve to the believed limit; the rise above it takes as long again. */
export function spanOf(limit: number, shape: Shape): number {
  const { period, turns, restMs } = shape;
  const least = isUnsure(shape) ? boldSpanMs : leastSpanMs;
  // The cost of a stall is spread over a much longer time.
  const spread = Math.min(4 * least, restMs * 24);
  const window = turns > 0 ? period : period / 2;
  const usual = Math.max(least, (leastRequests * 1_000) / limit, spread);
  return Math.min(mostSpanMs, Math.max(window, Math.min(usual, lookOf(limit, shape))));
}

/** Whether the believed limit is little more than a guess. */
export function isUnsure({ sure }: Pick<Shape, 'sure'>): boolean {
  return sure < 0.3;
}

/** A limit that has just fallen may soon be back; one that stays low is looked for less and less often. */
function lookOf(limit: number, { looks, fallenAt, cutAt }: Shape): number {
  if (looks === null) return Number.POSITIVE_INFINITY;
  const first = Math.max(leastLookMs, (leastLookRequests * 1_000) / limit);
  return Math.max(first * 2 ** looks, (cutAt - fallenAt) / 4);
}

export function riseTo(limit: number, usedMs: number, shape: Shape): number {
  const x = usedMs / spanOf(limit, shape) - 1;
  if (x < 0) return clamp(limit * (1 + depth * x ** 3));
  const isBold = isUnsure(shape) || shape.looks !== null;
  const steep = limit < slowRate ? slowRise : isBold ? boldRise : rise;
  return clamp(limit * (1 + steep * x ** 3));
}

export const leastRate = 0.01;
export const mostRate = 2_000;

export function clamp(rate: number): number {
  return Math.min(mostRate, Math.max(leastRate, rate));
}
