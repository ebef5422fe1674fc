import type { Role } from '../../base/actor.ts';
import { one, run } from '../answers.ts';
import type { Database } from '../database.ts';

/** Named tokens of the API: kept and found by their digest, and deleted when they are revoked. */
export type TokenRow = {
  id: string;
  name: string;
  /** Its owner; null if none was given. */
  person: string | null;
  role: Role;
  madeBy: string;
  madeAt: Date;
  /** Null is never. */
  endsAt: Date | null;
  /** Accurate to about a minute; null before its first use. */
  usedAt: Date | null;
};
export type FoundToken = Pick<TokenRow, 'id' | 'name' | 'person' | 'role'>;
type NewToken = Pick<TokenRow, 'name' | 'person' | 'role' | 'madeBy' | 'endsAt'> & { digest: string };

export function createTokens(db: Database) {
  return {
    /** Null when the name is taken. */
    add: ({ name, person, digest, role, madeBy, endsAt }: NewToken): Promise<TokenRow | null> =>
      one(db, 'tokens/add', { name, digest, role, madeBy, endsAt, person }),

    /** Null when no token has this digest, or it has expired. */
    find: (digest: string): Promise<FoundToken | null> => one(db, 'tokens/find', { digest }),

    byId: (id: string): Promise<TokenRow | null> => one(db, 'tokens/by_id', { id }),

    page: (after: string, most: number): Promise<TokenRow[]> => db.query('tokens/page', { after, most }),

    /** Removes by id or name; null when there is none. */
    remove: (idOrName: string): Promise<TokenRow | null> => one(db, 'tokens/remove', { idOrName }),

    used: (ids: readonly string[]): Promise<void> => run(db, 'tokens/used', { ids }),
  };
}
