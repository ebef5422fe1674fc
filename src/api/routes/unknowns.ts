import type { FastifyInstance } from 'fastify';
import { readParam } from '../../control/input.ts';
import { resolveUnknown, resolveUnknowns } from '../../control/unknowns/settle.ts';
import { listUnknown } from '../../control/unknowns/show.ts';
import type { ApiParts } from '../parts.ts';

/** Attempts whose outcome the service cannot tell: listed, and settled by a person who has found out. */
const mostAtOnce = 1_000;

export function addUnknowns(server: FastifyInstance, { app, service }: ApiParts): void {
  server.get('/api/unknown', (request) => listUnknown(app.ledger, request.query));
  server.post('/api/unknown/:attempt/resolve', (request) =>
    resolveUnknown(service, readParam(request.params, 'attempt'), request.body),
  );
  server.post('/api/unknown/resolve', (request) => resolveUnknowns(service, request.body, mostAtOnce));
}
