import type { FastifyInstance } from 'fastify';
import { followHangUps } from '../../control/hang-ups.ts';
import { suppress, unsuppress } from '../../control/suppressions/change.ts';
import { listSuppressions } from '../../control/suppressions/list.ts';
import type { ApiParts } from '../parts.ts';

/** Phones that must not be called. */
export function addSuppressions(server: FastifyInstance, { app, service }: ApiParts): void {
  const hangUp = (calls: string[]) => followHangUps(service, calls);
  server.get('/api/suppressions', (request) => listSuppressions(app.ledger, request.query));
  server.post('/api/suppressions', (request) => suppress(app, request.body, 'api', hangUp));
  server.delete('/api/suppressions', (request) => unsuppress(app, request.body));
}
