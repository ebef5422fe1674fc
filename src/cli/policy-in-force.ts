import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../base/config.ts';
import type { Log } from '../base/log.ts';
import { openDatabase } from '../ledger/database.ts';
import { createPolicies } from '../ledger/policies/verbs.ts';
import { inspectLedger } from '../ledger/server/inspect.ts';
import type { Policy } from '../rules/policy/policy.ts';
import { withLedgerUrl } from './place.ts';

/** The contact rules that the ledger has in force, for a command that changes nothing: none where no ledger is yet. */
export async function policyInForce(config: Config, log: Log): Promise<Policy | null> {
  if (!config.databaseUrl && !existsSync(join(config.home, 'ledger', 'PG_VERSION'))) return null;
  return withLedgerUrl(config, log, async (url) => {
    const { empty } = await inspectLedger(url, Date.now);
    if (empty) return null;
    const db = openDatabase(url, { max: 1 });
    try {
      const policies = createPolicies(db);
      await policies.refresh();
      const unreadable = policies.unreadable();
      if (unreadable) throw unreadable;
      return policies.now();
    } finally {
      await db.close();
    }
  });
}
