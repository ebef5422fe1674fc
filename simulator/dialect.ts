/** The facts that let the simulator speak like a service. Each file in `services/` gives them for one. */
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Call } from './calls.ts';
import type { Operation } from './faults.ts';
import { json, type Reply, withHeaders } from './reply.ts';
import { type Flaw, readQuery } from './shape.ts';
import type { World } from './world.ts';

export type Dialect = {
  /** The part of a client's base URL after the origin. */
  base: string;
  /** The secrets that a request may have brought, in the order in which they are tried. */
  secrets(headers: IncomingHttpHeaders): readonly (string | undefined)[];
  /** Paths are below the base and name their parts: `/call/{id}`. */
  routes: readonly Row[];
  /** Writes an error in the service's form. `text` says it plainly; the service may have words of its own. */
  refuse(why: Why, status: number, text: string): Reply;
  /** The places in answers that some faults replace. */
  spots: Spots;
  newId(world: World): string;
  /** The service's successful answer with which nobody is dialled, if it has one. */
  undialled?(): Reply;
};

/** `no-key` is a request without a key, `key` one with a wrong key. */
export type Why = 'path' | 'method' | 'key' | 'no-key' | 'rate' | 'size' | 'fault';

export type Row = {
  method: string;
  path: string;
  /** Listing agents counts as `list`, like listing numbers; ending a call counts as `update`. */
  operation: Operation;
  /** It needs no key: its address is the secret. */
  open?: true;
  prepare(world: World, request: Request): Prepared;
};

export type Request = {
  params: Readonly<Record<string, string>>;
  key: number;
  contentType: string | undefined;
  query: string;
  body: string;
  /** The origin that the client used for the simulator, for links. */
  origin: string;
};

/** The effect that a request would have: `serve` brings it about, and is called at most once. */
export type Ready = Noted & { phone: string | null; call: string | null; serve(): Served };
type Served = { reply: Reply; call: string | null };
export type Prepared = (Noted & { refused: Reply; phone?: string }) | Ready;
/** The body of a create, if it tells the agent more than whom to call and from where; and its attempt's id. */
type Noted = { body?: Record<string, unknown> | null; stamp?: string | null };

/** JSON pointers. Spots that an answer does not have are skipped. */
type Spots = {
  id: readonly string[];
  status: readonly string[];
  phone: readonly string[];
  /** An id in the service's form that no call has. */
  nobody: string;
};

export type Route = { row: Row; params: Readonly<Record<string, string>> };

/** The row for a method and a path below the base, or a refusal if there is none. */
export function findRoute(dialect: Dialect, method: string, path: string): Route | Reply {
  const given = path.split('/');
  const allowed: string[] = [];
  for (const row of dialect.routes) {
    const params = match(row.path.split('/'), given);
    if (!params) continue;
    if (row.method === method) return { row, params };
    allowed.push(row.method);
  }
  if (allowed.length === 0) return dialect.refuse('path', 404, 'Not found');
  return withHeaders(dialect.refuse('method', 405, 'Method not allowed'), { allow: allowed.join(', ') });
}

function match(wanted: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i] as string;
    if (!part.startsWith('{')) {
      if (part !== value) return undefined;
    } else {
      if (value === '') return undefined;
      params[part.slice(1, -1)] = value;
    }
  }
  return params;
}

/** The bearer token of the usual header. */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/** Prepares an answer about the call whose id the path has; `unknown` is the answer where there is none. */
export function ofCall(
  world: World,
  { params }: Request,
  unknown: Reply,
  prepare: (call: Call) => Prepared,
): Prepared {
  const call = world.calls.find(params.id as string);
  return call ? prepare(call) : { refused: unknown };
}

/** Prepares an answer about one call, which may change the call. */
export function answering(call: Call, reply: () => Reply): Ready {
  return { phone: call.phone, call: call.id, serve: () => ({ reply: reply(), call: call.id }) };
}

function showing(call: Call, show: () => unknown): Ready {
  return answering(call, () => json(200, show()));
}

/** The row that shows one call; `unknown` is the answer where there is none. */
export function showsCall(
  path: string,
  unknown: () => Reply,
  show: (world: World, call: Call, request: Request) => unknown,
): Row {
  return {
    method: 'GET',
    path,
    operation: 'get',
    prepare: (world, request) =>
      ofCall(world, request, unknown(), (call) => showing(call, () => show(world, call, request))),
  };
}

/** Prepares an answer about the account. */
export function listing(show: () => unknown): Ready {
  return { phone: null, call: null, serve: () => ({ reply: json(200, show()), call: null }) };
}

/** The same for a query of this form. */
export function listingBy<T extends z.ZodObject>(
  world: World,
  request: Request,
  { form, invalid }: { form: T; invalid(flaws: readonly Flaw[]): Reply },
  show: (query: z.output<T>) => unknown,
): Prepared {
  const read = readQuery(form, request.query, world.settings.strict);
  return 'flaws' in read ? { refused: invalid(read.flaws) } : listing(() => show(read.value));
}

/** The true answer with the values at these spots replaced by one of the same kind. */
export function replaceAt(reply: Reply, pointers: readonly string[], value: unknown): Reply {
  if (reply.headers['content-type'] !== 'application/json' || reply.body === '') return reply;
  const body: unknown = JSON.parse(String(reply.body));
  for (const pointer of pointers) {
    const parts = pointer.slice(1).split('/');
    const last = parts.pop() as string;
    let holder: unknown = body;
    for (const part of parts) holder = (holder as Record<string, unknown> | null | undefined)?.[part];
    if (typeof holder !== 'object' || holder === null || !(last in holder)) continue;
    const held = holder as Record<string, unknown>;
    held[last] = typeof held[last] === 'number' && typeof value === 'string' ? Number(value) : value;
  }
  return { ...reply, body: JSON.stringify(body) };
}
