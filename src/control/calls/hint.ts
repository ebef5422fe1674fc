import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { bucketName } from '../../queues/job.ts';
import type { Hook } from '../../voice/hooks.ts';
import type { ServiceAccess } from '../service/access.ts';

/** A hint from outside that a call may have ended. It decides nothing but the time of the call's next poll. */

/** The least seconds between two polls of a call that hints cause; a second hint waits that long. */
const leastSeconds = 5;

/** Each service sends it in its own form. */
export const hintInput = z
  .looseObject({})
  .describe('As the service sends it; the id of the call is read from it.');

/** Compares digests, so that neither time nor length reveals anything about the secret. */
export function isHookSecret(given: string, secret: string | undefined): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return secret !== undefined && timingSafeEqual(digest(given), digest(secret));
}

/** Its answer says nothing about the call, so that nobody learns which ids exist. */
export async function hintCall(service: ServiceAccess, hook: Hook): Promise<void> {
  const { id, places, isSigned } = service.readHook(hook);
  if (isSigned === false) {
    throw new CarillonError('request-invalid', 'The webhook’s signature is not valid', {
      remedy:
        'Set CARILLON_HOOK_KEY to the key with which the service signs its webhooks, and check that the clocks agree.',
    });
  }
  if (id === null) {
    throw new CarillonError('request-invalid', 'The body holds no call id', {
      remedy: `Send what the service sends, with the id at ${places.join(' or ')}.`,
    });
  }
  const hinted = await service.ledger.attempts.hint(service.baseUrl, id, leastSeconds);
  if (!hinted) return;
  await service.pollSooner({
    bucket: bucketName(service.baseUrl, hinted.key),
    run: hinted.run,
    attempt: hinted.id,
    delayMs: hinted.at.getTime() - service.clock.now(),
  });
}
