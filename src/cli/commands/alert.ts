import { Argument, type Command } from 'commander';
import {
  addAlertAddress,
  listAlertAddresses,
  removeAlertAddress,
  type ShownAlertAddress,
  wantedAlerts,
} from '../../control/alerts/addresses.ts';
import { testAlertAddress } from '../../control/alerts/try.ts';
import { alertAddressKinds } from '../../ledger/alert-addresses/alert-addresses.ts';
import { closedArgument, someOf } from '../closed-lists.ts';
import { type Cli, command, given } from '../command-io.ts';
import { summaries } from '../command-summaries.ts';
import { group } from '../group.ts';
import { printLines } from '../output/list.ts';
import { tableLines, timeText } from '../terminal/table.ts';

/** `carillon alert`: where people are told of alerts. `carillon alerts` shows the alerts themselves. */
export function alertCommand(cli: Cli): Command {
  return group(
    'alert',
    summaries.alert.does,
    'carillon alert add slack https://hooks.slack.com/services/...',
    [addCommand(cli), listCommand(cli), testCommand(cli), removeCommand(cli)],
  );
}

const id = '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55';

function addCommand(cli: Cli): Command {
  return command(
    'add',
    'Add an address that is told of alerts: of those that are raised now, and of each when it is raised and when it is over; or a monitor, which is asked each minute while dialling works.',
    'carillon alert add slack https://hooks.slack.com/services/T000/B000/XXXX\ncarillon alert add email ops@example.com --only critical --at-most 5m\ncarillon alert add monitor https://hc-ping.com/your-uuid',
  )
    .addArgument(closedArgument(new Argument('<kind>', 'slack, email, url or monitor'), alertAddressKinds))
    .argument(
      '<address>',
      'the URL of Slack’s incoming webhook, an e-mail address, or a URL of yours or of a monitor',
    )
    .addOption(
      someOf(
        '--only <kinds>',
        'only these alerts, or critical or warning, separated by commas (default: all)',
        wantedAlerts,
      ),
    )
    .option(
      '--at-most <time>',
      'send no more than one message in this time, and what was held back with the next; a critical alert goes at once (default: 15m; for a url, each at once)',
    )
    .option('--json', 'print one JSON document')
    .action(
      (
        kind: string,
        address: string,
        { json, ...flags }: { only?: string; atMost?: string; json?: true },
      ) => {
        const { only, atMost } = given(flags);
        const body = {
          kind,
          address,
          ...(only ? { only: only.split(',').map((each) => each.trim()) } : {}),
          ...(atMost ? { at_most: atMost } : {}),
        };
        return cli.withLedger(async (opened) => {
          const { answer: made } = await addAlertAddress(opened, body);
          if (json) return cli.json(made);
          cli.out(made.secret ?? made.id);
          if (made.secret)
            cli.note(`This secret verifies the events to the address ${made.id}. It is not shown again.`);
          cli.note(`Send a test to it with \`carillon alert test ${made.id}\`.`);
        });
      },
    );
}

function listCommand(cli: Cli): Command {
  return command('list', 'List the addresses, and whether messages arrive there.', 'carillon alert list')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const found = await listAlertAddresses(ledger);
        if (json) return cli.json(found);
        if (found.items.length === 0)
          return cli.out('Nobody is told of alerts. Add an address with `carillon alert add`.');
        const header = [
          'ID',
          'KIND',
          'STATE',
          'ADDRESS',
          'ALERTS',
          'AT MOST',
          'SENT',
          'FAILED',
          'HELD',
          'NEXT',
          'WHY',
        ];
        await printLines(cli, tableLines(header, found.items.map(rowOf), cli.width()));
      }),
    );
}

function rowOf(shown: ShownAlertAddress) {
  const { id, kind, state, address, only, at_most: most, sent, failed, held, next_at: next, reason } = shown;
  const alerts = only?.join(',') ?? 'all';
  return [id, kind, state, address, alerts, most, sent, failed, held, next && timeText(next), reason];
}

function testCommand(cli: Cli): Command {
  return command(
    'test',
    'Send a test to an address now, and say what happened. If it arrives, what is held follows.',
    `carillon alert test ${id}`,
  )
    .argument('<id>', 'the address’s id')
    .option('--json', 'print one JSON document')
    .action((id: string, { json }: { json?: true }) =>
      cli.withLedger(async (opened) => {
        const tried = await testAlertAddress(opened, id);
        if (!tried.delivered) cli.exit(1);
        if (json) return cli.json(tried);
        if (tried.delivered) cli.out(`The test arrived in ${tried.ms} ms: ${tried.answer}.`);
        else cli.note(`carillon: The test did not arrive: ${tried.error}`);
      }),
    );
}

function removeCommand(cli: Cli): Command {
  return command(
    'remove',
    'Remove an address. What waits for it is forgotten.',
    `carillon alert remove ${id}`,
  )
    .argument('<id>', 'the address’s id')
    .option('--json', 'print one JSON document')
    .action((id: string, { json }: { json?: true }) =>
      cli.withLedger(async (opened) => {
        const gone = await removeAlertAddress(opened, id);
        if (json) return cli.json(gone);
        cli.out(`The address ${gone.id} is removed.`);
      }),
    );
}
