import type { FastifyInstance, FastifyRequest } from 'fastify';
import { changeCall } from '../../control/calls/at-service.ts';
import { cancelCall } from '../../control/calls/cancel.ts';
import { showAttemptCourse } from '../../control/calls/course.ts';
import { createCall } from '../../control/calls/create.ts';
import { refreshCall } from '../../control/calls/refresh.ts';
import { showCall } from '../../control/calls/show.ts';
import { readParam } from '../../control/input.ts';
import { searchPeople } from '../../control/people/search.ts';
import type { ApiParts } from '../parts.ts';

/** Calls: found over all campaigns; single ones created once, looked up, and changed at the service. */
export function addCalls(server: FastifyInstance, { service }: ApiParts): void {
  const idOf = (request: FastifyRequest) => readParam(request.params, 'id');

  server.post('/api/calls', async (request, reply) => {
    const { call, fresh } = await createCall(service, request.body, request.headers['idempotency-key']);
    reply.code(fresh ? 202 : 200).header('location', call.links.self);
    return call;
  });
  server.get('/api/calls', (request) => searchPeople(service, request.query));
  server.get('/api/attempts/:id', (request) => showAttemptCourse(service.ledger, idOf(request)));
  server.get('/api/calls/:id', (request) => showCall(service, idOf(request)));
  server.post('/api/calls/:id/refresh', (request) => refreshCall(service, idOf(request)));
  server.post('/api/calls/:id/cancel', (request) => cancelCall(service, idOf(request)));
  server.patch('/api/calls/:id', (request) => changeCall(service, idOf(request), request.body));
}
