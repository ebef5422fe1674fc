import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { type Balance, countsOf } from '../../ledger/reports.ts';
import { type Cli, command } from '../cli.ts';
import { count } from '../output/summary.ts';

/** `carillon audit`: whether every row of every campaign ended in one state, and the ledger's own rules hold. */
export function auditCommand(cli: Cli): Command {
  return command(
    'audit',
    'Check that the sums of every campaign balance and the ledger’s rules hold.',
    'carillon audit\ncarillon audit --json | jq .ok',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withBooks(async ({ ledger }) => {
        const campaigns = (await ledger.reports.balance()).map(judge);
        const rules = (await ledger.reports.audit()).map((rule) => ({ ok: rule.broken === 0, ...rule }));
        const ok = [...campaigns, ...rules].every((each) => each.ok);
        if (options.json) cli.json({ ok, campaigns, rules });
        else {
          for (const line of campaigns) cli.out(drawCampaign(line));
          for (const { rule, broken } of rules) {
            cli.out(broken === 0 ? `ok      never: ${rule}` : `broken  ${count(broken)} times: ${rule}`);
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

/** The rows counted one by one are those counted by state, and each state has the attempts that it speaks of. */
function judge(balance: Balance) {
  const counts = countsOf(balance.states, balance.refused);
  const rows = balance.people + balance.refused;
  const sum = Object.values(counts).reduce((a, b) => a + b, 0);
  const live = { planned: 0, parked: 0, dialing: 0, placed: 0, unknown: 0, ...balance.live };
  const faults = [
    rows === sum ? null : `${rows} rows, but ${sum} by state`,
    differs('queued', counts.queued, 'planned', live.planned),
    differs('calling', counts.calling, 'dialing or placed', live.dialing + live.placed),
    differs('unknown', counts.unknown, 'unknown', live.unknown),
    // A run that left for lack of credit parks rows that have no attempt yet; never the other way round.
    live.parked <= counts.parked ? null : differs('parked', counts.parked, 'parked', live.parked),
  ].filter((fault) => fault !== null);
  const { id, name, baseUrl: service, superseded } = balance;
  return { ok: faults.length === 0, name, id, service, superseded, rows, ...counts, faults };
}

function differs(state: string, rows: number, attempts: string, live: number): string | null {
  return rows === live ? null : `${rows} rows are ${state}, but ${live} attempts are ${attempts}`;
}

const states = ['rejected', 'skipped', 'waiting', 'queued', 'calling', 'done', 'parked', 'unknown'] as const;

function drawCampaign(line: Judged): string {
  const parts = states.filter((state) => line[state] > 0).map((state) => `${count(line[state])} ${state}`);
  const sum = `${count(line.rows)} rows${parts.length > 0 ? ` = ${parts.join(' + ')}` : ''}`;
  const name = line.superseded ? `${line.name} (started over, ${line.id})` : line.name;
  return line.ok ? `ok      ${name}: ${sum}` : `broken  ${name}: ${sum}; ${line.faults.join('; ')}`;
}
