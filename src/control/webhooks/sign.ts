import { createHmac, randomBytes } from 'node:crypto';

/** Signs as Standard Webhooks say, so that a receiver can verify with a library that it has already. */
const prefix = 'whsec_';
/** From 24 to 64 bytes are allowed. */
const secretBytes = 32;

export function makeSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** The headers of one try: the id is the event's at every try, the time is the try's. */
export function signedHeaders(secret: string, id: string, body: string, now: number): Record<string, string> {
  const at = Math.floor(now / 1_000);
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}
