import type { FastifyInstance } from 'fastify';
import { suppress, unsuppress } from '../../control/suppressions/change.ts';
import { listSuppressions } from '../../control/suppressions/list.ts';
import type { ApiParts } from '../parts.ts';

/** Phones that must not be called. */
export function addSuppressions(server: FastifyInstance, { app }: ApiParts): void {
  server.get('/api/suppressions', (request) => listSuppressions(app.ledger, request.query));
  server.post('/api/suppressions', (request) => suppress(app, request.body, 'api'));
  server.delete('/api/suppressions', (request) => unsuppress(app, request.body));
}
