import type { KeyPoint, KeySeries } from '../../api/description.ts';

/** How far back the charts of a key go; the last is a little less than the minutes are kept. */
export const spans = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '1d': 86_400_000,
  '14d': 1_208_000_000,
};
export type SpanId = keyof typeof spans;

/** A key's series with every step of its time: where nothing happened it stayed as it was, and sent nothing. */
export type Point = Omit<KeyPoint, 'rate'> & { rate: number | null };

const nothing = {
  requests: { create: 0, poll: 0, update: 0, numbers: 0 },
  refused: { rate: 0, creates: 0, calls: 0 },
};

export function wholeSeries({ items, since, until, step_seconds: step }: KeySeries): Point[] {
  const known = new Map(items.map((item) => [Date.parse(item.at), item]));
  const stepMs = step * 1_000;
  const begin = Date.parse(since);
  const end = Date.parse(until);
  const points: Point[] = [];
  let last: Point = {
    at: since,
    state: 'open',
    rate: null,
    limit: null,
    sure: 0,
    probing: false,
    calls: 0,
    max_calls: null,
    ...nothing,
  };
  for (let at = begin; at < end; at += stepMs) {
    const found = known.get(at);
    last = found ?? { ...last, ...nothing, probing: false, at: new Date(at).toISOString() };
    points.push(last);
  }
  return points;
}

const leastPoints = 12;

/** A key has no rate before its first use. */
export const isUsed = ({ rate }: Point) => rate !== null;

/** Nothing is drawn of the time before the key was first used, unless that leaves too little to read. */
export function sinceFirst(points: readonly Point[]): readonly Point[] {
  const first = points.findIndex(isUsed);
  return first < 0 ? points : points.slice(Math.max(0, Math.min(first, points.length - leastPoints)));
}

export const requestsAt = ({ requests: { create, poll, update, numbers } }: Point) =>
  create + poll + update + numbers;
const refusedAt = ({ refused }: KeyPoint) => refused.rate + refused.creates + refused.calls;

/** How many requests were refused in the whole series, and when the last ones were. */
export const refusedIn = ({ items }: KeySeries) => items.reduce((sum, point) => sum + refusedAt(point), 0);
export const lastRefused = ({ items }: KeySeries) => items.findLast((point) => refusedAt(point) > 0)?.at;
