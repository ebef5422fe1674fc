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

/** How a job leaves a worker: a value, never an exception. */
export type Step =
  /** The work is done and the job is gone. */
  | { kind: 'done' }
  /** The job runs again after this long; no attempt is spent. */
  | { kind: 'wait'; ms: number }
  /** The whole queue rests this long, and the job goes back to it. */
  | { kind: 'rest'; ms: number }
  /** The job has nothing left to do. */
  | { kind: 'drop'; why: string };

export const done: Step = { kind: 'done' };
export const wait = (ms: number): Step => ({ kind: 'wait', ms: Math.max(1, Math.ceil(ms)) });
export const rest = (ms: number): Step => ({ kind: 'rest', ms: Math.max(1, Math.ceil(ms)) });
export const drop = (why: string): Step => ({ kind: 'drop', why });
