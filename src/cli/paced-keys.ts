import { systemClock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { untilAborted } from '../base/deadline.ts';
import type { Log } from '../base/log.ts';
import { type TakeToken, takeFrom, tokenPace } from '../control/doctor/keys.ts';
import { createEngine } from '../engine/engine.ts';
import { createSecondCap } from '../lane/per-second-cap.ts';
import { inspectLedger } from '../ledger/server/inspect.ts';
import { hasLedger, withLedgerUrl } from './ledger-address.ts';

/** Tokens for commands that ask the service and leave nothing in the ledger, whether it exists or not. */

/** Creates nothing: without a ledger no other process can share the key, so this one keeps the pace by itself. */
export async function withPacedKeys<T>(
  config: Config,
  log: Log,
  work: (take: TakeToken) => Promise<T>,
): Promise<T> {
  const { redisUrl } = config;
  const shared = async (url: string) => {
    const engine = await createEngine({ redisUrl, databaseUrl: url, log });
    try {
      return await work(takeFrom(engine.bucket, config));
    } finally {
      await engine.close();
    }
  };
  if (redisUrl) return shared('');
  if (!hasLedger(config)) return work(takeAlone(config));
  return withLedgerUrl(config, log, async (url) => {
    const { empty } = await inspectLedger(url, Date.now);
    return empty ? work(takeAlone(config)) : shared(url);
  });
}

function takeAlone(config: Config): TakeToken {
  const caps = new Map(
    config.voice.keys.map(({ name }) => [
      name,
      createSecondCap(() => tokenPace(config, name).rate, systemClock, tokenPace(config, name).burst),
    ]),
  );
  return async (key, signal) => {
    const onSent = await untilAborted(caps.get(key)!.pass(), signal);
    if (!onSent) return { ok: false, restMs: 0 };
    onSent();
    return { ok: true };
  };
}
