import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { identityOf } from '../../src/api/access/oidc.ts';
import { createToken } from '../../src/control/tokens/manage.ts';
import { typeLine } from '../cli/terminal.ts';
import { type Fault, type OidcProvider, oidcEnv, startOidcProvider } from '../support/oidc-provider.ts';
import { openApi, type TestApi } from './support.ts';

/** Login by a provider of identities, and the names of the people who act. */
const token = 'a-token-of-some-length';
const publicUrl = 'https://calls.example';
const roles = 'ann@example.com=admin,@example.com=read_people,group:night shift=operate,sub:42=read';
const person = { accept: 'text/html,*/*' };
let provider: OidcProvider;
let api: TestApi;

beforeAll(async () => {
  provider = await startOidcProvider();
  api = await openApi({
    token,
    env: { API_TOKEN: token, PUBLIC_URL: publicUrl, ...oidcEnv(provider.url, roles) },
  });
});
afterAll(async () => {
  await api?.close();
  await provider?.close();
});
beforeEach(() => {
  provider.next = { claims: ann };
  provider.refusals.length = 0;
});

const ann = { sub: '1', email: 'Ann@Example.com', email_verified: true, name: 'Ann Example' };
const cookieOf = (headers: Headers, name: string) =>
  headers.getSetCookie().find((each) => each.startsWith(`${name}=`)) ?? '';
const pair = (cookie: string) => cookie.split(';')[0]!;

/** Presses the way on the page; `to`: the page to return to. */
async function begin(to = '/'): Promise<{ ticket: string; address: URL }> {
  const begun = await api.ask('GET', `/login/provider?to=${encodeURIComponent(to)}`, { headers: person });
  expect(begun.status).toBe(303);
  const ticket = cookieOf(begun.headers, 'carillon_login');
  expect(ticket).toMatch(/; Max-Age=600; Path=\/login\/callback; HttpOnly; Secure; SameSite=Lax$/);
  return { ticket: pair(ticket), address: new URL(begun.headers.get('location')!) };
}

/** Where the provider sends the browser, as a path here. */
async function answerOf(address: URL): Promise<string> {
  const answer = await fetch(address, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location')!);
  expect(back.origin + back.pathname).toBe(`${publicUrl}/login/callback`);
  return back.pathname + back.search;
}

let nth = 0;
/** Each request has an address of its own: repeated failures from one address are delayed. */
const back = (path: string, cookie: string) => {
  nth += 1;
  const from = { 'x-forwarded-for': `198.51.100.${nth}`, 'sec-fetch-site': 'cross-site' };
  return api.ask('GET', path, { headers: { ...person, cookie, ...from } });
};

async function logIn(to?: string) {
  const { ticket, address } = await begin(to);
  return back(await answerOf(address), ticket);
}

async function sessionOf(): Promise<string> {
  const done = await logIn();
  expect([done.status, done.text.includes('role="alert"')]).toEqual([200, false]);
  return pair(cookieOf(done.headers, 'carillon'));
}

describe('a login by a provider', () => {
  it('asks for what is needed and no more, with a proof that only this login has', async () => {
    const { address } = await begin();
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: 'carillon',
      response_type: 'code',
      redirect_uri: `${publicUrl}/login/callback`,
      scope: 'openid email profile groups',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('opens the page with the best role of the person, who is named in what they do', async () => {
    const done = await logIn('/campaigns?state=paused');
    expect(cookieOf(done.headers, 'carillon')).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    expect(cookieOf(done.headers, 'carillon_login')).toMatch(/^carillon_login=; .*Expires=Thu, 01 Jan 1970/);
    expect(done.text).toContain('content="0;url=/campaigns?state=paused"');
    const cookie = pair(cookieOf(done.headers, 'carillon'));
    const me = await api.ask('GET', '/api/me', { headers: { cookie } });
    expect(me.json).toEqual({ name: 'ann@example.com', person: 'Ann Example', role: 'admin', login: true });
    const headers = { cookie, origin: publicUrl, 'content-type': 'application/json' };
    await api.ask('POST', '/api/suppressions', { headers, body: { phones: ['+14155550101'] } });
    const { items } = (await api.ask('GET', '/api/activity?verb=suppression', { headers: { cookie } })).json;
    expect(items[0]).toMatchObject({ who: 'ann@example.com', person: 'Ann Example', role: 'admin' });
    await api.ask('POST', '/logout', {
      headers: { cookie, origin: publicUrl, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect((await api.ask('GET', '/api/me', { headers: { cookie } })).status).toBe(401);
  });

  it.each([
    [{ sub: '2', email: 'bo@example.com', email_verified: true }, 'bo@example.com', 'read_people'],
    [{ sub: '3', groups: ['day', 'night shift'] }, 'sub:3', 'operate'],
    [{ sub: '42', email: 'x@elsewhere.example', email_verified: false }, 'sub:42', 'read'],
  ])('gives %j the role that is set', async (claims, name, role) => {
    provider.next = { claims };
    const cookie = await sessionOf();
    expect((await api.ask('GET', '/api/me', { headers: { cookie } })).json).toMatchObject({ name, role });
  });

  it('reads what the provider tells only when it is asked about the person', async () => {
    provider.next = { claims: { sub: '1' }, userinfo: { ...ann, sub: '1' } };
    const cookie = await sessionOf();
    expect((await api.ask('GET', '/api/me', { headers: { cookie } })).json).toMatchObject({
      name: 'ann@example.com',
      person: 'Ann Example',
    });
  });

  it.each([
    { sub: '5', email: 'eve@elsewhere.example', email_verified: true },
    // Anyone may claim an address; the provider has to vouch for it.
    { sub: '5', email: 'ann@example.com', email_verified: false },
    { sub: '5', email: 'ann@example.com' },
    { sub: '5', email: 'ann@example.com.elsewhere.example', email_verified: true },
    { sub: '5', email: 'x@example.com@elsewhere.example', email_verified: true },
    { sub: '5', email: 'eve@evil.com@example.com', email_verified: true },
    { sub: '5', email: ['ann@example.com'], email_verified: true },
    { sub: '5', groups: 'night shift' },
    { sub: 'ann@example.com' },
  ])('is refused in a sentence to %j', async (claims) => {
    provider.next = { claims };
    const refused = await logIn();
    expect([refused.status, cookieOf(refused.headers, 'carillon')]).toEqual([401, '']);
    expect(refused.text).toMatch(/role="alert">[^<]+ may not log in here\. [^<]*OIDC_ROLES/);
    expect(refused.text).toContain('name="token"');
  });

  it('takes a domain only from a text with one @ in it', () => {
    const rules = [{ by: 'domain', is: 'example.com', role: 'admin' }] as const;
    const part = fc.constantFrom('ann', 'example.com', 'evil.com', ' ', 'EXAMPLE.COM', '');
    const address = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('@'));
    fc.assert(
      fc.property(fc.oneof(address, fc.array(address)), (email) => {
        const fits =
          typeof email === 'string' && /^(?:ann|example\.com|evil\.com)@example\.com$/i.test(email);
        const ask = () => identityOf({ sub: '5', email, email_verified: true }, rules);
        if (fits) expect(ask().role).toBe('admin');
        else expect(ask).toThrow('may not log in here');
      }),
    );
  });

  it.each<Fault>(['other-key', 'other-nonce', 'other-audience', 'other-issuer', 'ended', 'unsigned'])(
    'is refused with an answer that is not the provider’s for this login: %s',
    async (fault) => {
      provider.next = { claims: ann, fault };
      const refused = await logIn();
      expect([refused.status, cookieOf(refused.headers, 'carillon')]).toEqual([502, '']);
      expect(refused.text).toContain('did not confirm the login');
    },
  );

  it('is refused to a browser that did not begin it, twice with one answer, and with another’s state', async () => {
    const [mine, theirs] = [await begin(), await begin()];
    const answer = await answerOf(mine.address);
    const wrongs = [
      await back(answer, ''),
      await back(answer, theirs.ticket),
      await back(answer, `${mine.ticket}x`),
    ];
    for (const wrong of wrongs) {
      expect(wrong.status).toBeGreaterThanOrEqual(400);
      expect(cookieOf(wrong.headers, 'carillon')).toBe('');
    }
    // Of two at once, one; and the provider is not asked again, which may take a code twice.
    const both = await Promise.all([back(answer, mine.ticket), back(answer, mine.ticket)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await back(answer, mine.ticket)).status).toBe(401);
    expect(provider.refusals).toEqual([]);
  });

  it('tells someone who said no at the provider just that', async () => {
    provider.next = { claims: ann, fault: 'denied' };
    const refused = await logIn();
    expect([refused.status, /role="alert">([^<]+)</.exec(refused.text)?.[1]]).toEqual([
      401,
      'The login was refused at the provider. Log in again, or with a token.',
    ]);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/logout',
    '/a"b<c',
  ])('returns to no other place: %s', async (to) => {
    const done = await logIn(to);
    expect(/url=([^"]*)"/.exec(done.text)?.[1]).toBe('/');
  });

  it('is begun and ended by this page alone', async () => {
    const headers = { ...person, 'sec-fetch-site': 'cross-site' };
    expect((await api.ask('GET', '/login/provider', { headers })).status).toBe(403);
  });

  it('is offered on both forms by the provider’s name', async () => {
    const { host } = new URL(provider.url);
    expect((await api.ask('GET', '/login/ways')).json).toEqual({ provider: host });
    expect((await api.ask('GET', '/login')).text).toContain(`Log in by ${host}`);
  });

  it('tells a provider that is away, and a token still opens the page', async () => {
    const env = { API_TOKEN: token, PUBLIC_URL: publicUrl, ...oidcEnv('http://127.0.0.1:9', roles) };
    const alone = await openApi({ token, env });
    try {
      const away = await alone.ask('GET', '/login/provider', { headers: person });
      expect(away.status).toBe(502);
      expect(away.text).toMatch(/role="alert">127\.0\.0\.1:9 cannot be asked: /);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await alone.ask('POST', '/login', { headers, body: `token=${token}` })).status).toBe(303);
    } finally {
      await alone.close();
    }
  });
});

describe('a token', () => {
  it('carries the name of the person whose it is', async () => {
    const made = await createToken(api.app, { name: 'bo’s laptop', person: 'Bo Example', role: 'operate' });
    expect(made.answer).toMatchObject({ name: 'bo’s laptop', person: 'Bo Example' });
    const headers = { authorization: `Bearer ${made.answer.token}` };
    expect((await api.ask('GET', '/api/me', { headers })).json).toEqual({
      name: 'bo’s laptop',
      person: 'Bo Example',
      role: 'operate',
      login: false,
    });
    const asked = await api.ask('PUT', '/api/views/late', { headers, body: { filter: { state: 'done' } } });
    expect(asked.status).toBe(200);
    const { items } = (await api.ask('GET', '/api/activity?verb=token,view.keep', { headers })).json;
    expect(items).toMatchObject([
      { verb: 'view.keep', who: 'bo’s laptop', person: 'Bo Example' },
      { verb: 'token.create', person: null },
    ]);
    const { out } = await typeLine('activity --verb view', api.env, process.cwd());
    expect(out).toMatch(/ {2}view\.keep +Bo Example \(bo’s laptop, 127\.0\.0\.1\) {2}late/);
  });
});
