import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A strict provider of identities (OpenID Connect): it takes each code once, from its own client, with its verifier. */
export type OidcProvider = {
  url: string;
  /** The next person to log in, and the fault of the answer. */
  next: { claims: Record<string, unknown>; userinfo?: Record<string, unknown>; fault?: Fault };
  /** Requests for a token that it refused, with why. */
  refusals: string[];
  close(): Promise<void>;
};

export type Fault =
  | 'other-key'
  | 'other-nonce'
  | 'other-audience'
  | 'other-issuer'
  | 'ended'
  | 'unsigned'
  | 'denied';

const client = { id: 'carillon', secret: 'a secret: with % and +' };
export const oidcEnv = (issuer: string, roles: string): Record<string, string> => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: client.id,
  OIDC_CLIENT_SECRET: client.secret,
  OIDC_ROLES: roles,
});

type Grant = { challenge: string; redirect: string; nonce: string; scope: string };

export async function startOidcProvider(): Promise<OidcProvider> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const others = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const provider: Omit<OidcProvider, 'url' | 'close'> = { next: { claims: { sub: 'nobody' } }, refusals: [] };

  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  function tokenFor({ nonce }: Grant): string {
    const { claims, fault } = provider.next;
    const now = Math.floor(Date.now() / 1_000);
    const body = {
      iss: fault === 'other-issuer' ? 'http://127.0.0.1:1' : url,
      aud: fault === 'other-audience' ? 'another' : client.id,
      nonce: fault === 'other-nonce' ? 'another' : nonce,
      iat: fault === 'ended' ? now - 7_200 : now,
      exp: fault === 'ended' ? now - 3_600 : now + 300,
      ...claims,
    };
    if (fault === 'unsigned') return `${base64({ alg: 'none' })}.${base64(body)}.`;
    const text = `${base64({ alg: 'RS256', kid: 'one' })}.${base64(body)}`;
    const key = fault === 'other-key' ? others.privateKey : keys.privateKey;
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  function authorize(query: URLSearchParams): string {
    const answer = new URL(query.get('redirect_uri')!);
    const state = query.get('state')!;
    if (provider.next.fault === 'denied') {
      answer.search = new URLSearchParams({ error: 'access_denied', state }).toString();
      return answer.href;
    }
    const code = randomUUID();
    grants.set(code, {
      challenge: query.get('code_challenge_method') === 'S256' ? query.get('code_challenge')! : '',
      redirect: query.get('redirect_uri')!,
      nonce: query.get('nonce')!,
      scope: query.get('scope')!,
    });
    answer.search = new URLSearchParams({ code, state }).toString();
    return answer.href;
  }

  function redeem(request: IncomingMessage, form: URLSearchParams): object | string {
    const [user, secret] = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':')
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    if (user !== client.id || secret !== client.secret) return 'invalid_client';
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || grant.challenge !== challenge || grant.redirect !== form.get('redirect_uri'))
      return 'invalid_grant';
    return { access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token: tokenFor(grant) };
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    const body = await new Response(request as never).text();
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/.well-known/openid-configuration') {
      return json(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        userinfo_endpoint: `${url}/userinfo`,
        jwks_uri: `${url}/keys`,
        scopes_supported: ['openid', 'email', 'profile', 'groups'],
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      });
    }
    if (pathname === '/keys') {
      return json(200, {
        keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
      });
    }
    if (pathname === '/authorize')
      return response.writeHead(302, { location: authorize(searchParams) }).end();
    if (pathname === '/userinfo') {
      const { claims, userinfo } = provider.next;
      return json(200, { sub: claims.sub, ...userinfo });
    }
    const answer = redeem(request, new URLSearchParams(body));
    if (typeof answer === 'object') return json(200, answer);
    provider.refusals.push(answer);
    return json(answer === 'invalid_client' ? 401 : 400, { error: answer });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(provider, {
    url,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
