import { createHmac, randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { Clock } from '../../base/clock.ts';
import type { OpenSpan } from '../../base/spans.ts';
import { version } from '../../base/version.ts';
import { beginRequest, createExchange, type Exchanged, endRequest } from '../../http/exchange.ts';
import {
  type HostAddress,
  lookupIn,
  type ResolveHost,
  resolveChecked,
  resolveHost,
} from '../../http/resolve.ts';

/**
 * Sends one event to one address: resolved, checked, signed, within one time limit, and without following redirects.
 * Without a body it is a GET, which is never signed.
 */
export type Message = { id: string; body: string | null };

/** `away`: the address was not reached, so the event cannot be the cause. */
export type Sent = { ok: boolean; status: number | null; ms: number; error: string | null; away: boolean };

export type Sender = {
  /** `span` is the one of which the request is a part. */
  send(message: Message, span?: OpenSpan): Promise<Sent>;
  close(): Promise<void>;
};

export type SenderOptions = {
  url: string;
  /** Null sends without a signature. */
  secret: string | null;
  allowPrivate: boolean;
  clock: Clock;
  /** The limit for a whole delivery, from resolving the name to the end of the answer. */
  timeoutMs?: number | undefined;
  resolve?: ResolveHost | undefined;
  /** A certificate authority to trust besides the usual ones. */
  tls?: { ca: string } | undefined;
};

const usualTimeoutMs = 15_000;
const resolveMs = 5_000;
/** No more of an answer than this is read. */
const mostBytes = 4_096;
/** Deliveries to one address at a time. */
export const mostAtOnce = 32;
/** A receiver may close an idle connection after 2 s: ours is closed before, or earlier than the time it names. */
const keepAlive = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 4_000, keepAliveTimeoutThreshold: 2_000 };

export function createSender(options: SenderOptions): Sender {
  const { secret, clock, resolve = resolveHost, timeoutMs = usualTimeoutMs } = options;
  const { origin, hostname, pathname, search } = new URL(options.url);
  /** The addresses that were checked last. Only these are connected to; TLS still asks for the name. */
  let checked: HostAddress[] = [];
  const pool = new Pool(origin, {
    connections: mostAtOnce,
    pipelining: 1,
    allowH2: false,
    connectTimeout: timeoutMs,
    connect: { ...options.tls, lookup: lookupIn(() => checked) },
    ...keepAlive,
  });

  return {
    async send({ id, body }, within) {
      const began = clock.monotonic();
      const spent = () => Math.round(clock.monotonic() - began);
      const found = await resolveChecked(
        hostname,
        options.allowPrivate,
        resolve,
        Math.min(resolveMs, timeoutMs),
      );
      if (found.kind !== 'found')
        return { ok: false, status: null, ms: spent(), error: found.why, away: true };
      checked = found.addresses;
      const leftMs = Math.max(1, timeoutMs - spent());
      const exchange = createExchange({ origin, timeoutMs: leftMs, maxBytes: mostBytes, dispatcher: pool });
      const headers = {
        'user-agent': `carillon/${version}`,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(secret === null || body === null ? {} : signedHeaders(secret, id, body, clock.now())),
      };
      // The path of such an address may be its secret.
      const method = body === null ? 'GET' : 'POST';
      const span = beginRequest({ method, origin, template: null }, within);
      const answer = await exchange.send({
        path: pathname + search,
        headers: Object.entries(headers).flat(),
        method,
        ...(body === null ? {} : { body }),
      });
      endRequest(span, answer);
      const sent = judge(answer);
      // Resolving the address took its part of the time.
      const error = sent.error?.replace(`within ${leftMs} ms`, `within ${timeoutMs} ms`) ?? null;
      return { ms: spent(), ...sent, error };
    },
    close: () => pool.destroy(),
  };
}

/** The rest of an answer after 4 KB does not matter: its status was read. */
function judge(answer: Exchanged): Omit<Sent, 'ms'> {
  if (answer.kind === 'broken') return { ok: false, status: null, error: answer.why, away: !answer.left };
  const { status } = answer;
  if (status >= 200 && status < 300) return { ok: true, status, error: null, away: false };
  const moved = status >= 300 && status < 400;
  return { ok: false, status, error: moved ? 'a redirect, which is not followed' : null, away: false };
}

/** Signs as Standard Webhooks say, so that receivers can verify with a library that they already have. */
const prefix = 'whsec_';
/** 24 to 64 bytes are allowed. */
const secretBytes = 32;

export function makeSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** The headers of one try: every try has the event's id, and its own time. */
export function signedHeaders(secret: string, id: string, body: string, now: number): Record<string, string> {
  const at = Math.floor(now / 1_000);
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}
