import { isAbsolute, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  listSuppressions,
  type Suppressed,
  suppress,
  suppressFile,
  unsuppress,
} from '../../control/suppressions.ts';
import { type Cli, command, given } from '../cli.ts';
import { group } from '../group.ts';
import { eachPage, printItems, printLines } from '../output/list.ts';
import { count, counted } from '../output/summary.ts';
import { timeText } from '../output/table.ts';

/** `carillon suppress`: who must not be called, by any campaign, from now on. */
const mostNotes = 20;

export function suppressCommand(cli: Cli): Command {
  return group(
    'suppress',
    'Manage the list of people who must not be called.',
    'carillon suppress add +14155550123',
    [addCommand(cli), removeCommand(cli), importCommand(cli), listCommand(cli)],
  );
}

type Flags = { reason?: string; country?: string; map?: string; json?: true };

function addCommand(cli: Cli): Command {
  return command(
    'add',
    'Suppress phone numbers, at once and in every campaign.',
    'carillon suppress add +14155550123 +14155550124 --reason "asked by letter"',
  )
    .argument('<phone...>', 'phone numbers')
    .option('--reason <text>', 'why, for anyone who reads the list')
    .option('--country <code>', 'country of numbers in national form, such as US')
    .option('--json', 'print one JSON document')
    .action((phones: string[], { json, ...flags }: Flags) =>
      cli.withBooks(async ({ ledger }) => {
        const done = await suppress(ledger, { phones, ...given(flags) });
        if (json) cli.json(done);
        else cli.out(tell(done));
      }),
    );
}

function removeCommand(cli: Cli): Command {
  return command(
    'remove',
    'Remove phone numbers from the list; rows that were skipped stay skipped.',
    'carillon suppress remove +14155550123',
  )
    .argument('<phone...>', 'phone numbers')
    .option('--country <code>', 'country of numbers in national form, such as US')
    .option('--json', 'print one JSON document')
    .action((phones: string[], { json, ...flags }: Flags) =>
      cli.withBooks(async ({ ledger }) => {
        const done = await unsuppress(ledger, { phones, ...given(flags) });
        if (json) return cli.json(done);
        const rest = done.unknown > 0 ? `, ${count(done.unknown)} not on it` : '';
        cli.out(`${numbers(done.removed)} removed from the list${rest}.`);
      }),
    );
}

function importCommand(cli: Cli): Command {
  return command(
    'import',
    'Suppress every phone number of a CSV file.',
    'carillon suppress import do-not-call.csv --reason "register of March"',
  )
    .argument('<file>', 'a CSV file with a header row, or - for standard input')
    .option('--map <phone=COL>', 'which column holds the phone numbers')
    .option('--reason <text>', 'why, for anyone who reads the list')
    .option('--country <code>', 'country of numbers in national form, such as US')
    .option('--json', 'print one JSON document')
    .action((file: string, { json, ...flags }: Flags) =>
      cli.withBooks(async ({ ledger }) => {
        const path = isAbsolute(file) ? file : resolve(cli.io.cwd, file);
        const source = file === '-' ? { stream: cli.io.stdin } : { path };
        let told = 0;
        const done = await suppressFile(ledger, source, given(flags), (row, reason) => {
          if (told++ < mostNotes) cli.note(`Line ${row}: ${reason}.`);
        });
        if (told > mostNotes)
          cli.note(`${counted(told - mostNotes, 'more line', 'more lines')} could not be read.`);
        if (json) return cli.json({ file, ...done });
        cli.out(tell(done));
        if (done.rejected > 0)
          cli.out(
            `${counted(done.rejected, 'row')} could not be read and ${done.rejected === 1 ? 'is' : 'are'} not suppressed.`,
          );
      }),
    );
}

function listCommand(cli: Cli): Command {
  return command('list', 'List the suppressed phone numbers.', 'carillon suppress list --json')
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withBooks(async ({ ledger }) => {
        if (options.json) return printItems(cli, (page) => listSuppressions(ledger, page));
        let listed = 0;
        for await (const items of eachPage((page) => listSuppressions(ledger, page))) {
          listed += items.length;
          await printLines(
            cli,
            items.map(({ phone, reason, created_at }) =>
              `${phone.padEnd(16)}  ${timeText(created_at)}  ${reason ?? ''}`.trimEnd(),
            ),
          );
        }
        if (listed === 0) cli.out('Nobody is suppressed.');
      }),
    );
}

function tell({ added, known, skipped }: Suppressed): string {
  const rows = counted(skipped, 'waiting row was skipped', 'waiting rows were skipped');
  return `${numbers(added)} suppressed${known > 0 ? `, ${count(known)} already on the list` : ''}; ${rows}.`;
}

function numbers(n: number): string {
  return counted(n, 'number');
}
