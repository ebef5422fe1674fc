import { createHmac, randomBytes } from 'node:crypto';

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
