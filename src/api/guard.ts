import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CarillonError } from '../base/errors.ts';
import { type Sessions, sessionCookie } from './session.ts';

/** Decides who may ask, before a body is read, for every address, known or not. */
declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without a token: it reveals nothing about campaigns and people. */
    open?: boolean;
    /** Open to browsers on other sites' pages: the answer is the same for everyone and holds no data. */
    linkable?: boolean;
  }
}

export type GuardOptions = {
  host: string;
  token: string | undefined;
  readToken: string | undefined;
  sessions: Sessions;
  /** The port we listen on. */
  port(): number;
};

type RouteConfig = FastifyRequest['routeOptions']['config'];

const loopback = /^(localhost|::1|127(\.\d{1,3}){3})$/;
const reading: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Without a token anyone who reaches the port may dial, so only this machine may reach it. */
export function checkBinding({ host, token, readToken }: Omit<GuardOptions, 'sessions' | 'port'>): void {
  if (token === undefined && readToken !== undefined) {
    throw new CarillonError('config-invalid', 'API_READ_TOKEN is set and API_TOKEN is not', {
      remedy: 'Set API_TOKEN too, or neither.',
    });
  }
  if (token !== undefined && token === readToken) {
    throw new CarillonError('config-invalid', 'API_READ_TOKEN is the same as API_TOKEN', {
      remedy: 'Give two different tokens, or leave API_READ_TOKEN out.',
    });
  }
  if (token === undefined && !loopback.test(bare(host))) {
    throw new CarillonError('config-invalid', `HOST ${host} is not loopback, and API_TOKEN is not set`, {
      remedy: 'Set API_TOKEN to let other machines in, or set HOST=127.0.0.1.',
    });
  }
}

export function createGuard(options: GuardOptions) {
  const { token, readToken, sessions } = options;
  const same = createMatcher();

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { config } = request.routeOptions;
    if (token === undefined) checkHost(request, options);
    checkOrigin(request, config);
    if (token === undefined || config.open) return;
    const role = roleOf(request);
    if (role === null) {
      if (wantsPage(request, config)) {
        reply.redirect('/login', 303);
        return;
      }
      throw new CarillonError('unauthorized');
    }
    if (role === 'read' && !reading.has(request.method)) {
      throw new CarillonError('forbidden', 'This token or login is read-only', {
        remedy:
          'Send `Authorization: Bearer <API_TOKEN>`; neither API_READ_TOKEN nor the page’s login can change anything.',
      });
    }
  };

  /** A session may only read, so no other site can make a browser that holds one change anything. */
  function roleOf(request: FastifyRequest): 'write' | 'read' | null {
    const { authorization } = request.headers;
    if (authorization === undefined) return sessions.has(request.cookies[sessionCookie]) ? 'read' : null;
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (given === undefined) return null;
    if (same(given, token!)) return 'write';
    return readToken !== undefined && same(given, readToken) ? 'read' : null;
  }
}

/** True for either token: both may log in to read. */
export function createTokenCheck({ token, readToken }: Pick<GuardOptions, 'token' | 'readToken'>) {
  const same = createMatcher();
  return (given: string): boolean =>
    [token, readToken].some((known) => known !== undefined && same(given, known));
}

/** Compares digests, so that neither time nor length reveals anything about the token. */
function createMatcher() {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return (given: string, known: string) => timingSafeEqual(digest(given), digest(known));
}

/** Against DNS rebinding: a page whose name was pointed here still sends its own name. */
function checkHost(request: FastifyRequest, options: GuardOptions): void {
  const port = options.port();
  const names = ['localhost', '127.0.0.1', '[::1]', bracketed(bare(options.host))];
  const allowed = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (!allowed.includes(request.headers.host?.toLowerCase() ?? '')) {
    throw new CarillonError('forbidden', 'The Host header does not name this machine', {
      remedy: `Use http://localhost:${port}, or set API_TOKEN.`,
    });
  }
}

/**
 * Browsers say which page a request comes from; programs do not. Judged by the route that matched, never by
 * the URL: one path has many spellings, and only the router knows which of them it takes.
 */
function checkOrigin(request: FastifyRequest, config: RouteConfig): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const foreign = origin !== undefined && hostOf(origin) !== host?.toLowerCase();
  const crossed = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign || (crossed && !config.linkable)) {
    throw new CarillonError('forbidden', 'The request comes from a page of another origin', {
      remedy: 'Call the API from a program, or from the page that Carillon serves itself.',
    });
  }
}

/** True for a browser that opens a page which needs a login. */
function wantsPage(request: FastifyRequest, config: RouteConfig): boolean {
  return (
    request.method === 'GET' &&
    config.linkable === true &&
    !config.open &&
    /text\/html/.test(request.headers.accept ?? '')
  );
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
}

export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
