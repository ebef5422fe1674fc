import { readServiceUrl } from '../base/config/service-url.ts';
import { CarillonError } from '../base/errors.ts';
import type { ServiceDescription } from './description.ts';

/** Where a service is, and in which header it takes its key. */

/** The header that carries the key; `{key}` marks its place. */
export function authOf(
  { auth }: ServiceDescription,
  asked: 'bearer' | 'x-api-key' | undefined,
): ServiceDescription['auth'] {
  if (asked === 'bearer') return { header: 'authorization', value: 'Bearer {key}' };
  if (asked === 'x-api-key') return { header: 'x-api-key', value: '{key}' };
  return auth;
}

export function readBaseUrl(text: string): { origin: string; base: string } {
  const read = readServiceUrl(text);
  if ('fault' in read) {
    throw new CarillonError('config-invalid', `The base URL ${read.fault}`, {
      remedy: 'Set it to the service’s URL with its version, such as https://voice.example/v1.',
    });
  }
  const { origin, pathname } = new URL(read.url);
  return { origin, base: pathname.replace(/\/+$/, '') };
}
