import type { Query } from '../database.ts';

/** Results of requests with an Idempotency-Key: written with them, read when the same request comes again. */
export type KeyedRequest = {
  /** A digest of the key, of who sent it and of the operation. */
  ref: string;
  /** A digest of what it asks for. */
  asked: string;
};
/** The result of a request: ids and counts, never a person, and secrets only sealed. */
export type Repeat = { asked: string; made: unknown };

/** Whether a request may act: it was not here, it acted before, or it acts in another transaction now. */
export type Claim = 'free' | 'known' | 'busy';

export type Repeats = ReturnType<typeof createRepeats>;

/** Also of a transaction alone. */
export function createRepeats(db: { query: Query }) {
  return {
    async find(ref: string): Promise<Repeat | null> {
      const [found]: Repeat[] = await db.query('repeats/find', [ref]);
      return found ?? null;
    },

    /** In the transaction that acts, until whose end the request is claimed. */
    async claim(ref: string): Promise<Claim> {
      const [row]: { found: Claim }[] = await db.query('repeats/claim', [ref]);
      return row!.found;
    },

    /** Null days is for ever. */
    async keep({ ref, asked }: KeyedRequest, made: object, days: number | null): Promise<void> {
      await db.query('repeats/keep', [ref, asked, JSON.stringify(made), days]);
    },

    async drop(ref: string): Promise<void> {
      await db.query('repeats/drop', [ref]);
    },

    async forget(): Promise<void> {
      await db.query('repeats/forget');
    },
  };
}
