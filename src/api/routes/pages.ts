import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { CarillonError } from '../../base/errors.ts';
import { type Sessions, sessionCookie } from '../session.ts';

/** The page: three files that hold no secrets and ask the API for everything they show. */
const folder = new URL('../../../dashboard/', import.meta.url);

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const files = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/dashboard.css', 'dashboard.css', 'text/css; charset=utf-8'],
  ['/dashboard.js', 'dashboard.js', 'text/javascript; charset=utf-8'],
] as const;

export function addPage(server: FastifyInstance): void {
  for (const [url, file, type] of files) {
    const content = readFileSync(new URL(file, folder));
    server.get(url, { config: { open: true, linkable: true } }, async (_request, reply) =>
      reply.headers({ 'content-type': type, 'content-security-policy': policy }).send(content),
    );
  }
}

export type LoginDeps = { sessions: Sessions; accepts(token: string): boolean };

/** A browser cannot send a token when it opens /queues or a results file: it gets a read-only session. */
export function addLogin(server: FastifyInstance, { sessions, accepts }: LoginDeps): void {
  const form = readFileSync(new URL('login.html', folder), 'utf8');
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };

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

    // Only our own form may post here: another site must not log a browser in.
    scope.post('/login', { config: { open: true } }, async (request, reply) => {
      if (!accepts(String(request.body ?? '')))
        throw new CarillonError('unauthorized', 'The token is not valid');
      // TLS ends in front of us: only the browser knows whether its page came by it.
      const secure = request.headers.origin?.startsWith('https:') ?? false;
      return reply
        .setCookie(sessionCookie, sessions.open(), { path: '/', httpOnly: true, sameSite: 'strict', secure })
        .redirect('/queues', 303);
    });
  });
}
