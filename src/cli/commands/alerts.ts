import { listAlerts } from '../../control/alerts/addresses.ts';
import { type Cli, type Command, topCommand } from '../command-io.ts';
import { onLedger } from '../reporting.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon alerts`: what needs a person now, and what to do about it. */
export function alertsCommand(cli: Cli): Command {
  const example = 'carillon alerts\ncarillon alerts --json | jq -e ".items == []"';
  return onLedger(cli, topCommand('alerts', example), {
    find: ({ ledger }) => listAlerts(ledger),
    tell({ items }) {
      if (items.length === 0) return 'No alert is raised.';
      return items.flatMap(({ code, severity, message, remedy, since }) => [
        `${severity.padEnd(8)}  ${code}  since ${timeText(since)}: ${message}`,
        `          -> ${remedy}`,
      ]);
    },
  });
}
