import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { HttpProxy } from '../base/config/proxy.ts';
import { areSpansMade, noSpan, type OpenSpan, type SpanOptions, spanHere } from '../base/spans.ts';
import { createConnections, type Dispatch, explain } from './connections.ts';

/** One request and its answer on the socket. Only this file knows whether a request may have reached the service. */
export type Exchange = {
  send(request: Outgoing, watch?: Watch): Promise<Exchanged>;
  close(): Promise<void>;
};

export type Watch = Readonly<{
  signal?: AbortSignal | undefined;
  /** Asked just before the first byte is written; false prevents it. */
  mayLeave?: (() => boolean) | undefined;
  /** Called at that moment, if the request is sent. */
  onSent?: (() => void) | undefined;
}>;

type Outgoing = Readonly<{
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  /** Alternating names and values. */
  headers: string[];
  body?: string;
}>;

export type Exchanged =
  /** A status was read; `cut` says why the body is incomplete, if it is. */
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: Buffer; cut: string | null }
  /**
   * No status was read; `left` is false only if certainly no byte of the request was written. `unfit`: it cannot be
   * written at all, whatever the network does.
   */
  | { kind: 'broken'; left: boolean; why: string; unfit?: boolean };

type ExchangeOptions = Readonly<{
  origin: string;
  /** The whole budget of a request, from the wait for a connection to the last byte of the answer. */
  timeoutMs: number;
  maxBytes: number;
  proxy?: HttpProxy | null | undefined;
  /** Replaces the exchange's own connections, and the proxy. */
  dispatcher?: Dispatch | undefined;
}>;

export function createExchange(options: ExchangeOptions): Exchange {
  const { origin, timeoutMs, maxBytes, proxy = null, dispatcher } = options;
  // A dispatcher from outside keeps its sockets to itself, so a request that is given up there is only closed.
  const own = dispatcher ? null : createConnections(origin, timeoutMs, proxy);
  const pool = dispatcher ?? own!;
  const giveUpOn = own?.giveUp ?? ((abort: () => void) => abort());
  const host = own?.peer ?? new URL(origin).host;
  let underWay = 0;
  let closing: Promise<void> | undefined;
  let rest: (() => void) | undefined;

  function send(request: Outgoing, { signal, mayLeave, onSent }: Watch = {}): Promise<Exchanged> {
    if (signal?.aborted) {
      return Promise.resolve({ kind: 'broken', left: false, why: 'it was canceled before it was sent' });
    }
    if (closing) return Promise.resolve({ kind: 'broken', left: false, why: 'the client is closed' });
    underWay += 1;
    return new Promise((resolve) => {
      let open = true;
      let left = false;
      let controller: Dispatcher.DispatchController | undefined;
      let status = 0;
      let headers: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      let size = 0;

      const finish = (why: string | null, unfit = false) => {
        if (!open) return;
        open = false;
        underWay -= 1;
        if (underWay === 0) rest?.();
        clearTimeout(deadline);
        signal?.removeEventListener('abort', giveUp);
        if (status > 0) {
          const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
          resolve({ kind: 'answer', status, headers, body, cut: why });
        } else {
          resolve({ kind: 'broken', left, why: why ?? 'the answer had no status', unfit });
        }
      };
      const stop = (why: string) => {
        if (!open) return;
        finish(why);
        giveUpOn(() => controller?.abort(new Error(why)));
      };
      const fail = (error: Error & { code?: string }) =>
        finish(explain(error, host), !left && error.code === 'UND_ERR_INVALID_ARG');
      const giveUp = () =>
        stop(left ? 'it was canceled after it was sent' : 'it was canceled before it was sent');
      const expire = () =>
        stop(left ? `no answer within ${timeoutMs} ms` : `not sent within ${timeoutMs} ms`);
      // The timer may be due after a busy event loop while the answer already waits in the socket. One more turn reads
      // it, so that a placed call does not become unknown.
      const deadline = setTimeout(() => setImmediate(expire), timeoutMs);
      signal?.addEventListener('abort', giveUp, { once: true });

      const handler: Dispatcher.DispatchHandler = {
        /** The last moment before the first byte is written; a throw or an abort here prevents it. */
        onRequestStart(started) {
          const why = open && !left ? 'it was too late to send it' : 'it would have been sent twice';
          if (!open || left || mayLeave?.() === false) {
            finish(why);
            started.abort(new Error('no longer wanted'));
            return;
          }
          left = true;
          onSent?.();
          controller = started;
        },
        onResponseStart(_, code, received) {
          if (code < 200) return;
          status = code;
          headers = received;
        },
        onResponseData(_, chunk) {
          size += chunk.length;
          if (size > maxBytes) stop(`the answer is longer than ${maxBytes} bytes`);
          else chunks.push(chunk);
        },
        onResponseEnd: () => finish(null),
        onResponseError: (_, error) => fail(error),
      };
      try {
        // The deadline above is the only one: undici's would count connect, head and body separately.
        pool.dispatch({ origin, ...request, ...noTimeouts }, handler);
      } catch (error) {
        fail(error as Error);
      }
    });
  }

  /**
   * Waits for requests in flight. The pool's own `close` would also wait for connections that are no longer needed. A
   * dispatcher passed as an option is closed by its owner.
   */
  async function close(): Promise<void> {
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        rest = resolve;
      });
    }
    await own?.destroy();
  }

  return {
    send,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * A request as OpenTelemetry's conventions for HTTP clients tell it. An address may hold a call's id, a phone or a secret,
 * so only its form is told.
 */
type RequestTold = Readonly<{
  method: string;
  origin: string;
  /** The path with its places unfilled; null where even its form is private. */
  template: string | null;
}>;

/** `within` is the span that asks; without one, it is a part of whatever the process does. */
export function beginRequest({ method, origin, template }: RequestTold, within?: OpenSpan): OpenSpan {
  if (within ? within === noSpan : !areSpansMade()) return noSpan;
  const { hostname, port, protocol } = new URL(origin);
  const facts = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'url.full': origin + (template ?? '/REDACTED').replace(/\{[^}]*\}/g, 'REDACTED'),
    ...(template === null ? {} : { 'url.template': template }),
  };
  const name = template === null ? method : `${method} ${template}`;
  const options: SpanOptions = { kind: 'client', facts };
  return within ? within.begin(name, options) : spanHere(name, options);
}

/** `left` is false if certainly nothing was sent. */
export function endRequest(span: OpenSpan, exchanged: Exchanged): void {
  if (exchanged.kind === 'answer') {
    const { status, cut } = exchanged;
    span.tell({ 'http.response.status_code': status });
    if (status >= 400) span.fail(String(status));
    else if (cut !== null) span.fail('cut');
  } else span.fail(exchanged.left ? 'lost' : 'unsent');
  span.end();
}
