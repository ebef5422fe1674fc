import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Names of lanes and queues in the engine. They include the service, because two services share no limit. */
export type Station = 'dial' | 'track';

/** The name of a key's bucket: the same in every process that uses the key. */
export function bucketName(baseUrl: string, key: string): string {
  return `${key}.${serviceMark(baseUrl)}`;
}

function serviceMark(baseUrl: string): string {
  return createHash('sha256').update(baseUrl).digest('hex').slice(0, 8);
}

/** The name of the bucket that keys of one account share; no key has a slash in its name. */
export function accountName(baseUrl: string, keys: readonly string[]): string {
  return `account/${serviceMark(baseUrl)}/${keys.join('+')}`;
}

/** A run has queues of its own, so that it dials only its own campaign; background workers share theirs. */
export function queueName(bucket: string, station: Station, campaignId: string | null): string {
  return campaignId ? `${bucket}.${station}.run-${campaignId.slice(0, 8)}` : `${bucket}.${station}`;
}

/** A job carries an id. The truth about it is in the ledger. */
export const payload = z.object({ attemptId: z.uuid() });
export type Payload = z.infer<typeof payload>;
