import { createHash, randomBytes } from 'node:crypto';

/** The text of a named token, and the digest by which it is known. */

/** Recognisable, so that scanners find a token that was committed by mistake. */
const prefix = 'car_';
const form = /^car_[\w-]{43}$/;

export function makeToken(): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function isTokenForm(text: string): boolean {
  return form.test(text);
}

export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
