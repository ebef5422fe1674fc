import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, isEnough, type Role } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import { drainBody } from './connections.ts';
import type { Identities, Identity } from './identity.ts';
import { type Sessions, sessionCookie } from './identity.ts';
import type { TokenLimit } from './limits.ts';
import { checkHost, checkOrigin, isByPerson, isOwnPage } from './origin.ts';

/** Decides who may send a request, before a body is read, for every address, known or not. */
declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without a token: the answer reveals nothing about campaigns and people. */
    open?: boolean;
    /** Open to browsers on other sites' pages: the answer is the same for everyone and holds no data. */
    linkable?: boolean;
  }
  interface FastifyRequest {
    /** Who sent the request; null where anyone may. */
    actor: Actor | null;
    /** Whether the request comes from a login on the page. */
    isLogin: boolean;
    /** Whether token or login is still valid, for an answer that stays open; null if it cannot expire. */
    isStill: (() => Promise<boolean>) | null;
  }
}

type GuardDeps = {
  host: string;
  /** Whether API_TOKEN is set; without it anyone on this machine is an admin. */
  locked: boolean;
  publicUrl: URL | undefined;
  /** Other pages that may use the API. */
  origins: readonly string[];
  identities: Identities;
  sessions: Sessions;
  limit: TokenLimit;
  /** Waits before a wrong token is answered. */
  failed(request: FastifyRequest): Promise<void>;
  port(): number;
};

/** Who sent the request, and whether by a login on the page. */
type Asker = { identity: Identity; login: boolean };

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const loopback: Identity = { name: 'loopback', person: null, role: 'admin', token: null, digest: null };

export function createGuard(deps: GuardDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { config } = request.routeOptions;
    checkHost(request, deps);
    checkOrigin(request, deps);
    if (config.open) return;
    const asker = await whoAsks(request, deps);
    if (asker === null) {
      if (wantsPage(request)) {
        reply.redirect('/login', 303);
        return;
      }
      // A refused client keeps neither the connection nor the rest of its body.
      reply.header('connection', 'close');
      await drainBody(request.raw);
      throw new CarillonError('unauthorized');
    }
    checkRate(asker, reply, deps);
    checkRole(request, asker);
    checkLogin(request, asker, deps);
    const { name, person, role, token } = asker.identity;
    request.actor = { name, person, role, token, address: request.ip };
    request.isLogin = asker.login;
    if (token !== null || asker.login) request.isStill = async () => isStill(request, asker, deps);
  };
}

/** A token that is sent is checked even where none is needed. */
async function whoAsks(request: FastifyRequest, deps: GuardDeps): Promise<Asker | null> {
  const { identities, sessions, locked, failed } = deps;
  const { authorization } = request.headers;
  if (authorization === undefined) {
    if (!locked) return { identity: loopback, login: false };
    const session = sessions.find(request.cookies[sessionCookie]);
    const identity = session && (await identities.still(session));
    return identity && { identity, login: true };
  }
  const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (given === undefined) return null;
  const identity = await identities.of(given);
  if (identity === null) await failed(request);
  return identity && { identity, login: false };
}

/** A login, too, ends its open answers when the person logs out. */
async function isStill(
  request: FastifyRequest,
  { identity, login }: Asker,
  deps: GuardDeps,
): Promise<boolean> {
  if (login && deps.sessions.find(request.cookies[sessionCookie]) === null) return false;
  return (await deps.identities.still(identity)) !== null;
}

/** A request without a token has no holder whose rate could be limited. */
function checkRate({ identity }: Asker, reply: FastifyReply, { limit }: GuardDeps): void {
  if (identity === loopback) return;
  const { earlyMs, left } = limit(identity.token ?? identity.name);
  // As the IETF's draft of RateLimit header fields says: what a second holds, what is left, when it is full again.
  reply.header('ratelimit-policy', `"token";q=${limit.perSecond};w=1`);
  reply.header('ratelimit', `"token";r=${left};t=1`);
  if (earlyMs === 0) return;
  reply.header('retry-after', Math.ceil(earlyMs / 1_000));
  throw new CarillonError('too-many-requests');
}

function checkRole(request: FastifyRequest, { identity }: Asker): void {
  if (request.is404) return;
  const { role } = identity;
  const needed = neededRole(request);
  if (!isEnough(role, needed)) {
    throw new CarillonError('forbidden', `This needs the role ${needed}; the token has ${role}`, {
      remedy: `Send a token with the role ${needed}; \`carillon token create\` makes one.`,
    });
  }
}

/** Another site cannot make a logged-in browser change anything: only our own page sends both. */
function checkLogin(request: FastifyRequest, { login }: Asker, { publicUrl }: GuardDeps): void {
  const { method, headers, is404 } = request;
  if (!login || is404 || reading.has(method)) return;
  if (isOwnPage(headers.origin, request, publicUrl) && isNoForm(headers['content-type'])) return;
  throw new CarillonError('forbidden', 'A login can change something only from the page', {
    remedy: 'Use the page, or send `Authorization: Bearer <token>` from a program.',
  });
}

/** A form of another site can send only three types, and the API reads none of them. */
function isNoForm(type: string | undefined): boolean {
  return (
    type !== undefined &&
    !/^(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)/i.test(type)
  );
}

/** A search for a phone or a name reveals a person, even if the answer shows none. */
function neededRole(request: FastifyRequest): Role {
  // A route that does not say what it needs is for admins only.
  const needed = request.routeOptions.config.role ?? 'admin';
  return needed === 'read' && asksForPerson(request) ? 'read_people' : needed;
}

const isPhone = (value: unknown) => typeof value === 'string' && /\+\d{6}/.test(value);

function asksForPerson({ query, params }: FastifyRequest): boolean {
  const asked = query as Record<string, unknown>;
  if ('phone' in asked || 'variable' in asked) return true;
  return Object.values((params ?? {}) as Record<string, unknown>).some(isPhone);
}

/** True for a browser that opens a page which needs a login. */
function wantsPage(request: FastifyRequest): boolean {
  return request.routeOptions.config.linkable === true && isByPerson(request);
}
