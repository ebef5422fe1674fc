import { systemClock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { accountOf, rateOf } from '../../base/config/of-key.ts';
import type { Bucket } from '../../engine/engine.ts';
import { accountName, bucketName } from '../../queues/job.ts';

/**
 * Tokens from the bucket that all processes share, for commands that ask the service and leave nothing in the ledger.
 */
export type Taken = { ok: true } | { ok: false; restMs: number };
/** Takes one of a key's tokens and waits for its time; not ok when the key rests. */
export type TakeToken = (key: string, signal?: AbortSignal) => Promise<Taken>;

/** A token that comes later than this is not taken: the key counts as resting. */
const patienceMs = 2_000;
/** Used only for a key that the bucket has never seen. */
const firstPace = { rate: 1, burst: 1 };

export function takeFrom(bucket: Bucket, config: Config): TakeToken {
  return async (key, signal) => {
    const account = accountOf(config, key);
    const baseUrl = config.voice.baseUrl!;
    const name = account ? accountName(baseUrl, account) : bucketName(baseUrl, key);
    const { delays, waitMs } = await bucket.take(name, 1, patienceMs, tokenPace(config, key));
    if (delays.length === 0) return { ok: false, restMs: waitMs };
    await systemClock.sleep(delays[0]!, signal);
    return { ok: true };
  };
}

export function tokenPace(config: Config, key: string) {
  const rate = rateOf(config, key);
  return rate === 'auto' ? firstPace : { rate, burst: config.voice.burst };
}
