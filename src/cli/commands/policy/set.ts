import type { Command } from 'commander';
import { readPolicyFile } from '../../../control/policies/file.ts';
import { setPolicy } from '../../../control/policies/set.ts';
import { showPolicy } from '../../../control/policies/show.ts';
import { type Cli, command, pathOf } from '../../command-io.ts';
import { timeText } from '../../terminal/table.ts';

/** `carillon policy show` and `set`: shows the contact rules in force, and replaces them. */
export function policyShowCommand(cli: Cli): Command {
  return command(
    'show',
    'Show the contact rules in force.',
    'carillon policy show\ncarillon policy show --json',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const shown = await showPolicy(ledger);
        if (options.json) return cli.json(shown);
        if (shown.version === null) return cli.out('No contact rules were ever set.');
        const { version, source, since } = shown;
        cli.out(
          `Version ${version}, from ${source === 'file' ? 'a file' : 'the API'}, since ${timeText(since!)}:`,
        );
        cli.out(JSON.stringify(shown.body, null, 2));
      }),
    );
}

export function policySetCommand(cli: Cli): Command {
  return command(
    'set',
    'Put contact rules in force for every campaign and single call, from the next call on.',
    "carillon policy set rules.json\necho '{}' > none.json && carillon policy set none.json",
  )
    .argument('<file>', 'a JSON file of contact rules; {} switches all of them off')
    .option('--json', 'print one JSON document')
    .action((file: string, options: { json?: true }) =>
      cli.withLedger(async (opened) => {
        const path = pathOf(cli, file);
        const shown = await setPolicy(opened, readPolicyFile(path).body);
        if (options.json) return cli.json(shown);
        cli.out(`Version ${shown.version} of the contact rules is in force.`);
      }),
    );
}
