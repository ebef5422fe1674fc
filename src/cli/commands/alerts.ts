import type { Command } from 'commander';
import { listAlerts } from '../../control/alerts/show.ts';
import { type Cli, command } from '../command-io.ts';
import { summaries } from '../command-summaries.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon alerts`: what needs a person now, and what to do about it. */
export function alertsCommand(cli: Cli): Command {
  return command(
    'alerts',
    summaries.alerts.does,
    'carillon alerts\ncarillon alerts --json | jq -e ".items == []"',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const found = await listAlerts(ledger);
        if (options.json) return cli.json(found);
        if (found.items.length === 0) cli.out('No alert is raised.');
        for (const { code, severity, message, remedy, since } of found.items) {
          cli.out(`${severity.padEnd(8)}  ${code}  since ${timeText(since)}: ${message}`);
          cli.out(`          -> ${remedy}`);
        }
      }),
    );
}
