import type { Event } from './description.ts';

/** Tells whether a delivery comes from Carillon, as Standard Webhooks say. Web Crypto is in browsers and in Node. */
export type WebhookDelivery = {
  /** As received, before any parser. */
  body: string | Uint8Array;
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** What `webhook add` showed: `whsec_...`. While a secret is replaced, both. */
  secret: string | readonly string[];
  /** How far the clocks may differ, and how old a delivery may be (default: 300). */
  toleranceSeconds?: number | undefined;
  now?: (() => number) | undefined;
};

export class CarillonWebhookError extends Error {
  override readonly name = 'CarillonWebhookError';
  /** What is missing or wrong: the headers, the time, or the signature. */
  readonly code: 'headers' | 'timestamp' | 'signature';
  constructor(code: CarillonWebhookError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers the event of a genuine delivery; any other one throws. It may come twice: compare ids. */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<Event> {
  const { headers, toleranceSeconds = 300, now = Date.now } = delivery;
  const [id, at, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !at || !signatures) {
    throw new CarillonWebhookError(
      'headers',
      'The headers webhook-id, -timestamp and -signature are not all there',
    );
  }
  const body =
    typeof delivery.body === 'string' ? encoder.encode(delivery.body) : new Uint8Array(delivery.body);
  const signed = joined(encoder.encode(`${id}.${at}.`), body);
  const keys = await Promise.all([delivery.secret].flat().map(keyOf));
  const given = signatures
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? (bytesOf(each.slice(3)) ?? []) : []));
  const checks = await Promise.all(
    keys.flatMap((key) => given.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed))),
  );
  if (!checks.includes(true)) {
    throw new CarillonWebhookError('signature', 'No signature of the delivery is made with this secret');
  }
  if (!(Math.abs(now() / 1_000 - Number(at)) <= toleranceSeconds)) {
    throw new CarillonWebhookError(
      'timestamp',
      `The delivery is not of the last ${toleranceSeconds} seconds`,
    );
  }
  return JSON.parse(new TextDecoder().decode(body)) as Event;
}

const encoder = new TextEncoder();
const algorithm = { name: 'HMAC', hash: 'SHA-256' };

function headerOf(headers: WebhookDelivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return Array.isArray(value) ? value.join(' ') : value;
}

async function keyOf(secret: string) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  // A key that is short or damaged would make every signature wrong, or easy to make.
  if (bytes === null || bytes.length < 24)
    throw new TypeError('secret must be what `webhook add` showed: whsec_...');
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + rest.length);
  whole.set(head);
  whole.set(rest, head.length);
  return whole;
}
