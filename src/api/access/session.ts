import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Identity } from './identity.ts';

/** Logins of browsers, which cannot send a header when they open a page; kept only in memory. */
export type Sessions = {
  /** Returns the cookie to set. */
  open(identity: Identity): string;
  /** The identity of a login; null when it is unknown or has ended. */
  find(id: string | undefined): Identity | null;
  close(id: string | undefined): void;
};

export const sessionCookie = 'carillon';
export const sessionSeconds = 12 * 3_600;

const most = 1_000;
/** Per token, so that one which logs in again and again ends only its own logins. */
const mostEach = 50;

export function createSessions(clock: Pick<Clock, 'now'>): Sessions {
  /** Keyed by the digest of its id, so that lookup time says nothing about a guess. */
  const sessions = new Map<string, { identity: Identity; end: number }>();
  const digest = (id: string) => createHash('sha256').update(id).digest('hex');

  return {
    open(identity) {
      const mine = [...sessions].filter(([, each]) => whoIs(each.identity) === whoIs(identity));
      const [oldest] = mine.length >= mostEach ? mine : sessions.size >= most ? sessions : [];
      if (oldest) sessions.delete(oldest[0]);
      const id = randomBytes(32).toString('base64url');
      sessions.set(digest(id), { identity, end: clock.now() + sessionSeconds * 1_000 });
      return id;
    },

    find(id) {
      if (id === undefined) return null;
      const key = digest(id);
      const session = sessions.get(key);
      if (session === undefined) return null;
      if (session.end > clock.now()) return session.identity;
      sessions.delete(key);
      return null;
    },

    close(id) {
      if (id !== undefined) sessions.delete(digest(id));
    },
  };
}

const whoIs = ({ name, token }: Identity) => token ?? name;
