import { isIP } from 'node:net';
import { wrong } from './keys.ts';

/** Addresses and networks in a setting: `10.0.0.5,192.168.0.0/16,fd00::/8`. */
export function parseNetworks(name: string, text: string | undefined): string[] {
  const given = (text ?? '').split(',').map((each) => each.trim());
  return given.filter(Boolean).map((each) => {
    if (isNetwork(each)) return each;
    throw wrong(name, `has ${each}, which is neither an address nor a network such as 10.0.0.0/8`);
  });
}

export function isNetwork(text: string): boolean {
  const [address = '', length, more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more !== undefined) return false;
  if (length === undefined) return true;
  // A network of length 0 is everyone: anyone could then claim to be anyone.
  return /^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= (family === 4 ? 32 : 128);
}

export function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[?::1\]?)$/i.test(host);
}

/** An origin: the page and the API are at the top of it. */
export function parsePublicUrl(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseOrigin('PUBLIC_URL', text);
}

export function parseOrigins(text: string | undefined): string[] {
  const given = (text ?? '').split(',').map((each) => each.trim());
  return given.filter(Boolean).map((each) => parseOrigin('CORS_ORIGINS', each));
}

function parseOrigin(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw wrong(name, 'is not an address such as https://calls.example, without a path');
}
