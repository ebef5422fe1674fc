import {
  exportSuppressions,
  listSuppressions,
  type ShownSuppression,
  type Suppressed,
  suppress,
  unsuppress,
} from '../../control/suppressions/change.ts';
import { suppressFile } from '../../control/suppressions/import.ts';
import { formatOf } from '../../intake/list.ts';
import { openSource } from '../../intake/source.ts';
import { suppressionSources } from '../../ledger/suppressions/suppressions.ts';
import { oneOf } from '../closed-lists.ts';
import { besideRows, type Cli, type Command, command, given, group, pathOf } from '../command-io.ts';
import { tellHungUp, waitFor } from '../output/hang-up-words.ts';
import { count, counted } from '../output/summary.ts';
import { listing, onLedger } from '../reporting.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon suppress`: who must not be called, by any campaign or by one, from now on. */
export function suppressCommand(cli: Cli): Command {
  return group('suppress', 'carillon suppress add +14155550123', [
    onLedger(cli, {
      name: 'add',
      does: 'Suppress phone numbers at once, for every campaign or one.',
      example:
        'carillon suppress add +14155550123 +14155550124 --reason "asked by letter"\ncarillon suppress add +14155550123 --campaign march --until 30d',
      takes: [
        ['<phone...>', 'phone numbers'],
        ['--campaign <name>', 'suppress them for this campaign only (default: for every campaign)'],
        ['--until <time>', 'when it ends: a time, a date, or a span such as 30d (default: never)'],
        ['--reason <text>', 'why, for anyone who reads the list'],
        ['--hang-up', 'end their calls in progress too'],
        ['--all-numbers', 'also the other numbers of the people who have one of these phones'],
        ['--country <code>', 'country of numbers in national form, such as US'],
      ],
      async find(opened, phones: string[], flags: AddFlags) {
        const { campaign, until, reason, country, hangUp: hang_up, allNumbers: all_numbers } = flags;
        const body = { phones, ...given({ campaign, until, reason, country, hang_up, all_numbers }) };
        return (await suppress(opened, body, 'manual', waitFor(cli))).answer;
      },
      tell: tellSuppressed,
    }),
    onLedger(cli, {
      name: 'remove',
      does: 'Remove phone numbers from the list; rows that were skipped stay skipped.',
      example: 'carillon suppress remove +14155550123',
      takes: [
        ['<phone...>', 'phone numbers'],
        [
          '--campaign <name>',
          'lift the suppression for this campaign only (default: the one for every campaign)',
        ],
        ['--country <code>', 'country of numbers in national form, such as US'],
      ],
      find: (opened, phones: string[], { campaign, country }: Pick<AddFlags, 'campaign' | 'country'>) =>
        unsuppress(opened, { phones, ...given({ campaign, country }) }),
      tell({ removed, unknown }) {
        const rest = unknown > 0 ? `, ${count(unknown)} not on it` : '';
        return `${counted(removed, 'number')} removed from the list${rest}.`;
      },
    }),
    onLedger(cli, {
      name: 'import',
      does: 'Suppress every phone number of a CSV file or a workbook.',
      example:
        'carillon suppress import do-not-call.csv --reason "register of March"\ncarillon suppress import register.csv --map phone=NUMBER,until=EXPIRES',
      takes: [
        ['<file>', 'a CSV file with a header row, an .xlsx workbook, or - for standard input'],
        ['--map <columns>', 'which column is which: phone=COL,reason=COL,until=COL'],
        ['--sheet <name>', 'the sheet of a workbook, by its name or its number; needed if it has several'],
        ['--campaign <name>', 'suppress them for this campaign only (default: for every campaign)'],
        ['--reason <text>', 'why, for rows without a reason of their own'],
        ['--country <code>', 'country of numbers in national form, such as US'],
        ['--hang-up', 'end their calls in progress too'],
      ],
      async find(opened, file: string, { map, sheet, campaign, reason, country, hangUp }: ImportFlags) {
        const source = await openSource(
          file === '-' ? { stream: cli.io.stdin } : { path: pathOf(cli, file) },
        );
        let told = 0;
        const wanted = given({ map, sheet, campaign, reason, country, hang_up: hangUp && '1' });
        const note = (row: number, why: string) => {
          if (told++ < mostNotes) cli.note(`Line ${row}: ${why}.`);
        };
        try {
          const format = await formatOf(file, source);
          const done = await suppressFile(opened, { source, format }, wanted, note, waitFor(cli));
          // A number that was not read may be called.
          if (done.rejected > 0) cli.exit(3);
          return { file, ...done };
        } finally {
          await source.handle.close();
          if (told > mostNotes)
            cli.note(`${counted(told - mostNotes, 'more line', 'more lines')} could not be read.`);
        }
      },
      tell(done) {
        if (done.hint) cli.note(done.hint);
        const unread = `${counted(done.rejected, 'row')} could not be read and ${done.rejected === 1 ? 'is' : 'are'} not suppressed.`;
        return [...tellSuppressed(done), ...(done.rejected > 0 ? [unread] : [])];
      },
    }),
    exportCommand(cli),
    listing(cli, {
      name: 'list',
      does: 'List the suppressed phone numbers, or search them.',
      example: 'carillon suppress list --phone +14155550123\ncarillon suppress list --source opt-out --json',
      takes: [
        ['--phone <phone...>', 'only these phone numbers'],
        oneOf('--source <source>', 'only those with this source', suppressionSources),
        ['--campaign <name>', 'only those of this campaign'],
        ['--country <code>', 'country of numbers in national form, such as US'],
      ],
      read: ({ ledger }, page, { phone, source, campaign, country }: ListFlags) =>
        listSuppressions(ledger, { ...given({ phone, source, campaign, country }), ...page }),
      none: ([flags]) =>
        Object.keys(flags).length > 0 ? 'Nobody on the list matches.' : 'Nobody is suppressed.',
      draw: lineOf,
    }),
  ]);
}

type AddFlags = {
  campaign?: string;
  until?: string;
  reason?: string;
  hangUp?: true;
  allNumbers?: true;
  country?: string;
};

function tellSuppressed({ added, known, skipped, hang_ups: hangUps }: Suppressed): string[] {
  const rows = counted(skipped, 'waiting row was skipped', 'waiting rows were skipped');
  const rest = known > 0 ? `, ${count(known)} already on the list` : '';
  const told = `${counted(added, 'number')} suppressed${rest}; ${rows}.`;
  return hangUps ? [told, tellHungUp(hangUps)] : [told];
}

const mostNotes = 20;

type ImportFlags = Pick<AddFlags, 'campaign' | 'reason' | 'country' | 'hangUp'> & {
  map?: string;
  sheet?: string;
};

function exportCommand(cli: Cli): Command {
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

type ListFlags = { phone?: string[]; source?: string; campaign?: string; country?: string };

function lineOf({ phone, source, campaign, until, reason, created_at }: ShownSuppression): string {
  const notes = [
    campaign === null ? null : `only ${campaign}`,
    until === null ? null : `${until.getTime() <= Date.now() ? 'ended' : 'until'} ${timeText(until)}`,
    reason,
  ];
  const told = notes.filter((note) => note !== null).join('; ');
  return `${phone.padEnd(16)}  ${timeText(created_at)}  ${source.padEnd(7)}  ${told}`.trimEnd();
}
