import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isEnough } from '../../base/actor.ts';
import { catalogue } from '../../base/error-catalogue.ts';
import { CarillonError } from '../../base/errors.ts';
import {
  type Identities,
  type Identity,
  type Sessions,
  sessionCookie,
  sessionSeconds,
} from '../access/identity.ts';
import { callbackPath, type Provider, ticketSeconds } from '../access/oidc.ts';
import { isByPerson } from '../access/origin.ts';
import type { PageStore } from '../page/store.ts';
import { pagePolicy } from './pages.ts';

/**
 * A browser keeps no token: it sends it once, or a provider says whose browser it is, and it gets a session in a cookie
 * that no script can read.
 */
type LoginDeps = {
  sessions: Sessions;
  identities: Identities;
  /** Waits before a wrong token is answered. */
  failed(request: FastifyRequest): Promise<void>;
  publicUrl: URL | undefined;
  store: PageStore;
  provider: Provider | undefined;
};

const ticketCookie = 'carillon_login';
/** Our own pages, the only ones that a login may return to. */
const ours = /^\/(?!log(?:in|out))(?![/\\])[^\s"<>\\]{0,500}$/;

export function addLogin(server: FastifyInstance, deps: LoginDeps): void {
  const { sessions, identities, failed, publicUrl, store, provider } = deps;
  const form = loginForm(store, provider?.name);
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy };
  // TLS ends in front of us: without PUBLIC_URL, only the browser knows whether its page came by it, or a trusted
  // proxy.
  const cookieFor = ({ headers: { origin }, protocol }: FastifyRequest): CookieSerializeOptions => ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl?.protocol === 'https:' || protocol === 'https' || origin?.startsWith('https:') === true,
  });
  const openSession = (request: FastifyRequest, reply: FastifyReply, identity: Identity) => {
    sessions.close(request.cookies[sessionCookie]);
    const id = sessions.open(identity);
    return reply.setCookie(sessionCookie, id, { ...cookieFor(request), maxAge: sessionSeconds });
  };

  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 4_096 },
      (_request, body, done) => done(null, new URLSearchParams(body as string).get('token') ?? ''),
    );

    scope.get('/login', { config: { open: true, linkable: true } }, async (_request, reply) =>
      reply.headers(headers).send(form()),
    );
    // The page asks before it shows its own form.
    scope.get('/login/ways', { config: { open: true } }, async () => ({ provider: provider?.name ?? null }));
    if (provider) addProvider(scope, provider);

    // Only our own form may post here: another site must not log a browser in or out.
    scope.post('/login', { config: { open: true } }, async (request, reply) => {
      const given = String(request.body ?? '').trim();
      const identity = await identities.of(given);
      if (identity === null) {
        if (given !== '') await failed(request);
        reply.header('connection', 'close');
        throw new CarillonError('unauthorized', 'The token is not valid');
      }
      const next = isEnough(identity.role, 'read_people') ? '/queues' : '/';
      return openSession(request, reply, identity).redirect(next, 303);
    });

    scope.post('/logout', { config: { open: true } }, async (request, reply) => {
      sessions.close(request.cookies[sessionCookie]);
      return reply.clearCookie(sessionCookie, cookieFor(request)).redirect('/login', 303);
    });
  });

  function addProvider(scope: FastifyInstance, by: Provider): void {
    // The browser comes back from another site, and must bring its ticket then.
    const ticketFor = (request: FastifyRequest): CookieSerializeOptions => ({
      ...cookieFor(request),
      path: callbackPath,
      sameSite: 'lax',
    });
    // The person gets the login form again, with what went wrong.
    scope.setErrorHandler((error: Error, request, reply) => {
      if (!isByPerson(request) || !(error instanceof CarillonError)) throw error;
      return reply.code(catalogue[error.code].status).headers(headers).send(form(error));
    });

    scope.get('/login/provider', { config: { open: true } }, async (request, reply) => {
      const { to } = request.query as { to?: unknown };
      const { address, ticket } = await by.begin(typeof to === 'string' && ours.test(to) ? to : '/');
      return reply
        .setCookie(ticketCookie, ticket, { ...ticketFor(request), maxAge: ticketSeconds })
        .redirect(address, 303);
    });

    scope.get(callbackPath, { config: { open: true, linkable: true } }, async (request, reply) => {
      const answer = new URL(request.url, publicUrl).searchParams;
      reply.clearCookie(ticketCookie, ticketFor(request));
      const { identity, to } = await by.finish(answer, request.cookies[ticketCookie]).catch(async (error) => {
        await failed(request);
        throw error;
      });
      // Not a redirect: a browser would still count it as coming from the provider's site, and withhold our cookie.
      return openSession(request, reply, identity).headers(headers).send(onward(to));
    });
  }
}

/** The login form, with a link to the provider above it if there is one, and the error if a login failed. */
function loginForm(store: PageStore, provider: string | undefined) {
  const page = store.fixed('login.html').toString();
  const way = provider ? `<p><a class="way" href="/login/provider">Log in by ${safe(provider)}</a></p>` : '';
  return (error?: CarillonError) => {
    const said = error
      ? `<p class="notice" role="alert">${safe(`${error.message}. ${error.remedy}`)}</p>`
      : '';
    return page.replace('<!-- said -->', () => said).replace('<!-- provider -->', () => way);
  };
}

const onward = (to: string) =>
  `<!doctype html><meta charset="utf-8"><title>Carillon</title><meta http-equiv="refresh" content="0;url=${safe(to)}"><a href="${safe(to)}">Continue</a>`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const safe = (text: string) => text.replace(/[&<>"']/g, (each) => entities[each]!);
