import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isEnough } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Identities } from '../identity.ts';
import type { PageStore } from '../page/store.ts';
import { type Sessions, sessionCookie, sessionSeconds } from '../session.ts';
import { pagePolicy } from './pages.ts';

/** A browser keeps no token: it gives it once, and gets a session in a cookie that no script can read. */
export type LoginDeps = {
  sessions: Sessions;
  identities: Identities;
  /** Waits before a wrong token is answered. */
  failed(request: FastifyRequest): Promise<void>;
  publicUrl: URL | undefined;
  store: PageStore;
};

export function addLogin(server: FastifyInstance, deps: LoginDeps): void {
  const { sessions, identities, failed, publicUrl, store } = deps;
  const form = store.fixed('login.html');
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy };
  // TLS ends in front of us: without PUBLIC_URL, the browser knows whether its page came by it, or a trusted proxy does.
  const cookieFor = ({ headers: { origin }, protocol }: FastifyRequest): CookieSerializeOptions => ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl?.protocol === 'https:' || protocol === 'https' || origin?.startsWith('https:') === true,
  });

  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 4_096 },
      (_request, body, done) => done(null, new URLSearchParams(body as string).get('token') ?? ''),
    );

    scope.get('/login', { config: { open: true, linkable: true } }, async (_request, reply) =>
      reply.headers(headers).send(form),
    );

    // Only our own form may post here: another site must not log a browser in or out.
    scope.post('/login', { config: { open: true } }, async (request, reply) => {
      const given = String(request.body ?? '').trim();
      const identity = await identities.of(given);
      if (identity === null) {
        if (given !== '') await failed(request);
        reply.header('connection', 'close');
        throw new CarillonError('unauthorized', 'The token is not valid');
      }
      sessions.close(request.cookies[sessionCookie]);
      return reply
        .setCookie(sessionCookie, sessions.open(identity), {
          ...cookieFor(request),
          maxAge: sessionSeconds,
        })
        .redirect(isEnough(identity.role, 'read_people') ? '/queues' : '/', 303);
    });

    scope.post('/logout', { config: { open: true } }, async (request, reply) => {
      sessions.close(request.cookies[sessionCookie]);
      return reply.clearCookie(sessionCookie, cookieFor(request)).redirect('/login', 303);
    });
  });
}
