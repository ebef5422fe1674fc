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
import { besideRows, type Cli, type Command, command, given, pathOf } from '../command-io.ts';
import { group } from '../group.ts';
import { tellHungUp, waitFor } from '../output/hang-up-words.ts';
import { count, counted } from '../output/summary.ts';
import { listing, onLedger } from '../reporting.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon suppress`: who must not be called, by any campaign or by one, from now on. */
export function suppressCommand(cli: Cli): Command {
  return group('suppress', 'carillon suppress add +14155550123', [
    addCommand(cli),
    removeCommand(cli),
    importCommand(cli),
    exportCommand(cli),
    listCommand(cli),
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

function addCommand(cli: Cli): Command {
  const made = command(
    'add',
    'Suppress phone numbers at once, for every campaign or one.',
    'carillon suppress add +14155550123 +14155550124 --reason "asked by letter"\ncarillon suppress add +14155550123 --campaign march --until 30d',
  )
    .argument('<phone...>', 'phone numbers')
    .option('--campaign <name>', 'suppress them for this campaign only (default: for every campaign)')
    .option('--until <time>', 'when it ends: a time, a date, or a span such as 30d (default: never)')
    .option('--reason <text>', 'why, for anyone who reads the list')
    .option('--hang-up', 'end their calls in progress too')
    .option('--all-numbers', 'also the other numbers of the people who have one of these phones')
    .option('--country <code>', 'country of numbers in national form, such as US');
  return onLedger(cli, made, {
    async find(opened, phones: string[], flags: AddFlags) {
      const { campaign, until, reason, country, hangUp: hang_up, allNumbers: all_numbers } = flags;
      const body = { phones, ...given({ campaign, until, reason, country, hang_up, all_numbers }) };
      return (await suppress(opened, body, 'manual', waitFor(cli))).answer;
    },
    tell: tellSuppressed,
  });
}

function tellSuppressed({ added, known, skipped, hang_ups: hangUps }: Suppressed): string[] {
  const rows = counted(skipped, 'waiting row was skipped', 'waiting rows were skipped');
  const rest = known > 0 ? `, ${count(known)} already on the list` : '';
  const told = `${counted(added, 'number')} suppressed${rest}; ${rows}.`;
  return hangUps ? [told, tellHungUp(hangUps)] : [told];
}

function removeCommand(cli: Cli): Command {
  const made = command(
    'remove',
    'Remove phone numbers from the list; rows that were skipped stay skipped.',
    'carillon suppress remove +14155550123',
  )
    .argument('<phone...>', 'phone numbers')
    .option(
      '--campaign <name>',
      'lift the suppression for this campaign only (default: the one for every campaign)',
    )
    .option('--country <code>', 'country of numbers in national form, such as US');
  return onLedger(cli, made, {
    find: (opened, phones: string[], { campaign, country }: Pick<AddFlags, 'campaign' | 'country'>) =>
      unsuppress(opened, { phones, ...given({ campaign, country }) }),
    tell({ removed, unknown }) {
      const rest = unknown > 0 ? `, ${count(unknown)} not on it` : '';
      return `${counted(removed, 'number')} removed from the list${rest}.`;
    },
  });
}

const mostNotes = 20;

type ImportFlags = Pick<AddFlags, 'campaign' | 'reason' | 'country' | 'hangUp'> & {
  map?: string;
  sheet?: string;
};

function importCommand(cli: Cli): Command {
  const made = command(
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
    .option('--hang-up', 'end their calls in progress too');
  return onLedger(cli, made, {
    async find(opened, file: string, { map, sheet, campaign, reason, country, hangUp }: ImportFlags) {
      const source = await openSource(file === '-' ? { stream: cli.io.stdin } : { path: pathOf(cli, file) });
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
  });
}

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

function listCommand(cli: Cli): Command {
  const made = command(
    'list',
    'List the suppressed phone numbers, or search them.',
    'carillon suppress list --phone +14155550123\ncarillon suppress list --source opt-out --json',
  )
    .option('--phone <phone...>', 'only these phone numbers')
    .addOption(oneOf('--source <source>', 'only those with this source', suppressionSources))
    .option('--campaign <name>', 'only those of this campaign')
    .option('--country <code>', 'country of numbers in national form, such as US');
  return listing(cli, made, {
    read: ({ ledger }, page, { phone, source, campaign, country }: ListFlags) =>
      listSuppressions(ledger, { ...given({ phone, source, campaign, country }), ...page }),
    none: ([flags]) =>
      Object.keys(flags).length > 0 ? 'Nobody on the list matches.' : 'Nobody is suppressed.',
    draw: lineOf,
  });
}

function lineOf({ phone, source, campaign, until, reason, created_at }: ShownSuppression): string {
  const notes = [
    campaign === null ? null : `only ${campaign}`,
    until === null ? null : `${until.getTime() <= Date.now() ? 'ended' : 'until'} ${timeText(until)}`,
    reason,
  ];
  const told = notes.filter((note) => note !== null).join('; ');
  return `${phone.padEnd(16)}  ${timeText(created_at)}  ${source.padEnd(7)}  ${told}`.trimEnd();
}
