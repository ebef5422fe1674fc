import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CarillonError } from '../../base/errors.ts';
import { hintCall, isHookSecret } from '../../control/calls/hint.ts';
import { readParam } from '../../control/input.ts';
import type { ApiParts } from '../parts.ts';

/** What other systems may say without a token: that a call may have ended. The secret is in the address. */
export function addHooks(server: FastifyInstance, { app, service }: ApiParts): void {
  const secret = app.config.hookSecret;
  // Judged before the body: a wrong secret must not learn more than that nothing is here.
  const onRequest = async (request: FastifyRequest) => {
    if (!isHookSecret(readParam(request.params, 'secret'), secret)) throw new CarillonError('route-unknown');
  };
  server.post('/api/hooks/call/:secret', { config: { open: true }, onRequest }, async (request, reply) => {
    await hintCall(service, request.body);
    reply.code(204);
  });
}
