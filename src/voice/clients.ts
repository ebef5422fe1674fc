import { type Clock, systemClock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import type { ApiKey } from '../base/config/keys.ts';
import { CarillonError } from '../base/errors.ts';
import type { CallInput, Described } from './call.ts';
import { createVoiceClient, type Operation, type VoiceClient, type VoiceOptions } from './client.ts';
import type { ServiceDescription } from './description.ts';

/** The clients of the service, one per key. They are enough for a check, which needs neither ledger nor engine. */
export function requireService(config: Config): string {
  if (!config.voice.baseUrl) {
    throw new CarillonError('config-invalid', 'VOICE_BASE_URL is not set', {
      remedy:
        'Set it to the service’s address with /v1, or VOICE_SERVICE to a service of one address, in .env or the environment; `carillon demo` needs none.',
    });
  }
  if (config.voice.keys.length === 0) {
    throw new CarillonError('config-invalid', 'VOICE_API_KEYS is not set', {
      remedy:
        'Set it to `name=secret`, or several separated by commas, in .env or the environment; or VOICE_API_KEYS_FILE to a file of them.',
    });
  }
  return config.voice.baseUrl;
}

type OnAnswer = (key: string, operation: Operation, status: number | null) => void;

export function createClients(config: Config, service: ServiceDescription): Map<string, VoiceClient> {
  return new Map(config.voice.keys.map((key) => [key.name, createClientOf(key, config, service)]));
}

export function createClientOf(
  key: ApiKey,
  config: Config,
  service: ServiceDescription,
  clock: Clock = systemClock,
  onAnswer?: OnAnswer,
  onOutside?: VoiceOptions['onOutside'],
): VoiceClient {
  return createVoiceClient({
    baseUrl: requireService(config),
    key: key.secret,
    service,
    auth: config.voice.auth,
    timeoutMs: config.voice.timeoutMs,
    proxy: config.voice.route.proxy,
    clock,
    onOutside,
    onAnswer: onAnswer && ((operation, status) => onAnswer(key.name, operation, status)),
  });
}

/** Describes a create in a process without a key. */
export function describeCreate(service: ServiceDescription, baseUrl: string, input: CallInput): Described {
  if (!baseUrl) return { method: service.create.method, url: service.create.path, body: {} };
  return createVoiceClient({ baseUrl, key: 'none', service }).describe(input);
}
