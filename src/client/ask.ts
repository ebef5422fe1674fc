import { CarillonApiError, errorIn, isJson, unreachable } from './api-error.ts';
import type { Operations } from './description.ts';

/**
 * Asks one operation of the API, by its name in the description. A request whose answer is lost is sent again only if
 * it then still acts once: one that reads, one that stops, or one with an Idempotency-Key.
 */
export type ClientOptions = {
  /** Where Carillon is: `http://127.0.0.1:3000`. */
  baseUrl: string | URL;
  /** Not needed on the machine of a Carillon without `API_TOKEN`. */
  token?: string | undefined;
  /** How often a request may be sent again (default: 4). */
  retries?: number | undefined;
  /** How long one answer may take, if nothing is streamed (default: a minute). */
  timeoutMs?: number | undefined;
  /** Sends the requests; by default the platform's own. */
  fetch?: typeof fetch | undefined;
};

export type OperationName = keyof Operations;
export type OperationAnswer<N extends OperationName> = Operations[N]['answer'];
export type OperationBody<N extends OperationName> = Operations[N]['body'];

type Flag = '0' | '1' | 'true' | 'false';
/** In the address a flag is text; here it is a boolean. */
export type OperationQuery<N extends OperationName> = {
  [K in keyof Operations[N]['query']]?:
    | ([NonNullable<Operations[N]['query'][K]>] extends [Flag] ? boolean : Operations[N]['query'][K])
    | undefined;
};

/** What any request may be given. */
export type AskOptions = {
  signal?: AbortSignal | undefined;
  /** Of your own, so that this request acts once even if another process sends it again; else one is made. */
  idempotencyKey?: string | undefined;
  /** Limits a change to this version: the `revision` of a campaign, or the `ETag` of an answer. */
  ifMatch?: string | number | undefined;
};

type Params<P> = keyof P extends never ? { params?: undefined } : { params: P };
type Body<B> = [B] extends [never]
  ? { body?: undefined }
  : undefined extends B
    ? { body?: B | undefined }
    : { body: B };

export type OperationAsk<N extends OperationName> = AskOptions &
  Params<Operations[N]['params']> &
  Body<OperationBody<N>> & { query?: OperationQuery<N> | undefined };

/** A body that is not JSON. A stream can be sent only once. */
export type RawBody = { type: string; content: string | Blob | ReadableStream<Uint8Array> };

/** What is asked, without the types of one operation. */
export type PlainAsk = AskOptions & {
  params?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
  raw?: RawBody | undefined;
  headers?: Record<string, string> | undefined;
};

export type Ask = {
  <N extends OperationName>(name: N, asked: OperationAsk<N>): Promise<OperationAnswer<N>>;
  /** Sends a body that is not JSON. */
  upload(name: OperationName, asked: PlainAsk & { raw: RawBody }): Promise<unknown>;
  /** The answer as soon as it begins, to be read as a stream. */
  open(name: OperationName, asked: PlainAsk): Promise<Response>;
};

/** The caller is told of a longer rest, and decides. */
const longestRestMs = 60_000;
const firstWaitMs = 250;
const longestWaitMs = 8_000;

/** Each of these requests has a key, and acts once for it; a test compares them with the API's description. */
export const idempotentOperations = [
  'POST /api/calls',
  'POST /api/campaigns',
  'POST /api/campaigns/{id}/clone',
  'POST /api/campaigns/{id}/retry',
  'POST /api/campaigns/{id}/recipients',
  'POST /api/erase',
  'POST /api/bulk',
  'POST /api/suppressions',
  'POST /api/tokens',
  'POST /api/alerts/addresses',
  'POST /api/webhooks',
] as const satisfies readonly OperationName[];
const keyed: ReadonlySet<string> = new Set(idempotentOperations);
/** A stop may come twice. A start that comes late could undo a stop by someone else. */
const stops: ReadonlySet<string> = new Set(['POST /api/campaigns/{id}/pause', 'POST /api/pause']);
/** No answer, or one by a proxy, a process that stops, or one without its ledger: the request may have acted. */
const passing: ReadonlySet<number> = new Set([0, 408, 502, 503, 504]);

export function createAsk(options: ClientOptions): Ask {
  const { token, retries = 4, timeoutMs = 60_000 } = options;
  const base = baseOf(options.baseUrl);
  const fetchOne: typeof fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));

  const requestOf = (name: OperationName, asked: PlainAsk): [string, RequestInit] => {
    const [method, path] = name.split(' ') as [string, string];
    const headers = new Headers(asked.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    // Also without a body: the cookie of a login acts only with a type that no form can send.
    if (method !== 'GET') headers.set('content-type', asked.raw?.type ?? 'application/json');
    if (asked.ifMatch !== undefined)
      headers.set('if-match', `"${String(asked.ifMatch).replaceAll('"', '')}"`);
    if (asked.idempotencyKey !== undefined) headers.set('idempotency-key', asked.idempotencyKey);
    const content = asked.raw?.content ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
    // Not followed: a redirected POST becomes a GET.
    const init = { method, headers, redirect: 'manual' } as const;
    return [
      base + addressOf(path, asked),
      content === undefined ? init : ({ ...init, body: content, duplex: 'half' } as RequestInit),
    ];
  };

  const sendOnce = async (request: [string, RequestInit], signal?: AbortSignal): Promise<Response> => {
    const response = await fetchOne(request[0], { ...request[1], ...(signal ? { signal } : {}) });
    if (!response.ok) throw await errorIn(response);
    return response;
  };

  /** Sends until there is an answer, or sending again does not help or could do harm. */
  const persist = async <T>(name: OperationName, asked: PlainAsk, once: () => Promise<T>): Promise<T> => {
    for (let sent = 1; ; sent++) {
      try {
        return await once();
      } catch (error) {
        asked.signal?.throwIfAborted();
        const told = error instanceof CarillonApiError ? error : failedSending(error);
        const waitMs = restMs(told, sent);
        if (sent > retries || waitMs > longestRestMs || !maySendAgain(name, asked, told)) throw told;
        await pause(waitMs, asked.signal);
      }
    }
  };

  const withKey = (name: OperationName, asked: PlainAsk): PlainAsk =>
    keyed.has(name) ? { ...asked, idempotencyKey: asked.idempotencyKey ?? newKey() } : asked;

  const answer = async (name: OperationName, given: PlainAsk, ms: number): Promise<unknown> => {
    const asked = withKey(name, given);
    const request = requestOf(name, asked);
    return persist(name, asked, () =>
      within({ signal: asked.signal, ms }, async (signal) => read(await sendOnce(request, signal))),
    );
  };

  const ask = (name: OperationName, asked: PlainAsk) => answer(name, asked, timeoutMs);
  return Object.assign(ask as Ask, {
    // A list may be of any length.
    upload: (name: OperationName, asked: PlainAsk) => answer(name, asked, Number.POSITIVE_INFINITY),
    open: async (name: OperationName, asked: PlainAsk) => {
      const request = requestOf(name, asked);
      return persist(name, asked, () => sendOnce(request, asked.signal));
    },
  });
}

async function read(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  return isJson(response) ? response.json() : response.text();
}

/** `randomUUID` is missing in pages that came without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function baseOf(given: string | URL): string {
  const url = URL.canParse(String(given)) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new TypeError('baseUrl must be an address such as http://127.0.0.1:3000, without user or query');
  }
  return url.href.replace(/\/+$/, '');
}

function addressOf(path: string, { params = {}, query = {} }: PlainAsk): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? '');
    // These would make it the address of another operation: `/api/campaigns/../pause` pauses everything.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be an id or a name, not "${value}"`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  return search.size > 0 ? `${address}?${search}` : address;
}

function failedSending(error: unknown): unknown {
  if (error instanceof TooLate) return unreachable(error, `Carillon does not answer: ${error.message}`);
  // What `fetch` throws when the connection fails, or ends early.
  if (error instanceof TypeError || error instanceof SyntaxError) return unreachable(error, whyOf(error));
  return error;
}

/** Node puts what happened into the cause. */
function whyOf({ message, cause }: Error): string {
  const inner = cause instanceof Error ? cause.message || (cause as { code?: string }).code : undefined;
  return `Carillon does not answer: ${inner ?? message}`;
}

function restMs(told: unknown, sent: number): number {
  const after = told instanceof CarillonApiError ? told.retryAfter : null;
  if (after !== null) return after * 1_000;
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (sent - 1)) * (0.5 + Math.random() / 2);
}

function maySendAgain(name: OperationName, { raw, idempotencyKey }: PlainAsk, told: unknown): boolean {
  if (!(told instanceof CarillonApiError) || raw?.content instanceof ReadableStream) return false;
  // It was refused before it did anything.
  if (told.status === 429) return true;
  if (keyed.has(name) && idempotencyKey !== undefined && told.code === 'request-in-progress') return true;
  return passing.has(told.status) && (name.startsWith('GET ') || keyed.has(name) || stops.has(name));
}

/** Waits that a caller can end, and work that ends when it takes too long. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The reason of an abort that no caller asked for. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/**
 * Work with a signal that follows the caller's and is aborted after `ms`. `AbortSignal.any` would keep every request
 * in the memory of a caller's signal that lives as long as its program.
 */
export async function within<T>(
  { signal, ms }: { signal?: AbortSignal | undefined; ms: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const follow = () => own.abort(signal!.reason);
  signal?.addEventListener('abort', follow, { once: true });
  const late = () => own.abort(new TooLate(`no answer within ${ms / 1_000} s`));
  const timer = Number.isFinite(ms) ? setTimeout(late, ms) : undefined;
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}
