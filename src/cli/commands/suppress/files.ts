import type { Command } from 'commander';
import type { Suppressed } from '../../../control/suppressions/change.ts';
import { suppressFile } from '../../../control/suppressions/import.ts';
import { exportSuppressions } from '../../../control/suppressions/list.ts';
import { formatOf } from '../../../intake/json-list.ts';
import { openSource } from '../../../intake/source.ts';
import { besideRows, type Cli, command, given, pathOf } from '../../command-io.ts';
import { tellHungUp, waitFor } from '../../output/hang-up-words.ts';
import { count, counted } from '../../output/summary.ts';

/** `carillon suppress import` and `export`: the list of suppressed phones as a CSV file. */
const mostNotes = 20;

type Flags = {
  campaign?: string;
  reason?: string;
  country?: string;
  map?: string;
  sheet?: string;
  hangUp?: true;
  json?: true;
};

export function importCommand(cli: Cli): Command {
  return command(
    'import',
    'Suppress every phone number of a CSV file or a workbook.',
    'carillon suppress import do-not-call.csv --reason "register of March"\ncarillon suppress import register.csv --map phone=NUMBER,until=EXPIRES',
  )
    .argument('<file>', 'a CSV file with a header row, an .xlsx workbook, or - for standard input')
    .option('--map <columns>', 'which column is which: phone=COL,reason=COL,until=COL')
    .option('--sheet <name>', 'the sheet of a workbook, by its name or its number; needed if it has several')
    .option('--campaign <name>', 'suppress them for this campaign only (default: for every campaign)')
    .option('--reason <text>', 'why, for rows without a reason of their own')
    .option('--country <code>', 'country of numbers in national form, such as US')
    .option('--hang-up', 'end their calls in progress too')
    .option('--json', 'print one JSON document')
    .action((file: string, { json, hangUp, ...flags }: Flags) =>
      cli.withLedger(async (opened) => {
        const source = await openSource(
          file === '-' ? { stream: cli.io.stdin } : { path: pathOf(cli, file) },
        );
        let told = 0;
        const wanted = { ...given(flags), ...(hangUp ? { hang_up: true } : {}) };
        const note = (row: number, reason: string) => {
          if (told++ < mostNotes) cli.note(`Line ${row}: ${reason}.`);
        };
        const format = await formatOf(file, source);
        const done = await suppressFile(opened, { source, format }, wanted, note, waitFor(cli)).finally(
          async () => {
            await source.handle.close();
            if (told > mostNotes)
              cli.note(`${counted(told - mostNotes, 'more line', 'more lines')} could not be read.`);
          },
        );
        // A number that was not read may be called.
        if (done.rejected > 0) cli.exit(3);
        if (json) return cli.json({ file, ...done });
        if (done.hint) cli.note(done.hint);
        cli.out(tellSuppressed(done));
        if (done.hang_ups) cli.out(tellHungUp(done.hang_ups));
        if (done.rejected > 0)
          cli.out(
            `${counted(done.rejected, 'row')} could not be read and ${done.rejected === 1 ? 'is' : 'are'} not suppressed.`,
          );
      }),
    );
}

export function exportCommand(cli: Cli): Command {
  return command(
    'export',
    'Write the list as CSV, in the form that `suppress import` reads.',
    'carillon suppress export do-not-call.csv',
  )
    .argument('<file>', 'where to, or - for standard output')
    .option('--json', 'print one JSON document; with - on stderr')
    .action((file: string, { json }: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const target = file === '-' ? { stream: cli.io.stdout } : { path: pathOf(cli, file) };
        const rows = await exportSuppressions(ledger, target);
        const told = file === '-' ? besideRows(cli) : cli;
        if (json) told.json({ out: file, rows });
        else told.out(`${counted(rows, 'number')} written to ${file === '-' ? 'standard output' : file}.`);
      }),
    );
}

export function tellSuppressed({ added, known, skipped }: Suppressed): string {
  const rows = counted(skipped, 'waiting row was skipped', 'waiting rows were skipped');
  const rest = known > 0 ? `, ${count(known)} already on the list` : '';
  return `${counted(added, 'number')} suppressed${rest}; ${rows}.`;
}
