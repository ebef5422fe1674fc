import type { Operations, Problem as ProblemBody } from './description.ts';
import { asSeen } from './look.ts';

export type * from './description.ts';

/** Asks the API, with the types of its description; every failure is a `Problem` that says what to do. */
type OperationName = keyof Operations;
export type ReadName = Extract<OperationName, `GET ${string}`>;
export type ActName = Exclude<OperationName, ReadName>;
export type AnswerOf<N extends OperationName> = Operations[N]['answer'];
export type BodyOf<N extends OperationName> = Operations[N]['body'];

type Query<Q> = { [K in keyof Q]?: Q[K] | undefined };

/** The parts of its path and of its query, each by its own name. */
export type PlaceOf<N extends OperationName> = Operations[N]['params'] & Query<Operations[N]['query']>;

type Body<B> = [B] extends [never]
  ? { body?: undefined }
  : undefined extends B
    ? { body?: B | undefined }
    : { body: B };

export type AskOf<N extends OperationName> = PlaceOf<N> &
  Body<BodyOf<N>> & {
    /** The version that the change is for. */
    ifMatch?: string | number | undefined;
    /** The same act sent again counts once. */
    idempotencyKey?: string | undefined;
    /** Of a body that is not JSON. */
    contentType?: string | undefined;
    signal?: AbortSignal | undefined;
  };

export type Issue = { path: string; message: string };

/** A failure, as the API tells it, or as the browser saw it. */
export class Problem extends Error {
  readonly status: number;
  readonly code: ProblemBody['code'] | 'unreachable';
  readonly remedy: string;
  readonly issues: readonly Issue[];
  /** Seconds to wait before it is asked again. */
  readonly retryAfter: number | null;

  constructor(
    body: Partial<Omit<ProblemBody, 'issues' | 'code'>> & { code?: Problem['code']; issues?: Issue[] },
    status: number,
    retryAfter: number | null,
  ) {
    super(wordsOf(body.detail ?? body.title ?? `The API answered with the status ${status}`));
    this.status = status;
    this.code = body.code ?? 'unexpected';
    this.remedy = body.remedy ?? '';
    this.issues = body.issues ?? [];
    this.retryAfter = retryAfter;
  }
}

/** No id in sight: who is meant stands where the act was asked for. A command keeps its own. */
const wordsOf = (text: string) =>
  text.includes('`') ? text : text.replace(/ [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, '');

export const unreachable = (): Problem =>
  new Problem(
    {
      code: 'unreachable',
      detail: 'Carillon does not answer.',
      remedy: 'Check that `carillon up` is running and that this browser can reach it.',
    },
    0,
    null,
  );

/** The address of an operation, with its parameters: also the key of its answer in the cache. */
export function addressOf<N extends OperationName>(name: N, place: PlaceOf<N>): string {
  const query = new URLSearchParams();
  let path = name.slice(name.indexOf(' ') + 1);
  for (const [field, value] of Object.entries(place)) {
    if (path.includes(`{${field}}`))
      path = path.replace(`{${field}}`, () => encodeURIComponent(String(value)));
    else if (value !== undefined && value !== '')
      for (const each of [value].flat()) query.append(field, String(each));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

export async function ask<N extends OperationName>(name: N, asked: AskOf<N>): Promise<AnswerOf<N>> {
  const method = name.slice(0, name.indexOf(' '));
  const { body, ifMatch, idempotencyKey, contentType, signal, ...place } = asked;
  const isPlain = typeof body === 'string' || body instanceof Blob;
  const headers = new Headers();
  // Also without a body: a login acts only with a type that no form can send.
  if (method !== 'GET') headers.set('content-type', contentType ?? 'application/json');
  if (ifMatch !== undefined) headers.set('if-match', `"${ifMatch}"`);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  const response = await send(addressOf(name, place as unknown as PlaceOf<N>), {
    method,
    headers,
    cache: 'no-store',
    ...(body === undefined ? {} : { body: isPlain ? (body as BodyInit) : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return undefined as AnswerOf<N>;
  return asSeen((await (isJson(response) ? response.json() : response.text())) as AnswerOf<N>);
}

export const read = <N extends ReadName>(name: N, place: PlaceOf<N>, signal: AbortSignal) =>
  ask(name, { ...place, signal } as unknown as AskOf<N>);

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable();
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const body = isJson(response) ? await response.json().catch(() => ({})) : {};
  const wait = Number(response.headers.get('retry-after'));
  return new Problem(body, response.status, wait > 0 ? wait : null);
}

const isJson = (response: Response): boolean => /json/.test(response.headers.get('content-type') ?? '');

/** The API tells the forms of a list apart by their type; anything else is read as CSV. */
const types: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export const typeOf = (name: string): string => types[name.split('.').at(-1)!.toLowerCase()] ?? 'text/csv';
