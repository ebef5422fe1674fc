import type { Clock } from './clock.ts';
import { CarillonError } from './errors.ts';
import type { Log } from './log.ts';

/**
 * No round fails for all because of one row: the row is set aside and rests, longer each time, an alert has its id, and
 * the round goes on.
 */
export type Asides = {
  /** Notes that work on a row failed; returns how long it rests. Throws again what is not the fault of one row. */
  fail(loop: string, id: string, error: unknown): number;
  done(loop: string, id: string): void;
  /** Does the work on one row, unless it rests; undefined when nothing came of it. */
  guard<T>(loop: string, id: string, work: () => Promise<T> | T): Promise<T | undefined>;
  /** Does it for all at once. Where one fails the others, halves find it. */
  halves<T, R>(
    loop: string,
    items: readonly T[],
    idOf: (item: T) => string,
    work: (items: readonly T[]) => Promise<R>,
  ): Promise<R[]>;
  /** The same of everything; `all` says what that may be, and is asked only if one fails the others. */
  parts<R>(
    loop: string,
    all: () => Promise<string[]>,
    work: (only: readonly string[] | null) => Promise<R>,
  ): Promise<R[]>;
  list(): SetAside[];
  /** The ids of those that rest. */
  resting(): string[];
};
type SetAside = { loop: string; id: string; why: string };

/** SQLSTATE's classes of wrong data, broken constraints and limits, and what a function raises. */
const dataFault = /^(2[0-3]|54|P0)/;
const leastMs = 5_000;
const mostMs = 600_000;
/** More than this are not rows that are wrong: the loop is. */
const mostRows = 100;

/** Whether one row may be the cause: not that something is away, or the program wrong. */
export function isOfOneRow(error: unknown): boolean {
  if (error instanceof CarillonError) return !error.code.endsWith('-unreachable');
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.length === 5 && dataFault.test(code);
}

/** Runs work on all items; where it fails because of one, on halves, until that one is alone. */
export async function inHalves<T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<R>,
  aside: (item: T, error: unknown) => void,
): Promise<R[]> {
  if (items.length === 0) return [];
  try {
    return [await work(items)];
  } catch (error) {
    if (!isOfOneRow(error)) throw error;
    if (items.length === 1) {
      aside(items[0]!, error);
      return [];
    }
    const half = items.length >> 1;
    const first = await inHalves(items.slice(0, half), work, aside);
    return [...first, ...(await inHalves(items.slice(half), work, aside))];
  }
}

export function createAsides({ clock, log }: { clock: Pick<Clock, 'monotonic'>; log: Log }): Asides {
  const rows = new Map<string, SetAside & { tries: number; until: number }>();
  const keyOf = (loop: string, id: string) => `${loop} ${id}`;
  /** One that was not tried again is gone: it was done elsewhere, or canceled. */
  const drop = () => {
    for (const [key, row] of rows) if (clock.monotonic() > row.until + mostMs) rows.delete(key);
  };
  const isResting = (row: { until: number } | undefined) =>
    row !== undefined && row.until > clock.monotonic();
  const rests = (loop: string, id: string) => isResting(rows.get(keyOf(loop, id)));

  const asides: Asides = {
    fail(loop, id, error) {
      if (!isOfOneRow(error)) throw error;
      drop();
      const known = rows.get(keyOf(loop, id));
      if (!known && [...rows.values()].filter((row) => row.loop === loop).length >= mostRows) throw error;
      const why = (error as Error).message;
      if (!known) log.error({ loop, id, err: why }, 'a row is set aside, and the others go on');
      const tries = (known?.tries ?? 0) + 1;
      const restMs = Math.min(mostMs, leastMs * 2 ** (tries - 1));
      rows.set(keyOf(loop, id), { loop, id, why, tries, until: clock.monotonic() + restMs });
      return restMs;
    },
    done: (loop, id) => void rows.delete(keyOf(loop, id)),
    async guard(loop, id, work) {
      if (rests(loop, id)) return undefined;
      try {
        const out = await work();
        asides.done(loop, id);
        return out;
      } catch (error) {
        asides.fail(loop, id, error);
        return undefined;
      }
    },
    async halves(loop, items, idOf, work) {
      const able = items.filter((item) => !rests(loop, idOf(item)));
      return inHalves(able, work, (item, error) => asides.fail(loop, idOf(item), error));
    },
    async parts(loop, all, work) {
      try {
        return [await work(null)];
      } catch (error) {
        if (!isOfOneRow(error)) throw error;
        return asides.halves(loop, await all(), (id) => id, work);
      }
    },
    list() {
      drop();
      return [...rows.values()].map(({ loop, id, why }) => ({ loop, id, why }));
    },
    resting: () => [...rows.values()].filter(isResting).map(({ id }) => id),
  };
  return asides;
}
