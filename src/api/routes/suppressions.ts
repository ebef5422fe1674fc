import type { FastifyInstance } from 'fastify';
import { listSuppressions, suppress, unsuppress } from '../../control/suppressions.ts';
import type { ApiParts } from '../parts.ts';

/** Phones that must not be called. */
export function addSuppressions(server: FastifyInstance, { app }: ApiParts): void {
  server.get('/api/suppressions', (request) => listSuppressions(app.ledger, request.query));
  server.post('/api/suppressions', (request) => suppress(app.ledger, request.body));
  server.delete('/api/suppressions', (request) => unsuppress(app.ledger, request.body));
}
