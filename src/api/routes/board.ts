import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { CarillonError } from '../../base/errors.ts';
import { queueUnreachable } from '../../engine/engine.ts';
import { asCarillonError, problemOf, sendProblem } from '../describe/problem.ts';
import type { ApiParts } from '../route.ts';

/** The queues of the background workers, read-only: a retry by hand could call someone twice. */
const base = '/queues';

/**
 * The board's pages and their files, by the patterns of its plugin. Its data comes from /queues/api, which is guarded.
 */
const linkable: ReadonlySet<string> = new Set([
  base,
  `${base}/metrics-history`,
  `${base}/job-schedulers`,
  `${base}/queue/:queueName`,
  `${base}/queue/:queueName/:jobId`,
  `${base}/static/*`,
]);

/** The board's own way to find them fails in a bundle: see scripts/bundle.js. */
const pages = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));

/** The page sets its own styles and base; it may load nothing from elsewhere. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/**
 * Its page loads fonts from a third party, which need not know who looks at calls. Call it before the hooks that
 * compress answers: the hooks of the board's own scope would come after that.
 */
export function dropBoardFonts(server: FastifyInstance): void {
  server.addHook('onSend', (request, _reply, payload, done) => {
    const isPage = typeof payload === 'string' && linkable.has(request.routeOptions.url ?? '');
    done(null, isPage ? payload.replace(/<link href="https:[^>]*>/g, '') : payload);
  });
}

export function addBoard(server: FastifyInstance, { app, stations }: ApiParts): void {
  const adapter = new FastifyAdapter();
  const queues = stations
    .lanes()
    .flatMap((lane) =>
      (['dial', 'track'] as const).map((station) => stations.queues.queue(lane.bucket, station)),
    )
    .map((queue) => new BullMQAdapter(queue as never, { readOnlyMode: true, allowRetries: false }));
  createBullBoard({
    queues,
    serverAdapter: adapter,
    options: { uiBasePath: pages, uiConfig: { boardTitle: 'Carillon queues' } },
  });
  adapter.setBasePath(base);
  // The board's own handler would pass any error on unchanged.
  adapter.setErrorHandler((error) => {
    app.log.warn({ why: error.message }, 'the queues could not be shown');
    const known = asCarillonError(error);
    const ours = known.code === 'unexpected' ? queueUnreachable(app.engine.kind) : known;
    const problem = problemOf(ours, randomUUID());
    return { status: problem.status as 500, body: problem as never };
  });
  server.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      // Jobs hold only ids, but an error message may repeat the service's words.
      const isPage = linkable.has(route.url);
      route.config = { ...route.config, role: 'read_people', linkable: isPage };
    });
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('content-security-policy', policy);
      if (request.method === 'GET') return;
      // The board's own read-only mode still answers "done" to some of its buttons.
      const refusal = new CarillonError('forbidden', 'The queues can be looked at, not changed', {
        remedy: 'Pause and resume campaigns instead: the queues are rebuilt from the ledger.',
      });
      sendProblem(reply, problemOf(refusal, request.id));
    });
    await scope.register(adapter.registerPlugin(), { prefix: base });
  });
}
