import type { Config } from '../../../base/config/config.ts';
import type { Log } from '../../../base/log.ts';
import type { Check } from '../../../control/doctor/findings.ts';
import { type LedgerView, lookAtLedger, lookAtQueue } from '../../../control/doctor/stores.ts';
import { createEngine, type Engine } from '../../../engine/engine.ts';
import { withLedgerUrl } from '../../ledger-address.ts';

/** The ledger and the queue, each checked by itself. */
/** Continues with null without a ledger: the other checks still run. */
export async function withCheckedLedger(
  check: Check,
  config: Config,
  log: Log,
  next: (ledger: LedgerView | null) => Promise<void>,
): Promise<void> {
  let went = false;
  const go = (ledger: LedgerView | null) => {
    went = true;
    return next(ledger);
  };
  await check('ledger', (say) =>
    withLedgerUrl(config, log, async (url, fresh) => {
      const upToDate = await check('ledger', () => lookAtLedger(url, fresh, config, say));
      await go(upToDate === null ? null : { url, upToDate });
    }),
  );
  if (!went) await go(null);
}

export async function withEngine(
  check: Check,
  config: Config,
  log: Log,
  ledger: LedgerView | null,
  next: (engine: Engine | null) => Promise<void>,
): Promise<void> {
  const { redisUrl } = config;
  const engine = await check('queue', async (say) => {
    if (!redisUrl && !ledger) {
      say('fail', 'it is in the ledger’s Postgres, which cannot be used', 'Fix the ledger first.');
      return null;
    }
    const made = await createEngine({ redisUrl, databaseUrl: ledger?.url ?? '', log });
    try {
      await lookAtQueue(made, say);
      return made;
    } catch (error) {
      await made.close();
      throw error;
    }
  });
  try {
    await next(engine);
  } finally {
    await engine?.close();
  }
}
