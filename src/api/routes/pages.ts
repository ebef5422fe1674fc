import { readFileSync } from 'node:fs';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isEnough } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Identities } from '../identity.ts';
import type { Failures } from '../limits.ts';
import { type Sessions, sessionCookie, sessionSeconds } from '../session.ts';

/** The page, and the one to try the API: files that hold no secrets and ask the API for everything they show. */
const folder = new URL('../../../dashboard/', import.meta.url);

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const files = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/dashboard.css', 'dashboard.css', 'text/css; charset=utf-8'],
  ['/dashboard.js', 'dashboard.js', 'text/javascript; charset=utf-8'],
  ['/api/docs', 'docs.html', 'text/html; charset=utf-8'],
  ['/api/docs/docs.css', 'docs.css', 'text/css; charset=utf-8'],
  ['/api/docs/docs.js', 'docs.js', 'text/javascript; charset=utf-8'],
] as const;

export function addPage(server: FastifyInstance): void {
  for (const [url, file, type] of files) {
    const content = readFileSync(new URL(file, folder));
    server.get(url, { config: { open: true, linkable: true } }, async (_request, reply) =>
      reply.headers({ 'content-type': type, 'content-security-policy': policy }).send(content),
    );
  }
}

export type LoginDeps = {
  sessions: Sessions;
  identities: Identities;
  failed: Failures;
  publicUrl: URL | undefined;
};

/** A browser cannot send a token when it opens /queues or a results file: it gets a read-only session. */
export function addLogin(server: FastifyInstance, deps: LoginDeps): void {
  const { sessions, identities, failed, publicUrl } = deps;
  const form = readFileSync(new URL('login.html', folder), 'utf8');
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  // TLS ends in front of us: without PUBLIC_URL, only the browser knows whether its page came by it.
  const cookieFor = ({ headers: { origin } }: FastifyRequest): CookieSerializeOptions => ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl?.protocol === 'https:' || origin?.startsWith('https:') === true,
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
      const given = String(request.body ?? '');
      const identity = await identities.of(given);
      if (identity === null) {
        if (given !== '') await failed(request.ip);
        throw new CarillonError('unauthorized', 'The token is not valid');
      }
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
