import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { App } from '../app.ts';
import type { Role } from '../base/actor.ts';
import type { ErrorCode } from '../base/error-catalogue.ts';
import type { KeptLists } from '../control/lists/sent.ts';
import type { Once } from '../control/requests/idempotency.ts';
import type { ServiceAccess } from '../control/service/access.ts';
import type { Stations } from '../dispatch/stations.ts';
import type { Feed } from './events/feed.ts';

/**
 * A route is a value: its address, who may use it, what it takes and answers, and the verb behind it. The server adds
 * these values to itself, and the description is made from the same ones, so that the two cannot differ.
 */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** The role that a token must have; null answers anyone who reaches the port. */
export type RouteRole = Role | null;

/** An answer that is not one JSON document: a file, a stream, a text; or nothing. */
class RawAnswer {
  readonly type: string | null;
  readonly example: string;
  constructor(type: string | null, example: string) {
    this.type = type;
    this.example = example;
  }
}

export const raw = (type: string, example: string) => new RawAnswer(type, example);
export const noContent = new RawAnswer(null, '');

/** A body that the verb reads as a stream. */
export type StreamedBody = {
  /** The schema of the items if the type is JSON; else an example. */
  types: Readonly<Record<string, { schema?: z.ZodType; example: unknown }>>;
};

type Answers = Readonly<Record<number, z.ZodType | RawAnswer>>;
type AnswerOf<A> = A extends z.ZodType ? z.output<A> : A extends RawAnswer ? FastifyReply | undefined : never;
type Told<A extends Answers> = AnswerOf<A[keyof A]>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** A request as a verb needs it. The names in the path were read; the verb checks query and body. */
export type RouteAsk<Path extends string = string> = {
  params: Readonly<Record<NamesIn<Path>, string>>;
  query: unknown;
  body: unknown;
  request: FastifyRequest;
  /** Sets headers, and a status other than the lowest of `answers`. */
  reply: FastifyReply;
};

/** Facts about a route; the description has all of them. */
export type RouteFacts = {
  method: Method;
  /** The path as OpenAPI writes it: `/api/keys/{name}/resume`. */
  path: string;
  /** The operationId: a verb and its noun, unique. */
  id: string;
  tag: Tag;
  role: RouteRole;
  /** One short sentence and, if that is not enough, more in Markdown. */
  summary: string;
  more?: string;
  /** The meaning of names in the path that are not among the usual ones. */
  params?: Readonly<Record<string, string>>;
  query?: z.ZodObject;
  /** The schema that the verb reads the body with. */
  body?: z.ZodType;
  /** The verb reads the body itself. */
  stream?: StreamedBody;
  /** The sender of the body signs its bytes. */
  signed?: true;
  /** The body may be left out. */
  bodyOptional?: boolean;
  /** Answers by status; a handler answers the lowest unless it sets another. */
  answers: Answers;
  /** Codes of the catalogue, besides those that every route may answer. */
  errors?: readonly ErrorCode[];
  /** Examples of body and answer that are better than those made from the schemas. */
  example?: { body?: unknown; answer?: unknown };
  /** Requests with the same `Idempotency-Key` are one request. */
  idempotent?: true;
  /** `If-Match` limits the change to the version that it names. */
  ifMatch?: true;
  /** Other sites' pages may link to it: it holds no data. */
  linkable?: true;
  /** May ask the service: a few requests at a time per token, and only while the client is connected. */
  asks?: true;
  /** One answer may serve everyone who accepts its age. It depends only on the address and the role. */
  shared?: true;
};

export type Route = RouteFacts & {
  /** Called before the body is read. */
  before?: (asked: RouteAsk, parts: ApiParts) => void;
  handle: (asked: RouteAsk, parts: ApiParts) => unknown;
};

type Made<Path extends string, A extends Answers> = Omit<
  RouteFacts,
  'method' | 'path' | 'id' | 'tag' | 'answers'
> & {
  answers: A;
  before?: (asked: RouteAsk<Path>, parts: ApiParts) => void;
  handle: (asked: RouteAsk<Path>, parts: ApiParts) => Told<A> | Promise<Told<A>>;
};

/**
 * Makes the routes of one part of the API, by their path and operationId. It types the names in the path, and holds the
 * handler to the answers.
 */
export function routesOf(tag: Tag) {
  const by =
    (method: Method) =>
    <const Path extends string, const A extends Answers>(path: Path, id: string, made: Made<Path, A>) =>
      ({ method, path, id, tag, ...made }) as unknown as Route;
  return { get: by('GET'), post: by('POST'), put: by('PUT'), patch: by('PATCH'), remove: by('DELETE') };
}

/** Ends when the client has left, or the answer was sent: Fastify's own signal ends once a body was read. */
export function signalOf({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => left.abort());
  return left.signal;
}

export function isRaw(answer: z.ZodType | RawAnswer): answer is RawAnswer {
  return answer instanceof RawAnswer;
}

/** Marks the answer to a repeated request: what it asks for exists, and was not made now. */
export function tellOnce<T>(reply: FastifyReply, { answer, fresh }: Once<T>, made: number, again = 200): T {
  reply.code(fresh ? made : again);
  if (!fresh) reply.header('idempotency-replayed', 'true');
  return answer;
}

/** Answers with a file that is written while it is read. */
export function sendFile(
  reply: FastifyReply,
  name: string,
  type: string,
  write: (target: { stream: PassThrough }) => Promise<unknown>,
): FastifyReply {
  const stream = new PassThrough();
  reply.header('content-type', `${type}; charset=utf-8`);
  reply.header('content-disposition', `attachment; filename="${name}"`);
  write({ stream }).then(
    () => stream.end(),
    // Breaks the connection: a truncated file must not look complete.
    (error: Error) => stream.destroy(error),
  );
  return reply.send(stream);
}

/** The status that a handler answers with unless it sets another: numeric keys are in ascending order. */
export function usualStatus({ answers }: RouteFacts): number {
  return Number(Object.keys(answers)[0]);
}

/** Errors of a route that asks the service. */
export const ofService = ['key-denied', 'key-busy', 'service-unreachable', 'service-answer'] as const;

/** The parts of the API, in the order in which the description shows them. */
export const tags = {
  calls: 'Single calls: created once, looked up, and changed at the service.',
  campaigns: 'Campaigns: one order to call a list.',
  recipients: 'The people on a campaign’s list, their attempts and results.',
  bulk: 'Acts on everyone whom a filter finds.',
  unknown: 'Attempts whose outcome nobody knows, which wait for a person.',
  services: 'The voice services that Carillon can use, and the one in use.',
  keys: 'The keys of the service, and the numbers of their accounts.',
  suppressions: 'Phones that must not be called.',
  policy: 'Contact rules of every campaign and single call.',
  events: 'Events, as they happen.',
  webhooks: 'Addresses that are told what happens.',
  tokens: 'Tokens for the API, and the record of who did what.',
  operations: 'Whether the process lives, and its metrics.',
} as const;

type Tag = keyof typeof tags;

/** The parts that the routes need. */
export type ApiParts = {
  app: App;
  /** The background's engine: its queues are shown, and jobs are added to them. */
  stations: Pick<Stations, 'lanes' | 'queues'>;
  /** The voice service, with the short patience of someone who waits for an answer. */
  service: ServiceAccess;
  /** Everyone who follows the events through this process. */
  feed: Feed;
  /** Lists that were sent for a preview. */
  lists: KeptLists;
};
