import { CarillonError } from '../../base/errors.ts';
import type { Seal } from '../../base/seal.ts';
import { column, run, sole, value } from '../answers.ts';
import type { Database } from '../database.ts';

/**
 * Erased people. Their phones are recognised by a keyed hash, whose secret is not in the ledger: every process needs
 * the same secret, and a process with another one must neither import nor dial.
 */
export type Erased = {
  /** Rows that were erased now, and the number of campaigns, including those of rows erased earlier. */
  people: number;
  campaigns: number;
  /** Attempts whose calls are to be hung up. */
  calls: string[];
  /** Live attempts, which keep their rows until they are over, and the latest time of that. */
  live: number;
  until: Date | null;
};

/** People who were erased under another secret, whom nobody can recognise without it. */
type ErasedByOther = {
  people: number;
  /** How many of these still have something to erase. */
  pending: number;
  /** How many of these are suppressed. */
  suppressed: number;
};

/** How many open erasures one round takes up. */
const mostOpen = 50;
/** How many people one statement erases by their age, so that it is short. */
export const mostOld = 500;

/** The text in place of an erased phone. */
const erasedPhone = (hash: string) => `erased:${hash}`;
export const isErased = (phone: string) => phone.startsWith('erased:');

/** `openSeal` is called only when there is something to hash: without an erasure no secret is needed. */
export function createErasures(db: Database, openSeal: (() => Seal) | undefined) {
  /** The mark of the secret by which the ledger's hashes are keyed, as this process last saw it. */
  let mark: string | null = null;
  let known: Seal | undefined;
  const seal = (): Seal => {
    known ??= openSeal?.();
    if (!known) throw new CarillonError('secret-other');
    return known;
  };
  const differs = (): CarillonError | null =>
    mark === null || mark === seal().mark
      ? null
      : new CarillonError(
          'erasures-differ',
          'The people who were erased from this ledger were hashed with another CARILLON_SECRET',
        );
  const look = async (): Promise<void> => {
    mark = await value(db, 'erasures/mark');
  };
  const own = async (): Promise<Seal> => {
    await look();
    const trouble = differs();
    if (trouble) throw trouble;
    return seal();
  };

  return {
    look,
    /** Why this process must not call anybody: it would not recognise erased people. */
    trouble: differs,
    /** The hashes that the fence asks for, of all a person's numbers; null while nobody was erased. */
    hashOf: (phones: readonly string[]): string | null =>
      mark === null ? null : phones.map((phone) => seal().hash(phone)).join(' '),

    keyOf: (phone: string): string => seal().hash(phone),

    /** The replacement texts of those phones that are erased. Checks first whether anybody was, unless told not to. */
    async among(phones: readonly string[], looks = true): Promise<ReadonlyMap<string, string>> {
      if (looks) await look();
      if (mark === null || phones.length === 0) return new Map();
      const trouble = differs();
      if (trouble) throw trouble;
      const hashes = phones.map((phone) => seal().hash(phone));
      const rows = await db.query('erasures/among', { hashes });
      if (rows.length === 0) return new Map();
      const found = new Set(rows.map(({ hash }) => hash));
      return new Map(
        phones.flatMap((phone, at) => (found.has(hashes[at]!) ? [[phone, erasedPhone(hashes[at]!)]] : [])),
      );
    },

    /** Erases what is over now, and keeps the request until the rest is over. `named`: the person's number, if this is another. */
    async erase(phone: string, named: string | null = null): Promise<Erased> {
      const { hash, seal: close } = await own();
      const key = hash(phone);
      return sole(db, 'erasures/erase', {
        phone,
        key,
        sealed: close(phone, key),
        named: named && hash(named),
      });
    },

    /** The other numbers of the people who have a phone, as far as nobody else has them. */
    ownNumbers: (phone: string): Promise<string[]> => column(db, 'erasures/own_numbers', { phone }),

    /** A phone came in again, by an import that began before its erasure. */
    async want(phone: string): Promise<void> {
      const { hash, seal: close } = seal();
      await db.query('erasures/want', { hash: hash(phone), sealed: close(phone, hash(phone)) });
    },

    /**
     * The second half, which may take longer; true when nothing is left. `forms`: the phone's digits, as people write
     * them.
     */
    async finish(phone: string, forms: readonly string[]): Promise<boolean> {
      const hash = seal().hash(phone);
      await db.query('erasures/erase', { phone, key: hash, sealed: null, named: null });
      await db.query('erasures/texts', { phone, forms });
      return value(db, 'erasures/finish', { phone, hash });
    },

    /** Phones with something left to erase. */
    async open(): Promise<string[]> {
      const rows: { hash: string; sealed: string }[] = await db.query('erasures/open', { most: mostOpen });
      if (rows.length === 0) return [];
      const { open } = await own();
      return rows.map(({ hash, sealed }) => open(sealed, hash));
    },

    /** False when the person was not erased, or not to the end. */
    async lift(phone: string): Promise<boolean> {
      const { hash } = await own();
      return value(db, 'erasures/lift', { phone, hash: hash(phone) });
    },

    /** The people who were erased under another secret than this process has. */
    byOther: (): Promise<ErasedByOther> => sole(db, 'erasures/others', { mark: seal().mark }),

    /** Gives them up: they can be called again as strangers. The erased data stays erased. */
    async forgetOther(): Promise<void> {
      await db.query('erasures/forget', { mark: seal().mark });
      await look();
    },

    /** How many people and campaigns have a phone. */
    placesOf: (phone: string): Promise<{ people: number; campaigns: number }> =>
      sole(db, 'erasures/campaigns', { phone }),

    /** For how many days the ledger keeps what is known of people; null is for ever. */
    keptDays: (): Promise<number | null> => value(db, 'erasures/kept'),

    keepFor: (days: number | null): Promise<void> => run(db, 'erasures/keep', { days }),

    /** How many people are older than this and not yet erased, `most` at most. */
    olderThan: (days: number, most: number): Promise<number> => value(db, 'erasures/due', { days, most }),

    /** Erases some of what is older than this; returns whether there may be more. */
    old: (days: number): Promise<boolean> => value(db, 'erasures/old', { days, most: mostOld }),
  };
}
