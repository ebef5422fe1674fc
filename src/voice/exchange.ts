import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

/** One request and its answer on the socket. It alone knows whether a request can have reached the service. */
export type Exchange = {
  send(request: Outgoing, watch?: Watch): Promise<Exchanged>;
  close(): Promise<void>;
};

export type Watch = Readonly<{
  signal?: AbortSignal | undefined;
  /** Asked at the moment before the first byte is written; false keeps it unwritten. */
  mayLeave?: (() => boolean) | undefined;
  /** Told at that moment; never when the request does not leave. */
  onSent?: (() => void) | undefined;
}>;

export type Outgoing = Readonly<{
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body?: string;
}>;

export type Exchanged =
  /** A status was read; `cut` says why the body is not whole, when it is not. */
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: Buffer; cut: string | null }
  /** No status was read; `left` is false only when surely no byte of the request was written. */
  | { kind: 'broken'; left: boolean; why: string };

export type ExchangeOptions = Readonly<{
  origin: string;
  /** The whole budget of a request, from the wait for a connection to the last byte of the answer. */
  timeoutMs: number;
  maxBytes: number;
  dispatcher?: Dispatcher | undefined;
}>;

const connections = 300;

/**
 * A create on a connection that the service is just closing ends as "lost", and a person must look at it.
 * So an idle connection is let go long before a service would do it (2 s is the shortest common default),
 * and a service that names its own time is believed, less 2 s.
 */
const keepAlive = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 4_000, keepAliveTimeoutThreshold: 2_000 };

export function createExchange({ origin, timeoutMs, maxBytes, dispatcher }: ExchangeOptions): Exchange {
  const pool = dispatcher ?? createPool(origin, timeoutMs);
  const host = new URL(origin).host;
  let underWay = 0;
  let closing: Promise<void> | undefined;
  let rest: (() => void) | undefined;

  function send(request: Outgoing, { signal, mayLeave, onSent }: Watch = {}): Promise<Exchanged> {
    if (signal?.aborted) {
      return Promise.resolve({ kind: 'broken', left: false, why: 'it was given up before it was sent' });
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

      const finish = (why: string | null) => {
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
          resolve({ kind: 'broken', left, why: why ?? 'the answer had no status' });
        }
      };
      const stop = (why: string) => {
        if (!open) return;
        finish(why);
        controller?.abort(new Error(why));
      };
      const giveUp = () =>
        stop(left ? 'it was given up while under way' : 'it was given up before it was sent');
      const expire = () =>
        stop(left ? `no answer within ${timeoutMs} ms` : `not sent within ${timeoutMs} ms`);
      // After a busy event loop the timer may be due while the answer already waits in the socket: one
      // more turn reads it, and spares a call that was placed from becoming unknown.
      const deadline = setTimeout(() => setImmediate(expire), timeoutMs);
      signal?.addEventListener('abort', giveUp, { once: true });

      const handler: Dispatcher.DispatchHandler = {
        /** The last moment before the first byte is written; a throw or an abort here keeps it unwritten. */
        onRequestStart(started) {
          const why =
            open && !left ? 'the moment for it has passed' : 'it was about to be sent a second time';
          if (!open || left || mayLeave?.() === false) {
            finish(why);
            started.abort(new Error('not wanted any more'));
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
        onResponseError: (_, error) => finish(explain(error, host)),
      };
      try {
        // The deadline above is the only one: undici's own would count connect, head and body apart.
        pool.dispatch({ origin, ...request, ...noTimeouts }, handler);
      } catch (error) {
        finish(explain(error as Error, host));
      }
    });
  }

  /**
   * Waits for what is under way. The pool's own `close` would also wait for connections that nobody wants
   * any more. A dispatcher that was handed in is its owner's to close.
   */
  async function close(): Promise<void> {
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        rest = resolve;
      });
    }
    if (!dispatcher) await pool.destroy();
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

/** One request at a time on a connection, HTTP/1.1, no redirect followed, nothing ever sent again. */
function createPool(origin: string, timeoutMs: number): Pool {
  return new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    connectTimeout: Math.min(timeoutMs, 10_000),
    ...keepAlive,
  });
}

type Failure = Error & { code?: string; errors?: Failure[] };

function explain(error: Failure, host: string): string {
  const code = error.code ?? error.errors?.[0]?.code ?? '';
  switch (code) {
    case 'ECONNREFUSED':
      return `${host} refused the connection`;
    case 'ENOTFOUND':
      return `the host name of ${host} is not known`;
    case 'EAI_AGAIN':
      return `the host name of ${host} cannot be looked up now`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no way to ${host} (${code})`;
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return `the connection to ${host} timed out`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} reset the connection`;
    case 'UND_ERR_SOCKET':
      return `${host} closed the connection`;
  }
  const text = (error.message || error.name).replace(/\s+/g, ' ').trim();
  if (/CERT|SSL|TLS|SIGNATURE/.test(code)) return `no trusted TLS connection to ${host}: ${text} (${code})`;
  return code ? `${text} (${code})` : text;
}
