import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { readParam } from '../control/requests/input.ts';
import type { ServiceAccess } from '../control/service/access.ts';
import { createAskLimit } from './access/limits.ts';
import {
  type ApiParts,
  isRaw,
  type Route,
  type RouteAsk,
  type RouteRole,
  signalOf,
  usualStatus,
} from './route.ts';

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

/**
 * One answer for everyone who asks for the same thing at about the same time. Only for clients that accept an answer of
 * that age with `Cache-Control: max-age`, as an open page does: others get an answer of their own.
 */
export type SharedAnswers = <T>(request: FastifyRequest, make: () => Promise<T> | T) => Promise<T> | T;

/** No answer is older than this, whatever age the request accepts. */
const mostMs = 2_000;
/** More addresses than pages ask for at a time. */
const mostKept = 200;

type Kept = { madeAt: number; answer: Promise<unknown> };

export function createSharedAnswers(clock: Pick<Clock, 'monotonic'>): SharedAnswers {
  const kept = new Map<string, Kept>();
  const forget = (now: number) => {
    for (const [key, { madeAt }] of kept) if (now - madeAt > mostMs || kept.size > mostKept) kept.delete(key);
  };
  return <T>(request: FastifyRequest, make: () => Promise<T> | T) => {
    const ageMs = Math.min(mostMs, ageTaken(request.headers['cache-control']));
    if (ageMs <= 0 || request.method !== 'GET') return make();
    const now = clock.monotonic();
    const key = `${request.actor?.role ?? ''} ${request.url}`;
    const known = kept.get(key);
    if (known && now - known.madeAt <= ageMs) return known.answer as Promise<T>;
    forget(now);
    const answer = Promise.resolve(make());
    kept.set(key, { madeAt: now, answer });
    // A failure is reported to those who wait for it, and to nobody after them.
    answer.catch(() => kept.get(key)?.answer === answer && kept.delete(key));
    return answer;
  };
}

function ageTaken(header: string | undefined): number {
  const found = /^max-age=(\d{1,3})$/.exec(header?.trim() ?? '');
  return found ? Number(found[1]) * 1_000 : 0;
}
