import { createHash } from 'node:crypto';
import { z } from 'zod';
import { read } from './input.ts';

/** The Idempotency-Key of a request: the same key again is the same request, however often it is sent. */
const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
  .optional();

export function readIdempotencyKey(header: unknown): string | undefined {
  return read(z.object({ 'Idempotency-Key': key }), { 'Idempotency-Key': header })['Idempotency-Key'];
}

/** The ledger keeps no key as it was sent. */
export function digestOf(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
