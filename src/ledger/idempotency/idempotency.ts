import { one, run, value } from '../answers.ts';
import type { Query } from '../database.ts';

/** Results of requests with an Idempotency-Key: written with their changes, read when the same request comes again. */
export type KeyedRequest = {
  /** A digest of the key, the sender and the operation. */
  ref: string;
  /** A digest of what it asks for. */
  asked: string;
};
/** The result of a request: ids and counts, never a person, and secrets only sealed. */
type KnownRequest = { asked: string; made: unknown };

/** Whether a request may act: it is new, it acted before, or it is acting in another transaction. */
export type Claim = 'free' | 'known' | 'busy';

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Works with a transaction alone, too. */
export function createIdempotency(db: { query: Query }) {
  return {
    find: (ref: string): Promise<KnownRequest | null> => one(db, 'idempotency/find', { ref }),

    /** Called in the transaction that acts; the claim lasts until its end. */
    claim: (ref: string): Promise<Claim> => value(db, 'idempotency/claim', { ref }),

    /** Null days is for ever. */
    keep: ({ ref, asked }: KeyedRequest, made: object, days: number | null): Promise<void> =>
      run(db, 'idempotency/keep', { ref, asked, made: JSON.stringify(made), days }),

    drop: (ref: string): Promise<void> => run(db, 'idempotency/drop', { ref }),

    forget: (): Promise<void> => run(db, 'idempotency/forget'),
  };
}
