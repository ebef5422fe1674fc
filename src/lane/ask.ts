import type { Clock } from '../base/clock.ts';
import { CarillonError } from '../base/errors.ts';
import type { Answer, VoiceClient } from '../voice/client.ts';
import type { Fault } from '../voice/faults.ts';
import type { Lane } from './lane.ts';

/** Sends one request that a person asked for: it uses the key's own budget and waits out a 429. */
export type AskDeps = {
  clock: Clock;
  note(line: string): void;
  /** Do not wait for a key that rests longer than this. */
  patienceMs?: number;
};

export async function ask<T>(
  lane: Lane,
  deps: AskDeps,
  send: (client: VoiceClient) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const rest = async (ms: number) => {
    if (deps.patienceMs !== undefined && ms > deps.patienceMs) {
      const seconds = Math.ceil(ms / 1_000);
      throw new CarillonError(
        'service-answer',
        `The key ${lane.name} rests for ${seconds} s, as the service asked`,
        {
          remedy: 'Try again later; nothing was changed.',
        },
      );
    }
    deps.note(`The key ${lane.name} rests ${(ms / 1_000).toFixed(1)} s, as the service asked; waiting.`);
    await deps.clock.sleep(ms);
  };
  for (;;) {
    const passage = await lane.departure.enter('poll');
    if (!passage.ok) {
      await rest(passage.restMs);
      continue;
    }
    const answer = await send(lane.client);
    if (answer.ok) lane.governor.clean(false, answer.ms);
    if (answer.ok || answer.fault.kind !== 'busy') return answer;
    await rest(await lane.governor.busy(answer.fault.retryAfterMs, answer.ms));
  }
}

/** A fault as an error for the person who asked, with the remedy. */
export function faultError(fault: Fault, key: string, what: string): CarillonError {
  switch (fault.kind) {
    case 'denied':
      return new CarillonError('key-denied', `The service does not accept the key ${key}: ${fault.message}`);
    case 'unreachable':
      return new CarillonError('service-unreachable', `${what}: ${fault.message}`);
    case 'refused':
      return new CarillonError(
        fault.invalid ? 'request-invalid' : 'service-answer',
        `${what}: ${fault.message}`,
        {
          remedy: 'Correct what the service’s answer names.',
        },
      );
    default:
      return new CarillonError('service-answer', `${what}: ${fault.message}`);
  }
}
