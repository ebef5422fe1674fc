import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { untilAborted } from '../base/deadline.ts';
import type { Log } from '../base/log.ts';
import { createSeal } from '../base/seal.ts';
import { readSecret } from '../base/secret.ts';
import { type TakeToken, takeFrom, tokenPace } from '../control/doctor/keys.ts';
import { startEmbedded } from '../embedded/embedded.ts';
import { createEngine } from '../engine/engine.ts';
import { createSecondCap } from '../lane/per-second-cap.ts';
import { type Ledger, openLedger } from '../ledger/ledger.ts';
import type { WrittenPolicy } from '../ledger/policies/policies.ts';
import { inspectLedger } from '../ledger/server/inspect.ts';

/** False if a ledger would have to be created first. */
export function hasLedger({ databaseUrl, home }: Pick<Config, 'databaseUrl' | 'home'>): boolean {
  return databaseUrl !== undefined || existsSync(join(home, 'ledger', 'PG_VERSION'));
}

/** Returns the ledger's address, embedded or not, before it has tables. Keeps the embedded one running meanwhile. */
export async function withLedgerUrl<T>(
  config: Config,
  log: Log,
  work: (url: string, fresh: boolean) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl) return work(config.databaseUrl, false);
  const embedded = await startEmbedded({ home: config.home, log });
  try {
    return await work(embedded.url, embedded.fresh);
  } finally {
    await embedded.close();
  }
}

/** The connections of a command that only reads. */
const few = 2;

/**
 * The ledger for a command that leaves nothing in it, with the contact rules that are in force, or would be by `file`.
 * It is null if there is no ledger yet; none is created.
 */
export async function withLedgerIfAny<T>(
  config: Config,
  log: Log,
  file: WrittenPolicy | null,
  work: (ledger: Ledger | null) => Promise<T>,
): Promise<T> {
  if (!hasLedger(config)) return work(null);
  return withLedgerUrl(config, log, async (url) => {
    const { empty } = await inspectLedger(url, Date.now);
    if (empty) return work(null);
    const ledger = await openLedger(
      url,
      config.voice.baseUrl ?? '',
      log,
      few,
      () => createSeal(readSecret(config)),
      config.voice.queueMs,
    );
    try {
      ledger.policies.assume(file?.policy ?? null);
      await ledger.policies.refresh();
      const unreadable = file ? null : ledger.policies.unreadable();
      if (unreadable) throw unreadable;
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  });
}

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
