import { Argument } from 'commander';
import {
  addAlertAddress,
  listAlertAddresses,
  listAlerts,
  removeAlertAddress,
  wantedAlerts,
} from '../../control/alerts/addresses.ts';
import { testAlertAddress } from '../../control/alerts/send.ts';
import { alertAddressKinds } from '../../ledger/alert-addresses/alert-addresses.ts';
import { closedArgument, namesIn, someOf } from '../closed-lists.ts';
import { type Cli, type Command, group } from '../command-io.ts';
import { listing, onLedger } from '../reporting.ts';
import { timeCell, timeText } from '../terminal/table.ts';

/** `carillon alert`: where people are told of alerts. `carillon alerts` shows the alerts themselves. */
export function alertCommand(cli: Cli): Command {
  return group('alert', 'carillon alert add slack https://hooks.slack.com/services/...', [
    onLedger(cli, {
      name: 'add',
      does: 'Add an address that is told of alerts: of those that are raised now, and of each when it is raised and when it is over; or a monitor, which is asked each minute while dialling works.',
      example:
        'carillon alert add slack https://hooks.slack.com/services/T000/B000/XXXX\ncarillon alert add email ops@example.com --only critical --at-most 5m\ncarillon alert add monitor https://hc-ping.com/your-uuid',
      takes: [
        closedArgument(new Argument('<kind>', 'slack, email, url or monitor'), alertAddressKinds),
        [
          '<address>',
          'the URL of Slack’s incoming webhook, an e-mail address, or a URL of yours or of a monitor',
        ],
        someOf(
          '--only <kinds>',
          'only these alerts, or critical or warning, separated by commas (default: all)',
          wantedAlerts,
        ),
        [
          '--at-most <time>',
          'send no more than one message in this time, and what was held back with the next; a critical alert goes at once (default: 15m; for a url, each at once)',
        ],
      ],
      async find(
        opened,
        kind: string,
        address: string,
        { only, atMost }: { only?: string; atMost?: string },
      ) {
        const terms = { ...(only && { only: namesIn(only) }), ...(atMost && { at_most: atMost }) };
        return (await addAlertAddress(opened, { kind, address, ...terms })).answer;
      },
      tell({ id, secret }) {
        cli.out(secret ?? id);
        if (secret) cli.note(`This secret verifies the events to the address ${id}. It is not shown again.`);
        cli.note(`Send a test to it with \`carillon alert test ${id}\`.`);
      },
    }),
    listing(cli, {
      name: 'list',
      does: 'List the addresses, and whether messages arrive there.',
      example: 'carillon alert list',
      read: ({ ledger }) => listAlertAddresses(ledger),
      none: 'Nobody is told of alerts. Add an address with `carillon alert add`.',
      columns: {
        ID: ({ id }) => id,
        KIND: ({ kind }) => kind,
        STATE: ({ state }) => state,
        ADDRESS: ({ address }) => address,
        ALERTS: ({ only }) => only?.join(',') ?? 'all',
        'AT MOST': ({ at_most: most }) => most,
        SENT: ({ sent }) => sent,
        FAILED: ({ failed }) => failed,
        HELD: ({ held }) => held,
        NEXT: ({ next_at: next }) => timeCell(next),
        WHY: ({ reason }) => reason,
      },
    }),
    onLedger(cli, {
      name: 'test',
      does: 'Send a test to an address now, and say what happened. If it arrives, what is held follows.',
      example: `carillon alert test ${exampleId}`,
      takes: [idArgument],
      async find(opened, id: string) {
        const tried = await testAlertAddress(opened, id);
        if (!tried.delivered) cli.exit(1);
        return tried;
      },
      tell({ delivered, ms, answer, error }) {
        if (delivered) return `The test arrived in ${ms} ms: ${answer}.`;
        cli.note(`carillon: The test did not arrive: ${error}`);
      },
    }),
    onLedger(cli, {
      name: 'remove',
      does: 'Remove an address. What waits for it is forgotten.',
      example: `carillon alert remove ${exampleId}`,
      takes: [idArgument],
      find: (opened, id: string) => removeAlertAddress(opened, id),
      tell: ({ id }) => `The address ${id} is removed.`,
    }),
  ]);
}

const exampleId = '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55';
const idArgument = ['<id>', 'the address’s id'] as const;

/** `carillon alerts`: what needs a person now, and what to do about it. */
export function alertsCommand(cli: Cli): Command {
  return onLedger(cli, {
    name: 'alerts',
    example: 'carillon alerts\ncarillon alerts --json | jq -e ".items == []"',
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
