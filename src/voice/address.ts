import type { Config } from '../base/config/config.ts';
import { isLoopback } from '../base/config/networks.ts';
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

/** The service may name an address on its own hosts over https, or at the origin of our settings. */
export function addressOf(
  told: string | null | undefined,
  hosts: readonly string[],
  origin: string,
): URL | string {
  if (!told) return 'the service told no address at which this call can be ended';
  const url = URL.canParse(told) ? new URL(told) : null;
  if (!url || url.username || url.password) return 'the address at which the call can be ended is not valid';
  if (url.origin === origin) return url;
  const isOwn = hosts.some((host) =>
    host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host,
  );
  return url.protocol === 'https:' && isOwn
    ? url
    : 'the address at which the call can be ended is not one of the service’s own';
}

/** A doubt about the address that can be found without a request; null when there is none. */
export function judgeAddress({ voice }: Pick<Config, 'voice'>): { detail: string; remedy: string } | null {
  const { protocol, hostname, pathname } = new URL(voice.baseUrl!);
  if (protocol === 'http:' && !isLoopback(hostname))
    return { detail: `${voice.baseUrl} sends the keys in the clear`, remedy: 'Use https://.' };
  const isStandard = (voice.service ?? 'standard') === 'standard' && voice.profilePath === undefined;
  if (isStandard && !/\/v\d+$/.test(pathname))
    return {
      detail: `${voice.baseUrl} does not end in a version`,
      remedy: 'The interface’s paths begin with /v1: add it.',
    };
  return null;
}

/** The same in one line. */
export function addressLines(config: Pick<Config, 'voice'>): string[] {
  const doubt = judgeAddress(config);
  return doubt ? [`Warning: ${doubt.detail}. ${doubt.remedy}`] : [];
}
