import type { Query } from '../database.ts';

/** Results of requests with an Idempotency-Key: written with them, read when the same request comes again. */
export type KeyedRequest = {
  /** A digest of the key, of who sent it and of the operation. */
  ref: string;
  /** A digest of what it asks for. */
  asked: string;
};
/** The result of a request: ids and counts, never a person, and secrets only sealed. */
export type KnownRequest = { asked: string; made: unknown };

/** Whether a request may act: it was not here, it acted before, or it acts in another transaction now. */
export type Claim = 'free' | 'known' | 'busy';

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Also of a transaction alone. */
export function createIdempotency(db: { query: Query }) {
  return {
    async find(ref: string): Promise<KnownRequest | null> {
      const [found]: KnownRequest[] = await db.query('idempotency/find', [ref]);
      return found ?? null;
    },

    /** In the transaction that acts, until whose end the request is claimed. */
    async claim(ref: string): Promise<Claim> {
      const [row]: { found: Claim }[] = await db.query('idempotency/claim', [ref]);
      return row!.found;
    },

    /** Null days is for ever. */
    async keep({ ref, asked }: KeyedRequest, made: object, days: number | null): Promise<void> {
      await db.query('idempotency/keep', [ref, asked, JSON.stringify(made), days]);
    },

    async drop(ref: string): Promise<void> {
      await db.query('idempotency/drop', [ref]);
    },

    async forget(): Promise<void> {
      await db.query('idempotency/forget');
    },
  };
}
