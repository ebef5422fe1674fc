/**
 * How a lane feels for its limit: it stays just below what it believes as long as it can, passes it slowly, and
 * goes on ever faster when nothing happens. A cubic, as in TCP CUBIC, but flat enough to be refused seldom.
 */
const depth = 0.02;
const rise = 0.03;
/** Where so few are under way that passing the limit costs one refusal, however far it is passed. */
const slowRise = 0.15;
const slowRate = 2;
/** While it is unsure it may lie far off, and the way there is short. */
const boldRise = 0.12;
const leastSpanMs = 15_000;
const boldSpanMs = 5_000;
/** So many requests at least lie between two 429s that the curve itself brings about. */
const leastRequests = 55;
const mostSpanMs = 2 * 3_600_000;

/** After a fall: half of what the first look for its return takes, in time and in requests. */
const leastLookMs = 3_000;
const leastLookRequests = 20;

export type Shape = {
  period: number;
  turns: number;
  restMs: number;
  sure: number;
  /** How often a limit that fell was looked after in vain; null for one that stands. */
  looks: number | null;
  /** When it fell, and when it was last met. */
  fallenAt: number;
  cutAt: number;
};

/** The time from the bottom of the curve to the belief; as long again leads as far above it. */
export function spanOf(limit: number, shape: Shape): number {
  const { period, turns, restMs } = shape;
  const least = isUnsure(shape) ? boldSpanMs : leastSpanMs;
  // What a stall costs is spread over a time that is long beside it.
  const spread = Math.min(4 * least, restMs * 24);
  const window = turns > 0 ? period : period / 2;
  const usual = Math.max(least, (leastRequests * 1_000) / limit, spread);
  return Math.min(mostSpanMs, Math.max(window, Math.min(usual, lookOf(limit, shape))));
}

/** So little is known of the limit that it may lie anywhere near. */
export function isUnsure({ sure }: Pick<Shape, 'sure'>): boolean {
  return sure < 0.3;
}

/** What fell a moment ago may be back in a moment; what stays low is looked after less and less often. */
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
