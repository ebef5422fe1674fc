import { called, createFinder } from './times.ts';

/**
 * A queue rests by BullMQ's limiter, whose number of jobs is never reached. With a limiter each claim takes a lock
 * until the end of its transaction, and the claims of a queue go one at a time. So the limiter is named only while this
 * process knows that the queue rests. If another process sent it to rest, jobs claimed here find the rest in the
 * bucket.
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

/** Added here, because the server counts the rest from when it was told. */
const lateMs = 1_000;
const begins = called('set_rate_limit');

/** The position of the number of jobs among the values. */
const places: readonly (readonly [RegExp, number])[] = [
  [called('move_to_active'), 5],
  [called('next_signal'), 1],
  [called('move_to_completed_fetch'), 11],
  [called('move_to_failed_fetch'), 12],
];
