import type { z } from 'zod';
import { type Clock, systemClock } from '../base/clock.ts';
import type { HttpProxy } from '../base/config-proxy.ts';
import { CarillonError } from '../base/errors.ts';
import { readServiceUrl } from '../base/service-url.ts';
import { version } from '../base/version.ts';
import type { Dispatch } from './connections.ts';
import { createExchange, type Outgoing, type Watch } from './exchange.ts';
import { type Fault, lostFault, refusalFault, unreachableFault } from './faults.ts';
import { buildCreateBody, type CallInput, defaultProfile, type Profile } from './profile.ts';
import {
  type CallRecord,
  type CreatedCall,
  callRecord,
  createdCall,
  type PhoneNumber,
  phoneNumberPage,
} from './wire.ts';
import { createMask, decode, readJson } from './words.ts';

/** The service's four operations. Every result is a value, faults too, and nothing is ever sent twice. */
export type VoiceClient = {
  createCall(input: CallInput, options?: RequestOptions): Promise<Answer<CreatedCall>>;
  updateCall(
    id: string,
    body: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<Answer<CallRecord>>;
  getCall(id: string, options?: RequestOptions): Promise<Answer<CallRecord>>;
  listNumbers(page?: NumbersPage, options?: RequestOptions): Promise<Answer<PhoneNumber[]>>;
  /**
   * One answer per page, requested lazily. Ends after the last page or the first fault, or when `before`, asked ahead of
   * each page, returns false.
   */
  allNumbers(
    options?: RequestOptions & { before?(): Promise<boolean> },
  ): AsyncGenerator<Answer<PhoneNumber[]>, void, void>;
  /** Waits for requests in flight, then closes the connections. */
  close(): Promise<void>;
};

export type Answer<T> =
  | Readonly<{ ok: true; value: T; status: number; ms: number }>
  | Readonly<{ ok: false; fault: Fault; ms: number }>;

export type Operation = 'create' | 'read' | 'update' | 'numbers';
export type RequestOptions = Watch;
export type NumbersPage = Readonly<{ limit?: number | undefined; offset?: number | undefined }>;

export type VoiceOptions = Readonly<{
  /** Includes the version prefix, such as `https://voice.example/v1`. */
  baseUrl: string;
  /** The secret. */
  key: string;
  auth?: 'bearer' | 'x-api-key' | undefined;
  /** For the whole of one request. */
  timeoutMs?: number | undefined;
  profile?: Profile | undefined;
  clock?: Clock | undefined;
  /** Told of every request that left: the status, or null when none could be read. */
  onAnswer?: ((operation: Operation, status: number | null) => void) | undefined;
  /** The HTTP proxy through which requests go; without it they go directly. */
  proxy?: HttpProxy | null | undefined;
  /** Replaces the client's own connections, and the proxy. It must not send anything twice. */
  dispatcher?: Dispatch | undefined;
}>;

const maxBytes = 5 * 1024 * 1024;
const pageSize = 1_000;

export function createVoiceClient(options: VoiceOptions): VoiceClient {
  const { key, auth = 'bearer', timeoutMs = 30_000, profile = defaultProfile, clock = systemClock } = options;
  const { origin, base } = readBaseUrl(options.baseUrl);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new CarillonError(
      'config-invalid',
      'The API key contains a character that is not valid in an HTTP header',
    );
  }
  const { proxy = null, dispatcher } = options;
  const exchange = createExchange({ origin, timeoutMs, maxBytes, proxy, dispatcher });
  const mask = createMask(key, proxy?.authorization);
  const common = [
    ...(auth === 'bearer' ? ['authorization', `Bearer ${key}`] : ['x-api-key', key]),
    'accept',
    'application/json',
    'user-agent',
    `carillon/${version}`,
  ];
  const withBody = [...common, 'content-type', 'application/json'];

  async function ask<T>(
    operation: Operation,
    request: Pick<Outgoing, 'method' | 'path'> & { body?: unknown },
    schema: z.ZodType<T>,
    watch: RequestOptions = {},
  ): Promise<Answer<T>> {
    const began = clock.monotonic();
    const sent = await exchange.send(
      {
        method: request.method,
        path: base + request.path,
        ...(request.body === undefined
          ? { headers: common }
          : { headers: withBody, body: JSON.stringify(request.body) }),
      },
      watch,
    );
    const ms = clock.monotonic() - began;
    if (sent.kind === 'answer' || sent.left)
      options.onAnswer?.(operation, sent.kind === 'answer' ? sent.status : null);
    const fail = (fault: Fault): Answer<T> => ({ ok: false, fault, ms });
    if (sent.kind === 'broken')
      return fail(sent.left ? lostFault(sent.why, null) : unreachableFault(sent.why));
    const { status, headers, body, cut } = sent;
    const text = decode(body, headers['content-encoding'], maxBytes);
    const json = text === null ? undefined : readJson(text);
    if (status < 200 || status >= 300) {
      const refusal = { status, headers, text: text ?? '', json, mask: mask.text };
      return fail(refusalFault(refusal, profile, request.method === 'POST', clock.now()));
    }
    // A body that was cut off but parses as JSON counts: a call id must not be thrown away.
    const parsed = schema.safeParse(json);
    if (parsed.success) return { ok: true, value: mask.record(text!, parsed.data), status, ms };
    if (json === undefined) return fail(lostFault(cut ?? 'its body is not JSON', status, cut !== null));
    const issue = parsed.error.issues[0]!;
    return fail(
      lostFault(
        `its body cannot be used: ${issue.path.join('.') || 'it'}: ${issue.message}`,
        status,
        cut !== null,
      ),
    );
  }

  const listNumbers: VoiceClient['listNumbers'] = (page = {}, options) => {
    const query = new URLSearchParams();
    if (page.limit !== undefined) query.set('limit', String(page.limit));
    if (page.offset !== undefined) query.set('offset', String(page.offset));
    const path = query.size ? `/phone-number?${query}` : '/phone-number';
    return ask('numbers', { method: 'GET', path }, phoneNumberPage, options);
  };

  return {
    createCall: (input, options) =>
      ask(
        'create',
        { method: 'POST', path: '/call', body: buildCreateBody(profile, input) },
        createdCall,
        options,
      ),
    updateCall: (id, body, options) =>
      ask('update', { method: 'PATCH', path: callPath(id), body }, callRecord, options),
    getCall: (id, options) => ask('read', { method: 'GET', path: callPath(id) }, callRecord, options),
    listNumbers,
    async *allNumbers(options) {
      const seen = new Set<string>();
      for (let offset = 0; ; ) {
        if (options?.before && !(await options.before())) return;
        const page = await listNumbers({ limit: pageSize, offset }, options);
        if (!page.ok) {
          yield page;
          return;
        }
        const fresh = page.value.filter(({ id }) => !seen.has(id));
        for (const { id } of fresh) seen.add(id);
        // Nothing new on a page: the service ignores the offset and would send the same page for ever.
        if (fresh.length > 0 || offset === 0) yield { ...page, value: fresh };
        if (page.value.length < pageSize || fresh.length === 0) return;
        offset += page.value.length;
      }
    },
    close: () => exchange.close(),
  };
}

function readBaseUrl(text: string): { origin: string; base: string } {
  const read = readServiceUrl(text);
  if ('fault' in read) {
    throw new CarillonError('config-invalid', `The base URL ${read.fault}`, {
      remedy: 'Set it to the service’s URL with its version, such as https://voice.example/v1.',
    });
  }
  const { origin, pathname } = new URL(read.url);
  return { origin, base: pathname.replace(/\/+$/, '') };
}

/** An id comes from outside, so it is escaped into one segment of the path, even `..` and broken text. */
function callPath(id: string): string {
  const segment = encodeURIComponent(Buffer.from(id).toString()).replace(/^\.{1,2}$/, (dots) =>
    dots.replaceAll('.', '%2E'),
  );
  return `/call/${segment}`;
}
