import type { FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';

/**
 * One answer for everyone who asks for the same thing at about the same time. Only for clients that accept an answer of
 * that age with `Cache-Control: max-age`, as an open page does: others get an answer of their own.
 */
export type SharedAnswers = <T>(request: FastifyRequest, make: () => Promise<T> | T) => Promise<T> | T;

/** No answer is older than this, whatever age the request accepts. */
const mostMs = 2_000;
/** More addresses than pages ask for at a time. */
const mostKept = 200;

type Kept = { madeAt: number; answer: Promise<unknown> };

export function createSharedAnswers(clock: Pick<Clock, 'monotonic'>): SharedAnswers {
  const kept = new Map<string, Kept>();
  const forget = (now: number) => {
    for (const [key, { madeAt }] of kept) if (now - madeAt > mostMs || kept.size > mostKept) kept.delete(key);
  };
  return <T>(request: FastifyRequest, make: () => Promise<T> | T) => {
    const ageMs = Math.min(mostMs, ageTaken(request.headers['cache-control']));
    if (ageMs <= 0 || request.method !== 'GET') return make();
    const now = clock.monotonic();
    const key = `${request.actor?.role ?? ''} ${request.url}`;
    const known = kept.get(key);
    if (known && now - known.madeAt <= ageMs) return known.answer as Promise<T>;
    forget(now);
    const answer = Promise.resolve(make());
    kept.set(key, { madeAt: now, answer });
    // A failure is reported to those who wait for it, and to nobody after them.
    answer.catch(() => kept.get(key)?.answer === answer && kept.delete(key));
    return answer;
  };
}

function ageTaken(header: string | undefined): number {
  const found = /^max-age=(\d{1,3})$/.exec(header?.trim() ?? '');
  return found ? Number(found[1]) * 1_000 : 0;
}
