import { createServer } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../base/config/config.ts';
import { isLoopback } from '../../base/config/networks.ts';
import { CarillonError } from '../../base/errors.ts';

/** Where the API may be reached, and from which pages: what browsers send of themselves, and programs need not. */
/** A shorter token can be guessed by anyone who reaches the port. */
const leastLength = 16;

type Binding = {
  host: string;
  token: string | undefined;
  readToken: string | undefined;
  publicUrl: URL | undefined;
  /** A proxy forwards requests of other machines, even to a loopback address. */
  behindProxy?: boolean;
};

/** Anyone who reaches the port may dial if there is no token, so only this machine may reach it. */
export function checkBinding({ host, token, readToken, publicUrl, behindProxy = false }: Binding): void {
  if (token === undefined && readToken !== undefined) {
    throw wrong('API_READ_TOKEN is set and API_TOKEN is not', 'Set API_TOKEN too, or neither.');
  }
  if (token !== undefined && token === readToken) {
    throw wrong(
      'API_READ_TOKEN is the same as API_TOKEN',
      'Give two different tokens, or leave API_READ_TOKEN out.',
    );
  }
  if (token === undefined && !isLoopback(host)) {
    throw wrong(
      `HOST ${host} is not loopback, and API_TOKEN is not set`,
      'Set API_TOKEN to let other machines in, or set HOST=127.0.0.1.',
    );
  }
  if (token === undefined && publicUrl && !isLoopback(publicUrl.hostname)) {
    throw wrong(
      'PUBLIC_URL is not an address of this machine, and API_TOKEN is not set',
      'Set API_TOKEN to let other machines in, or leave PUBLIC_URL out.',
    );
  }
  const open =
    behindProxy || !isLoopback(host) || (publicUrl !== undefined && !isLoopback(publicUrl.hostname));
  for (const [name, value] of Object.entries({ API_TOKEN: token, API_READ_TOKEN: readToken })) {
    if (open && value !== undefined && value.length < leastLength) {
      throw wrong(
        `${name} has fewer than ${leastLength} characters, and other machines reach the API`,
        'Make one with `openssl rand -hex 24`.',
      );
    }
  }
}

/** Whether the settings allow the API to be served. */
export function checkServing(
  config: Pick<Config, 'publicUrl' | 'trustedProxies' | 'corsOrigins'>,
  { host, token, readToken }: Pick<Binding, 'host'> & Partial<Binding>,
): void {
  const publicUrl = config.publicUrl === undefined ? undefined : new URL(config.publicUrl);
  checkBinding({ host, token, readToken, publicUrl, behindProxy: config.trustedProxies.length > 0 });
  checkOrigins(config.corsOrigins, token);
}

/** Listens for a moment, so that a wrong host or port is reported before anything is started for them. */
export async function checkListening(host: string, port: number, name?: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, resolve);
    });
    await new Promise((resolve) => probe.close(resolve));
  } catch (error) {
    throw cannotListen(error, host, port, name);
  }
}

export function cannotListen(error: unknown, host: string, port: number, name = 'PORT'): CarillonError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'EADDRINUSE') {
    return new CarillonError('config-invalid', `${name} ${port} is in use on ${host}`, {
      remedy: 'Give another port, or stop the program that listens there.',
      cause: error,
    });
  }
  if (code === 'EACCES') {
    return new CarillonError('config-invalid', `${name} ${port} may not be opened by this user`, {
      remedy: 'Give a port of 1024 or more.',
      cause: error,
    });
  }
  return new CarillonError(
    'config-invalid',
    `Carillon cannot listen on HOST ${host} (${code || 'no such address'})`,
    {
      remedy: 'Set HOST to an address of this machine, such as 127.0.0.1.',
      cause: error,
    },
  );
}

type Place = {
  host: string;
  locked: boolean;
  publicUrl: URL | undefined;
  /** Other pages that may use the API. */
  origins: readonly string[];
  port(): number;
};

/**
 * Prevents DNS rebinding: a page whose name was pointed here still sends its own name. Where tokens are needed, only a
 * login could be misused this way: a program sends its token, and what is open to anyone holds no data.
 */
export function checkHost(request: FastifyRequest, { host, locked, publicUrl, port }: Place): void {
  if (locked) {
    if (!publicUrl || request.headers.authorization !== undefined) return;
    if (request.routeOptions.config.open || request.is404) return;
  }
  const at = port();
  const given = request.headers.host?.toLowerCase() ?? '';
  if (isOwnHost(given, host, at) || (publicUrl && given === publicUrl.host)) return;
  throw new CarillonError('forbidden', 'The Host header does not name this machine', {
    remedy: publicUrl ? `Use ${publicUrl.origin}.` : `Use http://localhost:${at}, or set API_TOKEN.`,
  });
}

/** Whether a Host header names this machine, by the address that we listen on. */
export function isOwnHost(given: string, host: string, port: number): boolean {
  const names = ['localhost', '127.0.0.1', '[::1]', bracketed(bare(host))];
  return names.some((name) => given === `${name}:${port}` || (port === 80 && given === name));
}

/**
 * Browsers say which page a request comes from; programs do not. Judged by the matched route, never by the URL: one
 * path has many spellings, and only the router knows which of them it takes.
 */
export function checkOrigin(request: FastifyRequest, { publicUrl, origins }: Place): void {
  const { config } = request.routeOptions;
  const { origin } = request.headers;
  // Only for what a token opens: such a page must not log a browser in.
  if (config.role && isNamed(origin, origins)) return;
  const site = request.headers['sec-fetch-site'];
  const foreign = origin !== undefined && !isOwnPage(origin, request, publicUrl);
  const crossed = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign || (crossed && !config.linkable)) {
    throw new CarillonError('forbidden', 'The request comes from a page of another origin', {
      remedy:
        'Call the API from a program, or from the page that Carillon serves itself. CORS_ORIGINS names other pages that may.',
    });
  }
}

/** The browser itself says so; a page that CORS_ORIGINS names is not ours. */
export function isOwnPage(
  origin: string | undefined,
  { headers: { host } }: FastifyRequest,
  publicUrl: URL | undefined,
): boolean {
  if (origin === undefined) return false;
  return hostOf(origin) === host?.toLowerCase() || origin === publicUrl?.origin;
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

function wrong(message: string, remedy: string): CarillonError {
  return new CarillonError('config-invalid', message, { remedy });
}

/** Whether a person opens it in a browser. */
export function isByPerson({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'GET' && /text\/html/.test(headers.accept ?? '');
}

/** Lets pages of the configured origins use the API with a token; a login on our page is not shared with them. */
const exposed =
  'ETag, Location, Retry-After, RateLimit, RateLimit-Policy, Allow, Idempotency-Replayed, Last-Event-ID';
const allowed =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Traceparent, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';

/** Anyone on this machine is an admin if there is no token, and so would be any configured page. */
export function checkOrigins(origins: readonly string[], token: string | undefined): void {
  if (origins.length === 0 || token !== undefined) return;
  throw new CarillonError('config-invalid', 'CORS_ORIGINS is set, and API_TOKEN is not', {
    remedy: 'Set API_TOKEN too, or leave CORS_ORIGINS out.',
  });
}

export function isNamed(origin: string | undefined, origins: readonly string[]): boolean {
  return origin !== undefined && origins.includes(origin);
}

/** Sent with every answer, so that a page can read a refusal too. */
export function addCorsHeaders(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): void {
  if (origins.length === 0) return;
  reply.header('vary', 'origin');
  if (!isNamed(origin, origins)) return;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** A browser's preflight for a request of another page; it has no token, and reveals nothing. */
export function isPreflight({ method, headers }: FastifyRequest, origins: readonly string[]): boolean {
  return (
    method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined &&
    isNamed(headers.origin, origins)
  );
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': allowed,
      'access-control-max-age': '600',
    })
    .send();
}
