import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readParam } from '../control/requests/input.ts';
import type { ServiceAccess } from '../control/service/access.ts';
import { createAskLimit } from './access/limits.ts';
import { isRaw, type Route, type RouteAsk, type RouteRole, signalOf, usualStatus } from './route.ts';
import type { ApiParts } from './route-deps.ts';
import { createSharedAnswers, type SharedAnswers } from './shared-answers.ts';

/** Adds routes to the server, each as its value says. */
declare module 'fastify' {
  interface FastifyContextConfig {
    /** The role that a token must have. */
    role?: RouteRole;
    /** The verb reads the body itself, as a stream. */
    streamed?: boolean;
    signed?: boolean;
  }
  interface FastifyRequest {
    /** The raw body, for a route whose bodies are signed. */
    bytes?: Buffer;
  }
}

type AccessFor = (request: FastifyRequest, reply: FastifyReply) => ServiceAccess;

/** The service for one request: a few questions at a time per token, and only while the client is connected. */
export function createAccess(service: ServiceAccess): AccessFor {
  const begin = createAskLimit();
  return ({ actor }, reply) => {
    const who = actor?.token ?? actor?.name ?? '';
    return { ...service, signal: signalOf(reply), begin: () => begin(who) };
  };
}

export function addRoutes(
  server: FastifyInstance,
  parts: ApiParts,
  routes: readonly Route[],
  accessFor: AccessFor,
): void {
  const share = createSharedAnswers(parts.app.clock);
  const askingParts: Shared['askingParts'] = (request, reply) => ({
    ...parts,
    service: accessFor(request, reply),
  });
  const shared: Shared = { parts, share, askingParts };
  for (const each of routes) {
    if (each.stream === undefined) addOne(server, each, shared);
    else server.register(async (scope) => addStreamed(scope, each, shared));
  }
}

type Shared = {
  parts: ApiParts;
  share: SharedAnswers;
  askingParts(request: FastifyRequest, reply: FastifyReply): ApiParts;
};

function addOne(server: FastifyInstance, route: Route, { parts, share, askingParts }: Shared): void {
  const { method, role, linkable = false, before, handle } = route;
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const usual = usualStatus(route);
  const answer = route.answers[usual]!;
  // A HEAD must not write a file only to show that it is there.
  const headType = isRaw(answer) ? answer.type : null;
  const askedOf = (request: FastifyRequest, reply: FastifyReply): RouteAsk => ({
    params: Object.fromEntries(names.map((name) => [name, readParam(request.params, name)])),
    query: request.query,
    body: request.body,
    request,
    reply,
  });
  server.route({
    method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: method === 'GET',
    config: {
      role,
      open: role === null,
      linkable,
      streamed: route.stream !== undefined,
      signed: route.signed === true,
    },
    ...(before ? { onRequest: async (request, reply) => before(askedOf(request, reply), parts) } : {}),
    handler: async (request, reply) => {
      reply.code(usual);
      if (request.method === 'HEAD' && headType !== null) return reply.type(headType).send();
      const answer = () => handle(askedOf(request, reply), route.asks ? askingParts(request, reply) : parts);
      return route.shared ? share(request, answer) : answer();
    },
  });
}

/** The verb reads the body itself, in the form that its type names. */
function addStreamed(scope: FastifyInstance, route: Route, shared: Shared): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(Object.keys(route.stream!.types), (_request, payload, done) =>
    done(null, payload),
  );
  addOne(scope, route, shared);
}
