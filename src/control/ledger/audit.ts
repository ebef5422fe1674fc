import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Balance } from '../../ledger/reports/reports.ts';
import { recipientStates } from '../../ledger/states.ts';
import { countsOf, rowsOf } from '../../ledger/tallies/tallies.ts';
import { auditPolicy } from '../policies/audit.ts';

/** Whether every row of every campaign is in one state, and whether the ledger's own rules hold. */
const counts = Object.fromEntries(recipientStates.map((state) => [state, z.int()])) as Record<
  (typeof recipientStates)[number],
  z.ZodInt
>;
export const auditAnswer = z
  .object({
    ok: z.boolean(),
    campaigns: z.array(
      z.object({
        ok: z.boolean(),
        name: z.string(),
        id: z.string(),
        service: z.string(),
        superseded: z.boolean().describe('Started over: another campaign has its name.'),
        rows: z.int(),
        ...counts,
        faults: z.array(z.string()),
      }),
    ),
    rules: z.array(
      z.object({
        ok: z.boolean(),
        rule: z.string().describe('The state that must never occur.'),
        broken: z.int().describe('How often it occurs.'),
        example: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Audit' });
export type Audit = z.output<typeof auditAnswer>;
export type AuditedCampaign = Audit['campaigns'][number];

/** Reads every row of the ledger. */
export async function auditLedger(ledger: Pick<Ledger, 'reports' | 'policies'>): Promise<Audit> {
  const campaigns = (await ledger.reports.balance()).map(judge);
  const kept = (await ledger.reports.audit()).map((rule) => ({ ...rule, example: null }));
  const rules = [...kept, ...(await auditPolicy(ledger))].map((rule) => ({
    ok: rule.broken === 0,
    ...rule,
  }));
  return { ok: [...campaigns, ...rules].every((each) => each.ok), campaigns, rules };
}

/** Rows counted one by one must equal the tallies, and rows under way must equal live attempts. */
function judge(balance: Balance): AuditedCampaign {
  const { id, name, baseUrl: service, superseded, tally } = balance;
  const counts = countsOf(balance);
  const rows = balance.people + balance.refused;
  const live = Object.values(balance.live).reduce((a, b) => a + b, 0);
  const found: Record<string, number> = { ...balance.states, refused: balance.refused };
  for (const [outcome, n] of Object.entries(balance.outcomes)) found[`outcome:${outcome}`] = n;
  const kept = Object.keys(tally).filter((each) => !uncounted.has(each) && !each.startsWith('first:'));
  const faults = [
    rows === rowsOf(counts) ? null : `${rows} ${rows === 1 ? 'row' : 'rows'}, but ${rowsOf(counts)} by state`,
    differs('rows are under way', balance.states.live ?? 0, 'attempts are live', live),
    ...[...new Set([...Object.keys(found), ...kept])].map((each) =>
      differs(`rows are ${each}`, found[each] ?? 0, 'are in its tally', tally[each] ?? 0),
    ),
  ].filter((fault) => fault !== null);
  return { ok: faults.length === 0, name, id, service, superseded, rows, ...counts, faults };
}

/** Tallies of attempts, and of the first people, are checked by the ledger's own rules. */
const uncounted: ReadonlySet<string> = new Set([
  'requests',
  'polls',
  'cost',
  'calls',
  'answered',
  'called',
  'reached',
  'redialed',
  'opt-outs',
  'opt-out-read',
  'opt-out-found',
]);

function differs(what: string, rows: number, other: string, found: number): string | null {
  return rows === found ? null : `${rows} ${what}, but ${found} ${other}`;
}
