import type { Command } from 'commander';
import { countErased, type ErasedPerson, erasePerson } from '../../control/people/erase.ts';
import { agrees } from '../agree.ts';
import { type Cli, command, given } from '../cli.ts';
import { counted } from '../output/summary.ts';
import { timeText } from '../output/table.ts';

/** `carillon erase`: forgets one person in every campaign, and never calls them again. */
type Flags = { country?: string; lift?: true; yes?: true; json?: true };

export function eraseCommand(cli: Cli): Command {
  return command(
    'erase',
    'Erase a person in every campaign: phone, name, input, transcripts and history. This cannot be undone. The person is not called again.',
    'carillon erase +14155550123 --yes\ncarillon erase +14155550123 --lift',
  )
    .argument('<phone>', 'the person’s phone in any form, or the id of one of their calls')
    .option('--country <code>', 'country of a number in national form, such as US')
    .option('--lift', 'let the person be called again; what was erased stays erased')
    .option('--yes', 'do not ask on a terminal')
    .option('--json', 'print one JSON document')
    .action((phone: string, { json, yes, ...flags }: Flags) =>
      cli.withBooks(async (books) => {
        const body = { phone, ...given(flags) };
        if (!yes && !flags.lift) {
          const { people, campaigns } = await countErased(books.ledger, body);
          const what = `${counted(people, 'row')} of ${counted(campaigns, 'campaign')}`;
          const question = `Erase ${phone}, with everything that ${what} say of the person? This cannot be undone.`;
          if (!(await agrees(cli, question))) {
            cli.out('Nothing was erased.');
            return;
          }
        }
        const { answer } = await erasePerson(books, body);
        if (json) cli.json(answer);
        else for (const line of flags.lift ? liftLines(answer) : erasedLines(answer)) cli.out(line);
      }),
    );
}

function erasedLines({ people, campaigns, pending }: ErasedPerson): string[] {
  const rows =
    people > 0
      ? `${counted(people, 'row')} erased; the person is on ${counted(campaigns, 'campaign')}.`
      : campaigns > 0
        ? `Nothing new to erase; the person is on ${counted(campaigns, 'campaign')}.`
        : 'No campaign has this person.';
  const lines = [`${rows} The person is not called again.`];
  if (pending && pending.attempts > 0) {
    const until = pending.until ? `, at the latest after ${timeText(pending.until)}` : '';
    lines.push(
      `${counted(pending.attempts, 'attempt')} not over yet: the rest is erased when the call has ended${until}. Workers do it: keep \`carillon up\` running.`,
    );
  } else if (pending) {
    lines.push('An import is still running; what it brings in of the person is erased when it ends.');
  }
  lines.push(
    'Not erased: result files that were written before, backups, and what the service keeps. See docs/guides/privacy.md.',
  );
  return lines;
}

function liftLines({ lifted }: ErasedPerson): string[] {
  if (!lifted) return ['This person was not erased, or is still being erased. Nothing was changed.'];
  return ['The person may be called again. What was erased stays erased; a suppression still holds.'];
}
