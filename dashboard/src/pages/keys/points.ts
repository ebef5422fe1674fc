import type { KeyPoint, KeySeries } from '../../api/description.ts';
import { sumOf } from '../../kit/words.ts';

/** A key's series with every step of its time: where nothing happened it stayed as it was, and sent nothing. */
export type Point = Pick<KeyPoint, 'at' | 'state' | 'limit' | 'max_calls' | 'calls' | 'requests' | 'refused'>;

const nothing = {
  requests: { create: 0, poll: 0, update: 0, numbers: 0 },
  refused: { rate: 0, creates: 0, calls: 0 },
};

export function wholeSeries({ items, since, until, step_seconds: step }: KeySeries): Point[] {
  const known = new Map(items.map((item) => [Date.parse(item.at), item]));
  const points: Point[] = [];
  let last: Point = { at: since, state: 'open', limit: null, max_calls: null, calls: 0, ...nothing };
  for (let at = Date.parse(since); at < Date.parse(until); at += step * 1_000) {
    last = known.get(at) ?? { ...last, ...nothing, at: new Date(at).toISOString() };
    points.push(last);
  }
  return points;
}

export const refusedAt = ({ refused }: Pick<KeyPoint, 'refused'>) => sumOf(Object.values(refused));
export const takenAt = (point: Point) => Math.max(0, sumOf(Object.values(point.requests)) - refusedAt(point));

export const refusedIn = ({ items }: KeySeries) => sumOf(items.map(refusedAt));

/** A limit binds from the step after the one in which it was learned: until then the higher one held, or none. */
export const heldLimits = (limits: readonly (number | null)[]): (number | null)[] =>
  limits.map((limit, nth) => {
    const before = nth === 0 ? limit : limits[nth - 1]!;
    return limit === null || before === null ? null : Math.max(limit, before);
  });

export const isClosed = ({ state }: Pick<Point, 'state'>) => state !== 'open';

/** Until when it was closed the time before, if it was. */
export const closedBefore = ({ items }: KeySeries) =>
  items.findLast((point, nth) => isClosed(point) && items[nth + 1]?.state === 'open')?.at;
