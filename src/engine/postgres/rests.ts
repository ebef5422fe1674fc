import { called, createFinder } from './times.ts';

/**
 * A queue rests by BullMQ's limiter, which has a number of jobs that is never reached. Under it each claim takes a lock for
 * the rest of its transaction, and all claims of a queue go one by one: so it is named only while this process knows that
 * the queue rests. Another process may have sent it to rest: then the jobs that are claimed here find it in the bucket.
 */
export type QueueRests = {
  /** The values as they are sent. */
  tell(text: string, values: unknown[] | undefined): unknown[] | undefined;
};

export function createRests(now: () => number): QueueRests {
  const until = new Map<string, number>();
  const placeOf = createFinder(places);
  return {
    tell(text, values) {
      if (!values) return values;
      const queue = String(values[0]);
      if (begins.test(text)) until.set(queue, now() + Number(values[1]) + lateMs);
      const place = placeOf(text);
      if (place === null || values[place] === null) return values;
      const rests = (until.get(queue) ?? 0) > now();
      if (!rests) until.delete(queue);
      return rests ? values : values.with(place, null);
    },
  };
}

/** The server counts the rest from when it was told. */
const lateMs = 1_000;
const begins = called('set_rate_limit');

/** Where the number of jobs is among the values. */
const places: readonly (readonly [RegExp, number])[] = [
  [called('move_to_active'), 5],
  [called('next_signal'), 1],
  [called('move_to_completed_fetch'), 11],
  [called('move_to_failed_fetch'), 12],
];
