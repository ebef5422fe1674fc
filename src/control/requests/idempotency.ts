import { createHash } from 'node:crypto';
import { z } from 'zod';
import { currentActor } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Idempotency, KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { read } from './input.ts';

/**
 * The Idempotency-Key of a request: the same key again is the same request, however often it is sent. A request's
 * result is kept in the transaction that produces it, so a request that is not known did nothing.
 */
const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
  .optional();

/** Days that a request is known, if nothing else says how long. */
export const keptDays = 30;

function readIdempotencyKey(header: unknown): string | undefined {
  return read(z.object({ 'Idempotency-Key': key }), { 'Idempotency-Key': header })['Idempotency-Key'];
}

/** The ledger never keeps a key as it was sent. */
function digestOf(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/**
 * Null without a key. A key belongs to one sender and one `operation`. `asked` distinguishes requests with the same
 * key.
 */
export function readKeyed(
  operation: readonly string[],
  header: unknown,
  asked: unknown,
): KeyedRequest | null {
  const given = readIdempotencyKey(header);
  if (given === undefined) return null;
  const ref = digestOf(currentActor().name, ...operation, given);
  return { ref, asked: digestOf(canonical(asked)) };
}

/** `fresh` is false for a repeated request, which did nothing now. */
export type Once<T> = { answer: T; fresh: boolean };

/** The work of a request, and how a repeat is answered from what it made; null when that is gone. */
export type Steps<T, Made> = {
  act(): Promise<T>;
  again(made: Made): Promise<T | null>;
};

/** Acts once per request with a key. `act` claims the request and keeps its result, in its transaction. */
export async function once<T, Made extends object>(
  { idempotency }: { idempotency: Idempotency },
  request: KeyedRequest | null,
  { act, again }: Steps<T, Made>,
): Promise<Once<T>> {
  if (!request) return { answer: await act(), fresh: true };
  const recall = async (): Promise<Once<T> | null> => {
    const known = await idempotency.find(request.ref);
    if (!known) return null;
    if (known.asked !== request.asked) throw new CarillonError('request-conflict');
    const answer = await again(known.made as Made);
    if (answer !== null) return { answer, fresh: false };
    await idempotency.drop(request.ref);
    return null;
  };
  const before = await recall();
  if (before) return before;
  try {
    return { answer: await act(), fresh: true };
  } catch (error) {
    // The same request may have come in between: then this one failed because that one did not.
    const meanwhile = error instanceof CarillonError && !isAway(error) ? await recall() : null;
    if (meanwhile) return meanwhile;
    throw error;
  }
}

const isAway = ({ code }: CarillonError) => code === 'ledger-unreachable';

/** Whether something that may be used once is used now, in any process. It is remembered for a day. */
export function useOnce({ together }: Pick<Ledger, 'together'>, what: string): Promise<boolean> {
  const request = { ref: digestOf('once', what), asked: '' };
  return together(async ({ idempotency }) => {
    if ((await idempotency.claim(request.ref)) !== 'free') return false;
    await idempotency.keep(request, {}, 1);
    return true;
  });
}

/** Called at the beginning of the transaction that acts. */
export async function claim(idempotency: Idempotency, request: KeyedRequest | null): Promise<void> {
  if (request && (await idempotency.claim(request.ref)) !== 'free')
    throw new CarillonError('request-in-progress');
}

/** JSON for comparison: Postgres keeps an object's keys in an order of its own. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const parts = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${parts.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join()}}`;
}
