import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CarillonError } from '../base/errors.ts';
import { problemOf, sendProblem } from './describe/problem.ts';

/** Answers a person who typed an address that does not exist; false leaves it to the problem. */
export type AnswerPerson = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/** Tells an address that does not exist from one that does not take the method. */
type Known = { fits: RegExp; methods: Set<string> };

/** Call it before the routes are added. */
export function answerUnknown(server: FastifyInstance, toPerson: AnswerPerson): void {
  const known = new Map<string, Known>();
  server.addHook('onRoute', ({ url, method }) => {
    const found = known.get(url) ?? { fits: patternOf(url), methods: new Set<string>() };
    for (const each of [method].flat()) found.methods.add(each);
    known.set(url, found);
  });

  server.setNotFoundHandler(async (request, reply) => {
    const methods = methodsOf(known.values(), request);
    if (methods.length === 0) {
      if (await toPerson(request, reply)) return reply;
      return refuse(request, reply, new CarillonError('route-unknown'));
    }
    reply.header('allow', methods.join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const message = `${request.method} is not among the methods of this address`;
    return refuse(request, reply, new CarillonError('method-unknown', message));
  });
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: CarillonError): FastifyReply {
  return sendProblem(reply, problemOf(error, request.id));
}

function methodsOf(known: Iterable<Known>, { url }: FastifyRequest): string[] {
  const path = url.split('?')[0]!;
  const found = [...known].filter(({ fits }) => fits.test(path)).flatMap(({ methods }) => [...methods]);
  return found.length === 0 ? [] : [...new Set([...found, 'OPTIONS'])].sort();
}

function patternOf(url: string): RegExp {
  const text = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${text.replace(/:\w+/g, '[^/]+')}$`);
}
