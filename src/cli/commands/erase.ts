import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { countErased, type ErasedPerson, erasePerson } from '../../control/people/erase.ts';
import {
  type ForgottenSecret,
  forgetSecret,
  mostCounted,
  setKeep,
  showForgotten,
} from '../../control/people/keep.ts';
import type { LedgerOnly } from '../../ledger-only.ts';
import { type Cli, given, topCommand } from '../command-io.ts';
import { agrees } from '../confirm.ts';
import { counted } from '../output/summary.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon erase`: forgets one person in every campaign, and never calls them again. */
type Flags = {
  country?: string;
  lift?: true;
  keepDays?: string;
  forgetSecret?: true;
  yes?: true;
  json?: true;
};

export function eraseCommand(cli: Cli): Command {
  return topCommand(
    'erase',
    'carillon erase +14155550123 --yes\ncarillon erase +14155550123 --lift\ncarillon erase --keep-days 90\ncarillon erase --forget-secret',
  )
    .argument('[phone]', 'the person’s phone in any form, or the id of one of their calls')
    .option('--country <code>', 'country of a number in national form, such as US')
    .option('--lift', 'let the person be called again; the erased data stays erased')
    .option(
      '--keep-days <n>',
      'instead of a phone: from now on erase what people said this many days after their row has ended; `forever` keeps all',
    )
    .option(
      '--forget-secret',
      'instead of a phone: forget who was erased under a CARILLON_SECRET that is lost for good',
    )
    .option('--yes', 'do not ask (required in scripts)')
    .option('--json', 'print one JSON document')
    .action((phone: string | undefined, typed: Flags) =>
      cli.withLedger(async (opened) => {
        if (typed.keepDays !== undefined) return keep(cli, opened, phone, typed);
        if (typed.forgetSecret) return forget(cli, opened, phone, typed);
        const { json, yes, forgetSecret: _, keepDays: __, ...flags } = typed;
        if (phone === undefined) throw usage('No phone to erase was given', 'Write the phone after `erase`.');
        const body = { phone, ...given(flags) };
        if (!yes && !flags.lift) {
          const { people, campaigns } = await countErased(opened.ledger, body);
          const what = `${counted(people, 'row')} of ${counted(campaigns, 'campaign')}`;
          const question = `Erase ${phone}, with everything that ${what} say about the person? This cannot be undone.`;
          if (!(await agrees(cli, question))) {
            cli.out('Nothing was erased.');
            return;
          }
        }
        const { answer } = await erasePerson(opened, body);
        if (json) cli.json(answer);
        else for (const line of flags.lift ? liftLines(answer) : erasedLines(answer)) cli.out(line);
      }),
    );
}

async function keep(cli: Cli, opened: LedgerOnly, phone: string | undefined, flags: Flags): Promise<void> {
  alone('--keep-days', phone, flags, flags.forgetSecret);
  const days = flags.keepDays === 'forever' ? null : Number(flags.keepDays);
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= 36_500))
    throw usage('--keep-days must be a whole number of days, 1 to 36500, or `forever`', 'Write it as 90.');
  const { people } = await setKeep(opened, { days, dry_run: true });
  const kept = days === null ? 'for ever' : `for ${counted(days, 'day')}`;
  if (people > 0 && !flags.yes) {
    const many = people >= mostCounted ? 'or more ' : '';
    const question = `Erase what ${counted(people, 'person', 'people')} ${many}said, as it is older? This cannot be undone.`;
    if (!(await agrees(cli, question))) {
      cli.out('Nothing was changed.');
      return;
    }
  }
  const done = await setKeep(opened, { days, confirm: people });
  if (flags.json) return cli.json(done);
  cli.out(`What people said is kept ${kept}.`);
  if (done.people > 0) cli.out('Workers erase what is older: keep `carillon up` or a worker running.');
}

function alone(option: string, phone: string | undefined, { country, lift }: Flags, other?: true): void {
  if (phone === undefined && country === undefined && !lift && !other) return;
  throw usage(
    `${option} stands alone: without a phone, --country, --lift and the like`,
    'Leave out the phone and the other options.',
  );
}

async function forget(cli: Cli, opened: LedgerOnly, phone: string | undefined, flags: Flags): Promise<void> {
  const { yes, json } = flags;
  alone('--forget-secret', phone, flags);
  const lost = await showForgotten(opened);
  if (lost.people > 0 && !yes) {
    const question = 'Is that secret lost for good? This cannot be undone.';
    if (!(await agrees(cli, question, { first: costLines(lost) }))) {
      cli.out('Nothing was changed.');
      return;
    }
  }
  const done = lost.people > 0 ? await forgetSecret(opened, { people: lost.people }) : lost;
  if (json) return cli.json(done);
  if (done.people === 0) return cli.out('Nobody was erased under another secret. Nothing was changed.');
  for (const line of costLines(done)) cli.out(line);
  cli.out('Running processes call again within seconds. Now erase again everyone you still know of.');
}

function costLines({ people, pending, suppressed }: ForgottenSecret): string[] {
  const lines = [
    `${counted(people, 'person was', 'people were')} erased under another CARILLON_SECRET. Without it nobody knows who they were, so they are called if they are on a list or ordered as a single call. The erased data stays erased.`,
  ];
  if (suppressed > 0)
    lines.push(
      `${counted(suppressed, 'of them was', 'of them were')} also suppressed; those suppressions are lost too.`,
    );
  if (pending > 0)
    lines.push(
      `${counted(pending, 'of them was', 'of them were')} not completely erased: rows whose call had not ended keep their data.`,
    );
  return lines;
}

function usage(why: string, remedy: string): CarillonError {
  return new CarillonError('usage-invalid', why, { remedy });
}

function erasedLines({ people, campaigns, pending }: ErasedPerson): string[] {
  const rows =
    people > 0
      ? `${counted(people, 'row')} erased; the person is on ${counted(campaigns, 'campaign')}.`
      : campaigns > 0
        ? `${pending?.attempts ? 'Nothing is erased yet' : 'Nothing new to erase'}; the person is on ${counted(campaigns, 'campaign')}.`
        : 'No campaign has this person.';
  const lines = [`${rows} The person is not called again.`];
  if (pending && pending.attempts > 0) {
    const until = pending.until ? `, at the latest after ${timeText(pending.until)}` : '';
    lines.push(
      `${counted(pending.attempts, 'attempt')} not over yet: the rest is erased when the call has ended${until}. Workers do it: keep \`carillon up\` running.`,
    );
  } else if (pending) {
    lines.push('An import is still running; rows of the person that it brings in are erased when it ends.');
  }
  lines.push(
    'Not erased: result files that were written before, backups, and what the service keeps. See docs/guides/privacy.md.',
  );
  return lines;
}

function liftLines({ lifted }: ErasedPerson): string[] {
  if (!lifted) return ['This person was not erased, or is still being erased. Nothing was changed.'];
  return ['The person may be called again. The erased data stays erased; a suppression still holds.'];
}
