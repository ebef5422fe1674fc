import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '../../base/actor.ts';
import { createBoundedMap } from '../../base/bounded-map.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { digestOfToken, isTokenForm } from '../../control/tokens/manage.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { FoundToken } from '../../ledger/tokens/tokens.ts';

/**
 * The identity behind a token (one of the two of the environment, or a named one of the ledger) or a provider's login.
 */
export type Identity = {
  name: string;
  /** Its owner, if known. */
  person: string | null;
  role: Role;
  /** The id of a named token. */
  token: string | null;
  /** The digest of a named token, by which it is looked up again. */
  digest: string | null;
};

export type Identities = {
  /** Null for a token that is unknown, has ended or was revoked. */
  of(token: string): Promise<Identity | null>;
  /** The same one later: null when its token has expired or was revoked since. */
  still(identity: Identity): Promise<Identity | null>;
  /** Waits for writes under way. */
  close(): Promise<void>;
};

type IdentityDeps = {
  ledger: Pick<Ledger, 'tokens'>;
  clock: Pick<Clock, 'monotonic'>;
  log: Log;
  token: string | undefined;
  readToken: string | undefined;
};

/** A revoked token works no longer than this. */
const knownMs = 1_000;
/** How exactly the last use of a token is kept. */
const usedMs = 60_000;
const mostKnown = 10_000;

export function createIdentities({ ledger, clock, log, token, readToken }: IdentityDeps): Identities {
  const own = new Map<string, Identity>();
  const add = (given: string | undefined, name: string, role: Role) => {
    if (given !== undefined)
      own.set(digestOfEnvironment(given), { name, person: null, role, token: null, digest: null });
  };
  add(readToken, 'API_READ_TOKEN', 'read_people');
  add(token, 'API_TOKEN', 'admin');

  const known = createBoundedMap<{ found: Promise<FoundToken | null>; until: number }>(mostKnown);
  const used = createBoundedMap<number>(mostKnown);
  const writes = new Set<Promise<void>>();

  /** Many requests at once ask the ledger once. */
  function look(digest: string): Promise<FoundToken | null> {
    const now = clock.monotonic();
    const before = known.get(digest);
    if (before && before.until > now) return before.found;
    const found = ledger.tokens.find(digest);
    known.set(digest, { found, until: now + knownMs });
    found.catch(() => known.delete(digest));
    return found;
  }

  function noteUse(id: string): void {
    const now = clock.monotonic();
    if (now - (used.get(id) ?? Number.NEGATIVE_INFINITY) < usedMs) return;
    used.set(id, now);
    const write = ledger.tokens.used([id]).catch((error: Error) => {
      used.delete(id);
      log.debug({ why: error.message }, 'the last use of a token was not kept');
    });
    writes.add(write);
    void write.finally(() => writes.delete(write));
  }

  async function named(digest: string): Promise<Identity | null> {
    const found = await look(digest);
    if (!found) return null;
    noteUse(found.id);
    return { name: found.name, person: found.person, role: found.role, token: found.id, digest };
  }

  return {
    async of(given) {
      // Compares digests, so that neither time nor length reveals anything about the token.
      const ours = own.get(digestOfEnvironment(given));
      if (ours) return ours;
      return isTokenForm(given) ? named(digestOfToken(given)) : null;
    },
    still: async (identity) => (identity.digest === null ? identity : named(identity.digest)),
    async close() {
      await Promise.all(writes);
    },
  };
}

function digestOfEnvironment(given: string): string {
  return createHash('sha256').update(given).digest('base64');
}

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
