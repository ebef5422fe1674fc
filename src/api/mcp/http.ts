import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { CarillonError } from '../../base/errors.ts';
import type { ServiceAccess } from '../../control/service/access.ts';

/**
 * The Model Context Protocol at `/mcp` (Streamable HTTP). It is stateless: each request is answered alone, by any
 * process. It stands behind the guard of the API, and takes bodies as the API does. GET and DELETE belong to sessions,
 * which it does not have: they are 405.
 */
export function addMcp(
  server: FastifyInstance,
  app: App,
  accessFor: (request: FastifyRequest, reply: FastifyReply) => ServiceAccess,
): void {
  server.route({
    method: 'POST',
    url: '/mcp',
    config: { role: 'read' },
    handler: async (request, reply) => {
      // One request is one question: the rate of a token counts requests.
      if (Array.isArray(request.body)) {
        throw new CarillonError('request-invalid', 'The body is a list of messages', {
          remedy: 'Send one message of the protocol at a time.',
        });
      }
      // Loaded when the first assistant comes: most installations have none.
      const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./server.ts'),
      ]);
      const service = accessFor(request, reply);
      const handler = createMcpHandler(() => createMcpServer({ app, service }), {
        // There is nothing to subscribe to: the tools stay the same, and events have a stream of their own.
        maxSubscriptions: 0,
        onerror: (error) => app.log.debug({ why: error.message }, 'a request of an assistant was refused'),
      });
      const asked = new Request('http://localhost/mcp', { method: 'POST', headers: headersOf(request) });
      const { status, headers, body } = await handler.fetch(asked, { parsedBody: request.body ?? null });
      const type = headers.get('content-type');
      if (type) reply.header('content-type', type);
      return reply.code(status).send(body === null ? '' : await new Response(body).text());
    },
  });
}

/** Those of the body are left out: it was read. */
function headersOf({ headers }: FastifyRequest): Headers {
  const given = Object.entries(headers).filter(
    ([name]) => !/^(?:content-length|transfer-encoding|connection|host)$/.test(name),
  );
  return new Headers(
    given.flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each] as [string, string])),
  );
}
