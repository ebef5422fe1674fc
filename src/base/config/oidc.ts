import { type Role, roles } from '../actor.ts';
import { wrong } from './keys.ts';
import { isLoopback } from './networks.ts';

/** The provider (OpenID Connect) by which people log in on the page, and what each of them may do there. */
export type OidcConfig = Readonly<{
  issuer: string;
  clientId: string;
  /** Undefined for a client that has none. */
  clientSecret: string | undefined;
  /** A person's best role counts; anyone who is not named may not log in. */
  roles: readonly PersonRule[];
}>;

/** A rule covers an e-mail address, all addresses of a domain, a group, or one person by the provider's own id. */
export type PersonRule = Readonly<{ by: 'email' | 'domain' | 'group' | 'sub'; is: string; role: Role }>;

type Given = {
  issuer: string | undefined;
  clientId: string | undefined;
  clientSecret: string | undefined;
  roles: string | undefined;
  publicUrl: string | undefined;
  apiToken: string | undefined;
};

export function parseOidc(given: Given): OidcConfig | undefined {
  const { issuer, clientId, clientSecret, publicUrl, apiToken } = given;
  if (issuer === undefined) return undefined;
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe || url.search || url.hash || url.username)
    throw wrong('OIDC_ISSUER', 'is not an address such as https://accounts.example.com');
  if (clientId === undefined) throw wrong('OIDC_CLIENT_ID', 'is not set, and OIDC_ISSUER is');
  if (publicUrl === undefined) {
    throw wrong(
      'PUBLIC_URL',
      'is not set, and OIDC_ISSUER is',
      'Set it to the address of the page: the provider sends people back to PUBLIC_URL/login/callback.',
    );
  }
  if (apiToken === undefined) {
    throw wrong('API_TOKEN', 'is not set, and OIDC_ISSUER is', 'Set it: without it nobody needs to log in.');
  }
  return { issuer, clientId, clientSecret, roles: parseRoles(given.roles) };
}

/** `ann@example.com=admin,@example.com=read_people,group:ops=operate` */
function parseRoles(text: string | undefined): PersonRule[] {
  const given = (text ?? '').split(',').map((each) => each.trim());
  const rules = given.filter(Boolean).map(parseRule);
  if (rules.length > 0) return rules;
  throw wrong(
    'OIDC_ROLES',
    'is not set, so nobody could log in',
    'Say who may do what, for example OIDC_ROLES=ann@example.com=admin,@example.com=read_people',
  );
}

function parseRule(text: string): PersonRule {
  const at = text.lastIndexOf('=');
  const [who, given] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()];
  const role = roles.find((each) => each === given);
  if (!role)
    throw wrong(
      'OIDC_ROLES',
      `has "${text}", which ends in none of ${roles.map((each) => `=${each}`).join(', ')}`,
    );
  const [, kind, named] = /^(group|sub):(.+)$/.exec(who) ?? [];
  if (kind) return { by: kind as 'group' | 'sub', is: named!, role };
  if (/^@[^\s@]+$/.test(who)) return { by: 'domain', is: who.slice(1).toLowerCase(), role };
  if (/^[^\s@]+@[^\s@]+$/.test(who)) return { by: 'email', is: who.toLowerCase(), role };
  throw wrong(
    'OIDC_ROLES',
    `has "${who}", which is neither an e-mail address, @domain, group:name nor sub:id`,
  );
}
