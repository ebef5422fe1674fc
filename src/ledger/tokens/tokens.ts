import type { Role } from '../../base/actor.ts';
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

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens(db: Database) {
  return {
    /** Null when the name is taken. */
    async add({ name, person, digest, role, madeBy, endsAt }: NewToken): Promise<TokenRow | null> {
      const [made]: TokenRow[] = await db.query('tokens/add', [name, digest, role, madeBy, endsAt, person]);
      return made ?? null;
    },

    /** Null when no token has this digest, or it has expired. */
    async find(digest: string): Promise<FoundToken | null> {
      const [found]: FoundToken[] = await db.query('tokens/find', [digest]);
      return found ?? null;
    },

    async byId(id: string): Promise<TokenRow | null> {
      const [row]: TokenRow[] = await db.query('tokens/by_id', [id]);
      return row ?? null;
    },

    page: (after: string, most: number): Promise<TokenRow[]> => db.query('tokens/page', [after, most]),

    /** Removes by id or name; null when there is none. */
    async remove(idOrName: string): Promise<TokenRow | null> {
      const [gone]: TokenRow[] = await db.query('tokens/remove', [idOrName]);
      return gone ?? null;
    },

    async used(ids: readonly string[]): Promise<void> {
      await db.query('tokens/used', [ids]);
    },
  };
}
