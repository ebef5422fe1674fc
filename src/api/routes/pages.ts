import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CarillonError } from '../../base/errors.ts';
import { isByPerson } from '../access/origin.ts';
import { sendFixed } from '../etag-gzip.ts';
import type { DocsStore, PageFile, PageStore } from '../page/store.ts';
import type { AnswerPerson } from '../unknown-address.ts';

/** The page, and the one to try the API: files that hold no secrets and ask the API for everything they show. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src blob:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const open = { open: true, linkable: true } as const;

/** Files written by hand, served unchanged. */
const fixed = [
  ['/api/docs', 'docs.html', 'text/html; charset=utf-8'],
  ['/api/docs/docs.css', 'docs.css', 'text/css; charset=utf-8'],
  ['/api/docs/docs.js', 'docs.js', 'text/javascript; charset=utf-8'],
  ['/login.css', 'login.css', 'text/css; charset=utf-8'],
] as const;

export function addPage(server: FastifyInstance, store: PageStore): void {
  for (const [url, file, type] of fixed) {
    const content = store.fixed(file);
    server.get(url, { config: open }, async (_request, reply) =>
      reply.headers({ 'content-type': type, 'content-security-policy': pagePolicy }).send(content),
    );
  }
  const index = async (_request: FastifyRequest, reply: FastifyReply) => sendIndex(reply, store);
  // Monitors ask with HEAD.
  const page = { config: open, exposeHeadRoute: true };
  server.get('/', page, index);
  for (const name of pageAddresses) {
    server.get(`/${name}`, page, index);
    server.get(`/${name}/*`, page, index);
  }
  for (const name of ['theme.js', 'mark.svg']) {
    server.get(`/${name}`, { config: { open: true } }, async (_request, reply) =>
      sendFile(reply, store.file(name), 'no-cache'),
    );
  }
  server.get('/assets/*', { config: { open: true } }, async (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    // Their names change with their content.
    return sendFile(reply, store.file(`assets/${name}`), 'public, max-age=31536000, immutable');
  });
}

/** The docs at the addresses by which their own links, and those of their index, find each other. */
export function addDocs(server: FastifyInstance, docs: DocsStore): void {
  const config = { config: open, exposeHeadRoute: true };
  const send = async (reply: FastifyReply, file: PageFile | undefined) => {
    if (!file) throw new CarillonError('route-unknown');
    return sendFile(reply, file, 'no-cache');
  };
  server.get('/llms.txt', config, async (_request, reply) => send(reply, docs.index()));
  server.get('/docs/*', config, async (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    return name === '' ? reply.redirect('/docs/README.md') : send(reply, docs.page(name));
  });
  server.get('/docs', config, async (_request, reply) => reply.redirect('/docs/README.md'));
}

/** A person who mistyped an address gets the page, which names the nearest one; a program gets its problem. */
export const wrongAddress =
  (store: PageStore): AnswerPerson =>
  async (request, reply) => {
    if (!isByPerson(request) || /^\/api(?:\/|$)/.test(request.url)) return false;
    reply.code(404);
    await sendIndex(reply, store);
    return true;
  };

async function sendIndex(reply: FastifyReply, store: PageStore) {
  const file = store.file('index.html');
  if (file) return sendFile(reply, file, 'no-cache');
  return reply
    .code(503)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy })
    .headers({ 'retry-after': '2', refresh: '2' })
    .send(store.fixed('unbuilt.html'));
}

async function sendFile(reply: FastifyReply, file: PageFile | undefined, caching: string) {
  // The route exists: the file is part of an older build.
  if (!file) return reply.code(404).type('text/plain; charset=utf-8').send('No such file.\n');
  reply.headers({
    'content-type': file.type,
    'content-security-policy': pagePolicy,
    'cache-control': caching,
  });
  return sendFixed(reply, file);
}

/**
 * The first parts of the page's own addresses: each answers the page, which shows what the rest of the address names. A
 * test compares the page's routes with this list. None may be an address of the API.
 */
export const pageAddresses = [
  'live',
  'listen',
  'campaigns',
  'people',
  'keys',
  'numbers',
  'unknown',
  'jobs',
  'imports',
  'suppressions',
  'policy',
  'webhooks',
  'alerts',
  'tokens',
  'activity',
  'settings',
  'health',
] as const;
