import type { QueryResult } from 'pg';

/**
 * A claim also tells when a worker may next find a job, 0 if one waits, null if there is none; and how long the queue
 * rests.
 */
export type Opens = { opensAt: number | null; restsMs: number };
export type QueueAnswer = QueryResult & Partial<Opens>;

/**
 * BullMQ's statements take the time from the clock of their process. Processes whose clocks differ would delay each
 * other's jobs or take them for dead. So each tells the ledger's time here, and hears it as its own.
 */
export type QueueTimes = {
  /** The values as they are sent. */
  tell(text: string, values: unknown[] | undefined): unknown[] | undefined;
  hear(text: string, result: QueueAnswer): QueueAnswer;
};

export function createTimes(aheadMs: () => number): QueueTimes {
  const placesOf = createFinder(places);
  return {
    tell(text, values) {
      const ahead = aheadMs();
      if (ahead === 0 || !values) return values;
      return (placesOf(text) ?? []).reduce(
        (told, place) => told.with(place, Number(told[place]) - ahead),
        values,
      );
    },
    hear(text, result) {
      const ahead = aheadMs();
      const row = ahead === 0 || !next.test(text) ? undefined : result.rows[0];
      if (row?.next_delay != null) row.next_delay = Number(row.next_delay) + ahead;
      return result.opensAt ? { ...result, opensAt: result.opensAt + ahead } : result;
    },
  };
}

/** The positions of the times among the values of a statement; other statements used here have none. */
const places: readonly (readonly [RegExp, readonly number[]])[] = [
  [called('move_to_active'), [3]],
  [called('next_signal'), [2]],
  [called('move_to_completed'), [4]],
  [called('move_to_completed_fetch'), [4, 9]],
  [called('move_to_failed'), [5]],
  [called('move_to_failed_fetch'), [5, 10]],
  [called('move_to_delayed'), [3]],
  [called('move_active_to_wait'), [3]],
  [called('move_stalled_jobs_to_wait'), [2]],
  [called('extend_lock'), [4]],
  [/SET locked_until_ms = \$5/, [4]],
  [called('change_delay'), [3]],
  [called('rate_limit_ttl'), [2]],
  [called('set_rate_limit'), [2]],
];
const next = /\bnext_(delay|signal)\(\s*\$1/;

/** Finds the value of the first pattern that a statement fits; each text is compared once. */
export function createFinder<T>(patterns: readonly (readonly [RegExp, T])[]): (text: string) => T | null {
  const known = new Map<string, T | null>();
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      found = patterns.find(([form]) => form.test(text))?.[1] ?? null;
      known.set(text, found);
    }
    return found;
  };
}

export function called(name: string): RegExp {
  return new RegExp(`\\b${name}\\(\\s*\\$1`);
}

export function answerOf(...rows: object[]): QueryResult {
  return { rows, rowCount: rows.length, command: 'SELECT', oid: 0, fields: [] };
}
