import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { listNumbers, type Numbers } from '../../control/service/account.ts';
import { type Cli, command } from '../command-io.ts';
import { summaries } from '../command-summaries.ts';
import { tableLines } from '../terminal/table.ts';

/** `carillon numbers`: the numbers that each key can call from. */
export function numbersCommand(cli: Cli): Command {
  return command(
    'numbers',
    summaries.numbers.does,
    'carillon numbers\ncarillon numbers --json | jq -r ".items[].phone_number"',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withApp(async (app) => {
        const found = await listNumbers(app.service({ note: cli.note }));
        if (options.json) cli.json(found);
        else if (found.items.length > 0)
          for (const line of drawNumbers(found.items, cli.width())) cli.out(line);
        else cli.out('The account has no phone numbers.');
        // Shows what the other keys answered; a key that failed is still a failure.
        const [failed] = found.failed;
        if (failed) throw new CarillonError(failed.code, failed.detail);
      }),
    );
}

function drawNumbers(numbers: Numbers['items'], width: number): string[] {
  return tableLines(
    ['NUMBER', 'ID', 'LABEL', 'COUNTRY', 'PROVIDER', 'VERIFIED', 'KEY'],
    numbers.map((number) => [
      number.phone_number,
      number.id,
      wordOf(number.label ?? number.name),
      wordOf(number.country_code),
      wordOf(number.provider),
      typeof number.is_verified === 'boolean' ? (number.is_verified ? 'yes' : 'no') : null,
      number.key,
    ]),
    width,
  );
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
