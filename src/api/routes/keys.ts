import type { FastifyInstance } from 'fastify';
import { readParam } from '../../control/input.ts';
import { listKeys, resumeKey } from '../../control/keys.ts';
import { listNumbers } from '../../control/numbers.ts';
import type { ApiParts } from '../parts.ts';

/** The keys and their state, by name only, and the phone numbers of their accounts. */
export function addKeys(server: FastifyInstance, { app, service }: ApiParts): void {
  server.get('/api/keys', () => listKeys(service, app.engine.bucket));
  server.post('/api/keys/:name/resume', (request) => resumeKey(service, readParam(request.params, 'name')));
  server.get('/api/numbers', () => listNumbers(service));
}
