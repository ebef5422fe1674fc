import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { auditPolicy } from '../../control/policies/audit.ts';
import { countsOf, rowsOf } from '../../ledger/reports/counts.ts';
import type { Balance } from '../../ledger/reports/verbs.ts';
import { type Cli, command } from '../cli.ts';
import { count, counted } from '../output/summary.ts';

/** `carillon audit`: whether every row of every campaign is in one state, and whether the ledger's own rules hold. */
export function auditCommand(cli: Cli): Command {
  return command(
    'audit',
    'Check that every campaign’s counts add up and that the ledger’s rules hold.',
    'carillon audit\ncarillon audit --json | jq .ok',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withBooks(async ({ ledger }) => {
        const campaigns = (await ledger.reports.balance()).map(judge);
        const kept = (await ledger.reports.audit()).map((rule) => ({ ...rule, example: null }));
        const rules = [...kept, ...(await auditPolicy(ledger))].map((rule) => ({
          ok: rule.broken === 0,
          ...rule,
        }));
        const ok = [...campaigns, ...rules].every((each) => each.ok);
        if (options.json) cli.json({ ok, campaigns, rules });
        else {
          for (const line of campaigns) cli.out(drawCampaign(line));
          for (const { rule, broken, example } of rules) {
            const such = example === null ? '' : `; for example ${example}`;
            cli.out(
              broken === 0 ? `ok      never: ${rule}` : `broken  ${counted(broken, 'time')}: ${rule}${such}`,
            );
          }
        }
        if (!ok) {
          const broken = [...campaigns, ...rules].filter((each) => !each.ok).length;
          throw new CarillonError(
            'audit-broken',
            `The audit found ${broken} broken ${broken === 1 ? 'line' : 'lines'}`,
          );
        }
      }),
    );
}

type Judged = ReturnType<typeof judge>;

/** Rows counted one by one must equal the tallies, and rows under way must equal live attempts. */
function judge(balance: Balance) {
  const { id, name, baseUrl: service, superseded, tally } = balance;
  const counts = countsOf(balance);
  const rows = balance.people + balance.refused;
  const live = Object.values(balance.live).reduce((a, b) => a + b, 0);
  const found: Record<string, number> = { ...balance.states, refused: balance.refused };
  for (const [outcome, n] of Object.entries(balance.outcomes)) found[`outcome:${outcome}`] = n;
  const kept = Object.keys(tally).filter((each) => !uncounted.has(each) && !each.startsWith('first:'));
  const faults = [
    rows === rowsOf(counts) ? null : `${counted(rows, 'row')}, but ${rowsOf(counts)} by state`,
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
  'refusals',
  'opt-outs',
  'opt-out-read',
  'opt-out-found',
]);

function differs(what: string, rows: number, other: string, found: number): string | null {
  return rows === found ? null : `${rows} ${what}, but ${found} ${other}`;
}

const states = ['rejected', 'skipped', 'waiting', 'queued', 'calling', 'done', 'parked', 'unknown'] as const;

function drawCampaign(line: Judged): string {
  const parts = states.filter((state) => line[state] > 0).map((state) => `${count(line[state])} ${state}`);
  const sum = `${counted(line.rows, 'row')}${parts.length > 0 ? ` = ${parts.join(' + ')}` : ''}`;
  const name = line.superseded ? `${line.name} (started over, ${line.id})` : line.name;
  return line.ok ? `ok      ${name}: ${sum}` : `broken  ${name}: ${sum}; ${line.faults.join('; ')}`;
}
