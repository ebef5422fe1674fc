import type { QueryResult } from 'pg';
import type { Listener } from '../../base/postgres/listener.ts';
import { answerOf, called, createFinder, type QueueAnswer } from './times.ts';

/**
 * BullMQ's worker claims once more after each job that it got, and asks three questions each time it finds none: whether
 * one came meanwhile, when the next delayed one is due, and whether the queue rests. A notice announces each added job.
 * So if none came since the last answer, and no statement of this process changed the queue, that answer still holds. A
 * job that this process adds or puts off for later only may be the next one that is due. All times are the ledger's.
 */
export type KnownAnswers = {
  /** Hears the notices of a queue on which a worker of this process waits; returns how to stop. */
  watch(queue: string): () => void;
  /** The known answer, in the form of the statement's; null means ask. `values` are those that would be sent. */
  answer(text: string, values: readonly unknown[] | undefined): QueryResult | null;
  /** A statement is sent: pass its answer to the returned function. */
  sent(text: string, values: readonly unknown[] | undefined): (answer: QueueAnswer) => void;
};

/** Another process may have put a job off, which no notice announces: it would run that job itself, unless it died. */
const freshMs = 5_000;

type Watched = {
  workers: number;
  /** Raised by each notice, and by what this process changes. */
  version: number;
  /** The version at which no job was left to claim. */
  emptyAt: number | null;
  /** Jobs that this process added or put off for later. */
  laters: number;
  next: { at: number | null; version: number; until: number } | null;
  restsUntil: number;
};

export function createKnownAnswers(
  listener: Pick<Listener, 'subscribe' | 'unsubscribe' | 'isListening' | 'onBack'>,
  clock: { now(): number; monotonic(): number },
): KnownAnswers {
  const queues = new Map<string, Watched>();
  const formOf = createFinder(forms);
  const raise = (queue: Watched) => {
    queue.version += 1;
  };
  const noteLater = (queue: Watched, at: number) => {
    queue.laters += 1;
    if (queue.next) queue.next.at = Math.min(queue.next.at ?? at, at);
  };
  const nextOf = (queue: Watched): { at: number | null } | null => {
    const { next } = queue;
    const holds = next?.version === queue.version && clock.monotonic() < next.until;
    return holds && (next.at === null || next.at > clock.now()) ? next : null;
  };

  return {
    watch(name) {
      const queue = queues.get(name) ?? {
        workers: 0,
        version: 0,
        emptyAt: null,
        laters: 0,
        next: null,
        restsUntil: 0,
      };
      queues.set(name, queue);
      queue.workers += 1;
      const hear = () => raise(queue);
      listener.subscribe('bullmq_jobs', name, hear);
      const stop = listener.onBack(hear);
      return () => {
        stop();
        listener.unsubscribe('bullmq_jobs', name, hear);
        queue.workers -= 1;
        if (queue.workers === 0) queues.delete(name);
      };
    },

    answer(text, values) {
      const queue = values && queues.get(String(values[0]));
      if (!queue || !listener.isListening()) return null;
      switch (formOf(text)) {
        case 'claim':
          return queue.emptyAt === queue.version && nextOf(queue) ? answerOf() : null;
        case 'waiting':
          return queue.emptyAt === queue.version ? answerOf({ present: false }) : null;
        case 'delay': {
          const next = nextOf(queue);
          return next && answerOf({ next_delay: next.at });
        }
        case 'signal': {
          if (!queue.next) return null;
          const ttl = Math.max(0, Math.ceil(queue.restsUntil - clock.monotonic()));
          // Something changed since the claim: it claims again.
          if (queue.next.version !== queue.version)
            return answerOf({ rate_limit_ttl: ttl, next_delay: clock.now() });
          const next = nextOf(queue);
          return next || ttl > 0 ? answerOf({ rate_limit_ttl: ttl, next_delay: next?.at ?? null }) : null;
        }
        default:
          return null;
      }
    },

    sent(text, values) {
      const queue = values && queues.get(String(values[0]));
      if (!queue) return () => undefined;
      const form = formOf(text);
      // Told both before it is carried out and after it: a question between the two may be answered by either, and its
      // own answer may be lost.
      if (form === null || form === 'later') {
        const dueAt = form && dueOf(values);
        const tell = () => (dueAt === null ? raise(queue) : noteLater(queue, dueAt));
        tell();
        return tell;
      }
      const { version, laters } = queue;
      const until = clock.monotonic() + freshMs;
      return ({ rows, opensAt, restsMs = 0 }) => {
        // The answer may be from before a job was put off.
        if (queue.laters !== laters) return;
        const [row] = rows;
        if (form === 'claim' || form === 'end') {
          if (opensAt === undefined) return;
          queue.next = { at: opensAt, version, until };
          queue.restsUntil = clock.monotonic() + restsMs;
          if (opensAt !== 0) queue.emptyAt = version;
        } else if (form !== 'waiting' && form !== 'keep') {
          const at = row?.next_delay == null ? null : Number(row.next_delay);
          queue.next = { at, version, until };
        }
      };
    },
  };
}

type Form = 'claim' | 'end' | 'waiting' | 'delay' | 'signal' | 'keep' | 'later';

/** When the first of the jobs that a statement adds or puts off is due; null if one of them may be at once. */
function dueOf([, jobs, , time]: readonly unknown[]): number | null {
  if (time !== undefined) return Number(time);
  if (/"delay":0\b/.test(jobs as string)) return null;
  const later = JSON.parse(jobs as string) as { timestamp: number; delay: number }[];
  return Math.min(...later.map(({ timestamp, delay }) => timestamp + delay));
}

/** Statements that leave open which jobs wait and when one is due; any other makes the answers outdated. */
const forms: readonly (readonly [RegExp, Form])[] = [
  [called('move_to_active'), 'claim'],
  [called('move_to_completed_fetch'), 'end'],
  [/'waiting'\s*\)[\s\S]*\) AS present/, 'waiting'],
  [called('next_delay'), 'delay'],
  [called('next_signal'), 'signal'],
  [called('move_to_completed'), 'keep'],
  [called('extend_lock'), 'keep'],
  [called('move_to_delayed'), 'later'],
  [called('add_jobs_bulk'), 'later'],
];
