import { type Role, roles } from '../../base/actor.ts';
import type { Clock } from '../../base/clock.ts';
import type { OidcConfig, PersonRule } from '../../base/config/oidc.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Seal } from '../../base/seal.ts';
import type { Identity } from './identity.ts';

/**
 * Login by an identity provider (OpenID Connect, a code with PKCE). A login's own numbers are sealed in the browser's
 * cookie until the person returns: nobody else's answer is accepted, and nothing is kept for people who never return.
 */
export type Provider = {
  /** Its host, as the page names it. */
  name: string;
  /** Where the browser goes, and its ticket: a cookie that it brings back. `to` is the page to show then. */
  begin(to: string): Promise<{ address: string; ticket: string }>;
  /** The person, read from the address that the provider sent the browser to. */
  finish(answer: URLSearchParams, ticket: string | undefined): Promise<{ identity: Identity; to: string }>;
};

type ProviderDeps = {
  config: OidcConfig;
  publicUrl: URL;
  seal(): Seal;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Whether this login comes back for the first time, in any process. */
  isFirst(login: string): Promise<boolean>;
};

export const callbackPath = '/login/callback';
export const ticketSeconds = 600;

type Ticket = { state: string; nonce: string; verifier: string; to: string; end: number };

const timeoutSeconds = 10;
/** The provider's keys and addresses may change. */
const knownMs = 3_600_000;
/** How long a failed discovery is remembered, so that not every click repeats it. */
const failedMs = 3_000;

const library = () => import('openid-client');
type Library = Awaited<ReturnType<typeof library>>;
type Found = Awaited<ReturnType<Library['discovery']>>;

export function createProvider({ config, publicUrl, seal, clock, isFirst }: ProviderDeps): Provider {
  const { host } = new URL(config.issuer);
  const redirect = new URL(callbackPath, publicUrl).href;
  let known: { found: Promise<Found>; until: number } | undefined;

  function find(client: Library): Promise<Found> {
    const now = clock.monotonic();
    if (known && known.until > now) return known.found;
    const found = discover(client, config).catch((error) => {
      throw failed(`${host} cannot be asked`, error);
    });
    const mine = { found, until: now + knownMs };
    known = mine;
    found.catch(() => {
      mine.until = clock.monotonic() + failedMs;
    });
    return found;
  }

  return {
    name: host,
    async begin(to) {
      const client = await library();
      const found = await find(client);
      const ticket: Ticket = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to,
        end: clock.now() + ticketSeconds * 1_000,
      };
      const address = client.buildAuthorizationUrl(found, {
        redirect_uri: redirect,
        scope: scopeOf(config, found),
        state: ticket.state,
        nonce: ticket.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(ticket.verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, ticket: seal().seal(JSON.stringify(ticket), sealedFor) };
    },

    async finish(answer, given) {
      const { state, nonce, verifier, to, end } = openTicket(given, seal());
      if (end < clock.now()) throw late();
      // A person who declined at the provider is told so, and not that something failed.
      if (answer.get('error') === 'access_denied' && answer.get('state') === state)
        throw refused('The login was refused at the provider');
      // Some providers take a code twice.
      if (answer.get('state') === state && !(await isFirst(state))) throw late();
      const client = await library();
      const found = await find(client);
      const at = new URL(redirect);
      at.search = answer.toString();
      try {
        const tokens = await client.authorizationCodeGrant(found, at, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
        });
        const told = tokens.claims()!;
        const more = found.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(found, tokens.access_token, told.sub)
          : {};
        return { identity: identityOf({ ...more, ...told }, config.roles), to };
      } catch (error) {
        throw error instanceof CarillonError ? error : failed(`${host} did not confirm the login`, error);
      }
    },
  };
}

async function discover(client: Library, { issuer, clientId, clientSecret }: OidcConfig): Promise<Found> {
  const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = client;
  const isPlain = issuer.startsWith('http:');
  return discovery(new URL(issuer), clientId, clientSecret, authOf(client, clientSecret), {
    timeout: timeoutSeconds,
    // Only on this machine: see config-oidc.ts. The signature is checked even where TLS says whose the answer is.
    execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
  });
}

/** The standard's header; the body if the provider takes nothing else. */
function authOf(client: Library, secret: string | undefined) {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (...[server, ...rest]: Parameters<typeof basic>) => {
    const taken = server.token_endpoint_auth_methods_supported;
    const inBody = taken?.includes('client_secret_post') && !taken.includes('client_secret_basic');
    return (inBody ? post : basic)(server, ...rest);
  };
}

/** Some providers send groups only if asked. */
function scopeOf({ roles: rules }: OidcConfig, found: Found): string {
  const known = found.serverMetadata().scopes_supported ?? [];
  const byGroup = rules.some(({ by }) => by === 'group') && known.includes('groups');
  return `openid email profile${byGroup ? ' groups' : ''}`;
}

const sealedFor = 'login';

function openTicket(given: string | undefined, seal: Seal): Ticket {
  if (given === undefined) throw late();
  try {
    return JSON.parse(seal.open(given, sealedFor)) as Ticket;
  } catch {
    throw late();
  }
}

type Claims = { sub: string; [claim: string]: unknown };

/** An e-mail address that the provider has not verified may be anyone's, so it grants nothing. */
export function identityOf(claims: Claims, rules: readonly PersonRule[]): Identity {
  const given =
    typeof claims.email === 'string' && /^[^\s@]+@[^\s@]+$/.test(claims.email) ? claims.email : '';
  const email = claims.email_verified === true ? given.toLowerCase() : '';
  const groups = Array.isArray(claims.groups) ? claims.groups : [];
  const fits = ({ by, is }: PersonRule) => {
    if (by === 'sub') return is === claims.sub;
    if (by === 'group') return groups.includes(is);
    if (email === '') return false;
    return by === 'email' ? is === email : is === email.slice(email.indexOf('@') + 1);
  };
  const allowed = rules.filter(fits).map(({ role }) => roles.indexOf(role));
  const role: Role | undefined = roles[Math.max(-1, ...allowed)];
  const name = email || `sub:${claims.sub}`;
  if (!role) {
    const unverified = email === '' && given !== '';
    throw refused(
      `${unverified ? given : name} may not log in here`,
      unverified
        ? 'The provider has not verified this address. Have it verified, or have an admin name the person in OIDC_ROLES by sub: or group:.'
        : 'Ask an admin to name the person in OIDC_ROLES.',
    );
  }
  const person = typeof claims.name === 'string' ? claims.name.trim().slice(0, 100) : '';
  return { name, person: person || null, role, token: null, digest: null };
}

function late(): CarillonError {
  return refused('This login has ended, or was begun in another browser', 'Log in again.');
}

function refused(why: string, remedy = 'Log in again, or with a token.'): CarillonError {
  return new CarillonError('unauthorized', why, { remedy });
}

function failed(what: string, cause: unknown): CarillonError {
  return new CarillonError('provider-away', `${what}: ${wordsOf(cause)}`, { cause });
}

function wordsOf(error: unknown): string {
  const { message, cause, error_description: said, error: code } = error as Error & Record<string, unknown>;
  if (typeof code === 'string') return typeof said === 'string' ? `${code}, ${said}` : code;
  const inner = cause instanceof Error ? cause.message : '';
  return inner && inner !== message ? `${message} (${inner})` : message;
}
