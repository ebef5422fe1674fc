import { systemClock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { createBudgets } from '../../ledger/budgets/budgets.ts';
import { createPolicies, type PolicyVersion } from '../../ledger/policies/policies.ts';
import { isOutdated, packNamed } from '../../rules/policy/packs.ts';
import type { Policy } from '../../rules/policy/policy.ts';
import { outdatedRemedy, outdatedText } from '../policies/packs.ts';
import { readPolicyFile } from '../policies/set.ts';
import type { Check } from './findings.ts';
import { type LedgerView, withDatabase } from './stores.ts';

/** The contact rules: whether this machine's file can be read and is in force, and how old its packs of hours are. */
export async function checkPolicy(
  check: Check,
  config: Config,
  ledger: LedgerView | null,
  now = systemClock.now(),
): Promise<void> {
  await check('policy', async (say) => {
    const { policyPath } = config;
    const file = policyPath === undefined ? null : readPolicyFile(policyPath, true);
    const inForce = await readInForce(ledger);
    const packs = ((file ?? inForce)?.policy?.hours ?? []).map((name) => packNamed(name)!);
    const dates = packs.map(({ name, asOf }) => `; ${name} as of ${asOf}`).join('');
    const old = packs.filter((pack) => isOutdated(pack, now)).map(({ name }) => name);
    if (old.length > 0) say('warn', outdatedText(old), outdatedRemedy);
    if (!file) return say('ok', inForce ? `${inForceText(inForce)}${dates}` : 'no contact rules');
    if (!inForce) return say('ok', `${policyPath}: in force when a process that dials starts${dates}`);
    if (inForce.digest === file.digest) return say('ok', `${policyPath}: ${inForceText(inForce)}${dates}`);
    say(
      'warn',
      `${policyPath} is not what is in force (${inForceText(inForce)})`,
      'The next process that dials puts it in force; those that run with another file then stop dialling.',
    );
  });
}

type InForce = PolicyVersion & { policy: Policy | null };

function readInForce(ledger: LedgerView | null): Promise<InForce | null> {
  return withDatabase(ledger, async (db) => {
    const policies = createPolicies(db);
    await policies.refresh();
    const version = policies.version();
    return version && { ...version, policy: policies.now() };
  });
}

function inForceText({ version, source }: PolicyVersion): string {
  return `version ${version} is in force, from ${source === 'file' ? 'a file' : 'the API'}`;
}

/** What calls may cost in a day and a month: whether another process has a lower limit, and how much is spent. */
export async function checkMaxCost(
  check: Check,
  { voice }: Config,
  ledger: LedgerView | null,
): Promise<void> {
  const { maxCost, baseUrl } = voice;
  if (!maxCost) return;
  await check('budget', async (say) => {
    const own = Object.entries(maxCost).flatMap(([kind, most]) => (most === null ? [] : [`${kind} ${most}`]));
    const inForce = baseUrl ? await readBudgets(ledger, baseUrl) : null;
    if (!inForce || inForce.budgets.length === 0)
      return say('ok', `${own.join(', ')}: in force when a process that dials starts`);
    const { budgets, currencies } = inForce;
    const told = budgets.map(({ kind, spent, most }) => `${kind}: ${spent.toFixed(2)} of ${most} spent`);
    if (currencies.length > 1)
      return say(
        'fail',
        `the service tells costs in ${currencies.join(' and ')}, so no call is made under a budget`,
        'Remove VOICE_MAX_COST until the service tells one currency.',
      );
    const isLower = budgets.some(({ kind, most }) => kind !== 'campaign' && most !== maxCost[kind]);
    if (isLower)
      return say(
        'warn',
        `${told.join('; ')}; the lowest of the processes that dial holds, and here it is ${own.join(', ')}`,
        'Give all processes the same VOICE_MAX_COST, and restart them.',
      );
    say('ok', told.join('; '));
  });
}

function readBudgets(ledger: LedgerView | null, baseUrl: string) {
  return withDatabase(ledger, async (db) => {
    const verbs = createBudgets(db, baseUrl);
    return { budgets: await verbs.ofService(), currencies: await verbs.currencies() };
  });
}
