import type { Command } from 'commander';
import { suppress, unsuppress } from '../../../control/suppressions/change.ts';
import { listSuppressions, type ShownSuppression } from '../../../control/suppressions/list.ts';
import { suppressionSources } from '../../../ledger/suppressions/suppressions.ts';
import { oneOf } from '../../closed-lists.ts';
import { type Cli, command, given } from '../../command-io.ts';
import { summaries } from '../../command-summaries.ts';
import { group } from '../../group.ts';
import { tellHungUp, waitFor } from '../../output/hang-up-words.ts';
import { eachPage, printItems, printLines } from '../../output/list.ts';
import { count, counted } from '../../output/summary.ts';
import { timeText } from '../../terminal/table.ts';
import { exportCommand, importCommand, tellSuppressed } from './files.ts';

/** `carillon suppress`: who must not be called, by any campaign or by one, from now on. */
export function suppressCommand(cli: Cli): Command {
  return group('suppress', summaries.suppress.does, 'carillon suppress add +14155550123', [
    addCommand(cli),
    removeCommand(cli),
    importCommand(cli),
    exportCommand(cli),
    listCommand(cli),
  ]);
}

type Flags = {
  campaign?: string;
  until?: string;
  reason?: string;
  hangUp?: true;
  allNumbers?: true;
  country?: string;
  json?: true;
};

function addCommand(cli: Cli): Command {
  return command(
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
    .option('--country <code>', 'country of numbers in national form, such as US')
    .option('--json', 'print one JSON document')
    .action((phones: string[], { json, hangUp, allNumbers, ...flags }: Flags) =>
      cli.withLedger(async (opened) => {
        const body = {
          phones,
          ...given(flags),
          ...(hangUp && { hang_up: true }),
          ...(allNumbers && { all_numbers: true }),
        };
        const { answer: done } = await suppress(opened, body, 'manual', waitFor(cli));
        if (json) return cli.json(done);
        cli.out(tellSuppressed(done));
        if (done.hang_ups) cli.out(tellHungUp(done.hang_ups));
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
    .option(
      '--campaign <name>',
      'lift the suppression for this campaign only (default: the one for every campaign)',
    )
    .option('--country <code>', 'country of numbers in national form, such as US')
    .option('--json', 'print one JSON document')
    .action((phones: string[], { json, ...flags }: Flags) =>
      cli.withLedger(async (opened) => {
        const done = await unsuppress(opened, { phones, ...given(flags) });
        if (json) return cli.json(done);
        const rest = done.unknown > 0 ? `, ${count(done.unknown)} not on it` : '';
        cli.out(`${numbers(done.removed)} removed from the list${rest}.`);
      }),
    );
}

type ListFlags = { phone?: string[]; source?: string; campaign?: string; country?: string; json?: true };

function listCommand(cli: Cli): Command {
  return command(
    'list',
    'List the suppressed phone numbers, or search them.',
    'carillon suppress list --phone +14155550123\ncarillon suppress list --source opt-out --json',
  )
    .option('--phone <phone...>', 'only these phone numbers')
    .addOption(oneOf('--source <source>', 'only those with this source', suppressionSources))
    .option('--campaign <name>', 'only those of this campaign')
    .option('--country <code>', 'country of numbers in national form, such as US')
    .option('--json', 'print one JSON document')
    .action(({ json, ...flags }: ListFlags) =>
      cli.withLedger(async ({ ledger, clock }) => {
        const read = (page: object) => listSuppressions(ledger, { ...given(flags), ...page });
        if (json) return printItems(cli, read);
        let listed = 0;
        for await (const items of eachPage(read)) {
          listed += items.length;
          await printLines(
            cli,
            items.map((item) => lineOf(item, clock.now())),
          );
        }
        if (listed > 0) return;
        cli.out(Object.keys(flags).length > 0 ? 'Nobody on the list matches.' : 'Nobody is suppressed.');
      }),
    );
}

function lineOf(
  { phone, source, campaign, until, reason, created_at }: ShownSuppression,
  now: number,
): string {
  const notes = [
    campaign === null ? null : `only ${campaign}`,
    until === null ? null : `${until.getTime() <= now ? 'ended' : 'until'} ${timeText(until)}`,
    reason,
  ];
  const told = notes.filter((note) => note !== null).join('; ');
  return `${phone.padEnd(16)}  ${timeText(created_at)}  ${source.padEnd(7)}  ${told}`.trimEnd();
}

function numbers(n: number): string {
  return counted(n, 'number');
}
