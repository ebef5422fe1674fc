import type { Config } from '../../base/config/config.ts';
import { clockStopMs, clockTellMs } from '../../dispatch/trust/dial-permit.ts';
import { confirmRemedy, lossText, wasRestored } from '../../dispatch/trust/last-seen.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Database, openDatabase } from '../../ledger/database.ts';
import { createLostHistory } from '../../ledger/lost-history/lost-history.ts';
import { inspectLedger } from '../../ledger/server/inspect.ts';
import { readLastBackup } from '../ledger/backup.ts';
import type { Say } from './findings.ts';

/** The ledger and the queue: what is wrong with the servers behind them. */
export type LedgerView = { url: string; upToDate: boolean };

/** Null when there is no ledger, or one of another version. */
export async function withDatabase<T>(
  ledger: LedgerView | null,
  work: (db: Database) => Promise<T>,
): Promise<T | null> {
  if (!ledger?.upToDate) return null;
  const db = openDatabase(ledger.url, { max: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

const leastVersion = 140_000;

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
  const upToDate = pending.length === 0;
  if (!empty) await withDatabase({ url, upToDate }, (db) => lookAtHistory(db, config.home, say));
  if (!config.databaseUrl && !empty) lookAtBackup(config.home, Date.now(), say);
  if (Math.abs(aheadMs) > clockTellMs) {
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
  return upToDate;
}

/** Whether its history is whole, or a person must confirm it. */
async function lookAtHistory(db: Database, home: string, say: Say): Promise<void> {
  const { why, lostAt, knownUntil, knowsSystem } = await createLostHistory(db).look();
  // No process has looked at it since the restore.
  const restored = wasRestored(home) ? 'restored' : null;
  if (lostAt !== null || restored)
    say('fail', `${lossText(why ?? restored)}: nobody is called`, confirmRemedy(knownUntil));
  if (!knowsSystem)
    say(
      'warn',
      'the server does not report its system identifier, so a copy on another server would not be noticed',
    );
}

const dayMs = 86_400_000;

function lookAtBackup(home: string, now: number, say: Say): void {
  const last = readLastBackup(home);
  if (last === null) {
    say('warn', 'it was never backed up', 'Run `carillon backup`, best with --every 1h.');
    return;
  }
  const minutes = Math.max(0, Math.round((now - last.at.getTime()) / 60_000));
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1_440)];
  const age = minutes < 120 ? `${minutes} min` : hours < 48 ? `${hours} h` : `${days} days`;
  const told = `its last backup is ${age} old, in ${last.path}`;
  if (now - last.at.getTime() > dayMs) say('warn', told, 'Run `carillon backup`, best with --every 1h.');
  else say('ok', told);
}

const inPostgres = 'in the ledger’s Postgres; after a crash, jobs are made again from the ledger';

export async function lookAtQueue(engine: Engine, say: Say): Promise<void> {
  await engine.ping();
  const findings = await engine.findings();
  for (const finding of findings) say('warn', finding);
  if (findings.length === 0) say('ok', engine.kind === 'redis' ? 'Redis at REDIS_URL' : inPostgres);
}
