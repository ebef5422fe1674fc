import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';

/** Logins of browsers, which cannot send a header when they open a page; kept only in memory. */
export type Sessions = {
  /** Returns the cookie to set. */
  open(): string;
  has(id: string | undefined): boolean;
};

export const sessionCookie = 'carillon';

const lifeMs = 12 * 3_600_000;
const most = 1_000;

export function createSessions(clock: Pick<Clock, 'now'>): Sessions {
  /** When each ends, by the digest of its id, so that lookup time says nothing about a guess. */
  const ends = new Map<string, number>();
  const digest = (id: string) => createHash('sha256').update(id).digest('hex');

  return {
    open() {
      const oldest = ends.keys().next();
      if (ends.size >= most && !oldest.done) ends.delete(oldest.value);
      const id = randomBytes(32).toString('base64url');
      ends.set(digest(id), clock.now() + lifeMs);
      return id;
    },

    has(id) {
      if (id === undefined) return false;
      const key = digest(id);
      const end = ends.get(key);
      if (end === undefined) return false;
      if (end > clock.now()) return true;
      ends.delete(key);
      return false;
    },
  };
}
