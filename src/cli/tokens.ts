import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { type Config, rateOf } from '../base/config.ts';
import { untilAborted } from '../base/deadline.ts';
import type { Log } from '../base/log.ts';
import { type Bucket, createEngine } from '../engine/engine.ts';
import { createSecondCap } from '../lane/second-cap.ts';
import { inspectLedger } from '../ledger/server/inspect.ts';
import { bucketName } from '../queues/names.ts';
import { withLedgerUrl } from './place.ts';

/** Tokens, from the bucket that all processes share, for commands that ask the service and leave nothing in the ledger. */
export type Taken = { ok: true } | { ok: false; restMs: number };
/** Takes one of a key's tokens and waits for its time; not ok when the key rests. */
export type TakeToken = (key: string, signal?: AbortSignal) => Promise<Taken>;

/** A token that comes later than this is not taken: the key rests. */
const patienceMs = 2_000;
/** Only for a key that the bucket has never seen. */
const firstPace = { rate: 1, burst: 1 };

export function takeFrom(bucket: Bucket, config: Config): TakeToken {
  return async (key, signal) => {
    const name = bucketName(config.voice.baseUrl!, key);
    const { delays, waitMs } = await bucket.take(name, 1, patienceMs, paceOf(config, key));
    if (delays.length === 0) return { ok: false, restMs: waitMs };
    await systemClock.sleep(delays[0]!, signal);
    return { ok: true };
  };
}

/** Creates nothing: without a ledger no other process can share the key, so this one keeps the pace by itself. */
export async function withTokens<T>(
  config: Config,
  log: Log,
  work: (take: TakeToken) => Promise<T>,
): Promise<T> {
  const { redisUrl, databaseUrl } = config;
  const shared = async (url: string) => {
    const engine = await createEngine({ redisUrl, databaseUrl: url, log });
    try {
      return await work(takeFrom(engine.bucket, config));
    } finally {
      await engine.close();
    }
  };
  if (redisUrl) return shared('');
  if (!databaseUrl && !existsSync(join(config.home, 'ledger', 'PG_VERSION'))) return work(takeAlone(config));
  return withLedgerUrl(config, log, async (url) => {
    const { empty } = await inspectLedger(url, Date.now);
    return empty ? work(takeAlone(config)) : shared(url);
  });
}

function takeAlone(config: Config): TakeToken {
  const caps = new Map(
    config.voice.keys.map(({ name }) => [
      name,
      createSecondCap(() => paceOf(config, name).rate, systemClock, paceOf(config, name).burst),
    ]),
  );
  return async (key, signal) => {
    const onSent = await untilAborted(caps.get(key)!.pass(), signal);
    if (!onSent) return { ok: false, restMs: 0 };
    onSent();
    return { ok: true };
  };
}

function paceOf(config: Config, key: string) {
  const rate = rateOf(config, key);
  return rate === 'auto' ? firstPace : { rate, burst: config.voice.burst };
}
