import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { type AuditedCampaign, auditLedger } from '../../control/ledger/audit.ts';
import { showLedger } from '../../control/ledger/history.ts';
import { confirmRemedy } from '../../dispatch/trust/last-seen.ts';
import { type Cli, topCommand } from '../command-io.ts';
import { count, counted } from '../output/summary.ts';

/** `carillon audit`: whether every row of every campaign is in one state, and whether the ledger's own rules hold. */
export function auditCommand(cli: Cli): Command {
  return topCommand('audit', 'carillon audit\ncarillon audit --json | jq .ok')
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const { ok, campaigns, rules } = await auditLedger(ledger);
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
        const { state, why, known_until } = await showLedger(ledger);
        if (state === 'lost') cli.note(`carillon: ${why}. ${confirmRemedy(known_until)}`);
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

const states = ['rejected', 'skipped', 'waiting', 'queued', 'calling', 'done', 'parked', 'unknown'] as const;

function drawCampaign(line: AuditedCampaign): string {
  const parts = states.filter((state) => line[state] > 0).map((state) => `${count(line[state])} ${state}`);
  const sum = `${counted(line.rows, 'row')}${parts.length > 0 ? ` = ${parts.join(' + ')}` : ''}`;
  const name = line.superseded ? `${line.name} (started over, ${line.id})` : line.name;
  return line.ok ? `ok      ${name}: ${sum}` : `broken  ${name}: ${sum}; ${line.faults.join('; ')}`;
}
