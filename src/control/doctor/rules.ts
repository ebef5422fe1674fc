import type { Config } from '../../base/config/config.ts';
import { openDatabase } from '../../ledger/database.ts';
import { createPolicies, type PolicyVersion } from '../../ledger/policies/policies.ts';
import { readPolicyFile } from '../policies/file.ts';
import type { Check } from './findings.ts';
import type { LedgerView } from './stores.ts';

/** The contact rules: whether this machine's file can be read, and whether it is the one in force. */
export async function checkPolicy(check: Check, config: Config, ledger: LedgerView | null): Promise<void> {
  await check('policy', async (say) => {
    const { policyPath } = config;
    const file = policyPath === undefined ? null : readPolicyFile(policyPath);
    const inForce = ledger?.upToDate ? await readInForce(ledger.url) : null;
    if (!file) return say('ok', inForce ? inForceText(inForce) : 'no contact rules');
    if (!inForce) return say('ok', `${policyPath}: in force when a process that dials starts`);
    if (inForce.digest === file.digest) return say('ok', `${policyPath}: ${inForceText(inForce)}`);
    say(
      'warn',
      `${policyPath} is not what is in force (${inForceText(inForce)})`,
      'The next process that dials puts it in force; those that run with another file then stop dialling.',
    );
  });
}

async function readInForce(url: string): Promise<PolicyVersion | null> {
  const db = openDatabase(url, { max: 1 });
  try {
    const policies = createPolicies(db);
    await policies.refresh();
    return policies.version();
  } finally {
    await db.close();
  }
}

function inForceText({ version, source }: PolicyVersion): string {
  return `version ${version} is in force, from ${source === 'file' ? 'a file' : 'the API'}`;
}
