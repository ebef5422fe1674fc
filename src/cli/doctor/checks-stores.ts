import type { Config } from '../../base/config.ts';
import type { Log } from '../../base/log.ts';
import { clockStopMs } from '../../dispatch/fitness.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { inspectLedger } from '../../ledger/server/inspect.ts';
import { withLedgerUrl } from '../place.ts';
import type { Check, Say } from './findings.ts';

/** Where work and truth are kept: the ledger and the queue, each checked by itself. */
export type LedgerView = { url: string; upToDate: boolean };

const leastVersion = 140_000;
/** Windows are judged by this machine's clock, due rows by the server's. */
const mostSkewMs = 2_000;

/** Continues with null without a ledger: the other checks still run. */
export async function withLedger(
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
      const upToDate = await check('ledger', () => lookAt(url, fresh, config, say));
      await go(upToDate === null ? null : { url, upToDate });
    }),
  );
  if (!went) await go(null);
}

async function lookAt(url: string, fresh: boolean, config: Config, say: Say): Promise<boolean> {
  const facts = await inspectLedger(url, Date.now);
  const { version, standby, empty, pending, aheadMs } = facts;
  const where = config.databaseUrl
    ? `at DATABASE_URL, Postgres ${version}`
    : `embedded in ${config.home}, Postgres ${version}`;
  if (facts.number < leastVersion) say('fail', `${where} is too old`, 'Upgrade it to Postgres 14 or newer.');
  else if (standby) say('fail', `${where} is a read-only standby`, 'Point DATABASE_URL at the primary.');
  else if (empty)
    say('ok', `${where}, ${fresh ? 'made just now, ' : ''}empty: the first command creates its tables`);
  else if (pending.length > 0)
    say('warn', `${where}, behind: ${pending.join(', ')}`, 'Run `carillon migrate`.');
  else say('ok', `${where}, up to date`);
  for (const finding of facts.findings) say('warn', finding);
  if (Math.abs(aheadMs) > mostSkewMs) {
    const way = aheadMs > 0 ? 'ahead of' : 'behind';
    const stops = Math.abs(aheadMs) > clockStopMs;
    say(
      stops ? 'fail' : 'warn',
      `the ledger’s clock is ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${way} this machine’s`,
      stops
        ? 'Synchronise both with NTP: until then this machine does not dial.'
        : 'Synchronise both with NTP.',
    );
  }
  return pending.length === 0;
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
      await made.ping();
      const findings = await made.findings();
      for (const finding of findings) say('warn', finding);
      if (findings.length === 0) say('ok', redisUrl ? 'Redis at REDIS_URL' : 'in the ledger’s Postgres');
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
