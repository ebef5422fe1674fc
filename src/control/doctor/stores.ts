import type { Config } from '../../base/config.ts';
import { clockStopMs } from '../../dispatch/fitness.ts';
import type { Engine } from '../../engine/engine.ts';
import { inspectLedger } from '../../ledger/server/inspect.ts';
import type { Say } from './findings.ts';

/** Where work and truth are kept: what is wrong with the servers behind ledger and queue. */
export type LedgerView = { url: string; upToDate: boolean };

const leastVersion = 140_000;
/** Windows are judged by this machine's clock, due rows by the server's. */
const mostSkewMs = 2_000;

/** Returns whether its tables are those of this version. */
export async function lookAtLedger(url: string, fresh: boolean, config: Config, say: Say): Promise<boolean> {
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

export async function lookAtQueue(engine: Engine, say: Say): Promise<void> {
  await engine.ping();
  const findings = await engine.findings();
  for (const finding of findings) say('warn', finding);
  if (findings.length === 0)
    say('ok', engine.kind === 'redis' ? 'Redis at REDIS_URL' : 'in the ledger’s Postgres');
}
