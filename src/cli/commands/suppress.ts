import { isAbsolute, resolve } from 'node:path';
import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { openCsv } from '../../intake/csv.ts';
import { parseCountry, parseMap } from '../../intake/options.ts';
import type { People } from '../../ledger/people/verbs.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { type Cli, command } from '../cli.ts';
import { group } from '../group.ts';
import { count } from '../output/summary.ts';
import { timeText } from '../output/table.ts';

/** `carillon suppress`: who must not be called, by any campaign, from this moment on. */
const page = 1_000;
const mostNotes = 20;

export function suppressCommand(cli: Cli): Command {
  return group(
    'suppress',
    'Keep the list of people who must not be called.',
    'carillon suppress add +14155550123',
    [addCommand(cli), removeCommand(cli), importCommand(cli), listCommand(cli)],
  );
}

type Flags = { reason?: string; country?: string; map?: string; json?: true };

function addCommand(cli: Cli): Command {
  return command(
    'add',
    'Suppress phone numbers; acts at once, on every campaign.',
    'carillon suppress add +14155550123 +14155550124 --reason "asked by letter"',
  )
    .argument('<phone...>', 'phone numbers')
    .option('--reason <text>', 'why, for whoever reads the list')
    .option('--country <code>', 'how numbers in national form are read, for example US')
    .option('--json', 'print one JSON document')
    .action((words: string[], flags: Flags) => {
      const phones = readPhones(words, flags.country);
      return cli.withBooks(async ({ ledger }) => {
        const { added, skipped } = await ledger.people.suppress(phones, flags.reason ?? null);
        if (flags.json) return cli.json({ phones, added, known: phones.length - added, skipped });
        cli.out(tell(phones.length, added, skipped));
      });
    });
}

function removeCommand(cli: Cli): Command {
  return command(
    'remove',
    'Take phone numbers off the list; rows that were skipped stay skipped.',
    'carillon suppress remove +14155550123',
  )
    .argument('<phone...>', 'phone numbers')
    .option('--country <code>', 'how numbers in national form are read, for example US')
    .option('--json', 'print one JSON document')
    .action((words: string[], flags: Flags) => {
      const phones = readPhones(words, flags.country);
      return cli.withBooks(async ({ ledger }) => {
        const removed = await ledger.people.unsuppress(phones);
        if (flags.json) return cli.json({ phones, removed, unknown: phones.length - removed });
        const rest = phones.length - removed;
        cli.out(`${numbers(removed)} taken off the list${rest > 0 ? `, ${count(rest)} not on it` : ''}.`);
      });
    });
}

function importCommand(cli: Cli): Command {
  return command(
    'import',
    'Suppress every phone number of a CSV file.',
    'carillon suppress import do-not-call.csv --reason "register of March"',
  )
    .argument('<file>', 'a CSV file with a header row, or - for stdin')
    .option('--map <phone=COL>', 'which column holds the phone numbers')
    .option('--reason <text>', 'why, for whoever reads the list')
    .option('--country <code>', 'how numbers in national form are read, for example US')
    .option('--json', 'print one JSON document')
    .action((file: string, flags: Flags) => {
      const country = flags.country === undefined ? undefined : parseCountry(flags.country);
      const map = flags.map === undefined ? undefined : parseMap(flags.map);
      return cli.withBooks(async ({ ledger }) => {
        const done = await importFile(cli, ledger.people, file, {
          country,
          map,
          reason: flags.reason ?? null,
        });
        if (flags.json) return cli.json({ file, ...done });
        cli.out(tell(done.phones, done.added, done.skipped));
        if (done.rejected > 0)
          cli.out(`${count(done.rejected)} rows could not be read and are not suppressed.`);
      });
    });
}

type Import = {
  country: string | undefined;
  map: ReturnType<typeof parseMap> | undefined;
  reason: string | null;
};

/** A row that cannot be read may be somebody who must not be called: it is said aloud, with its line. */
async function importFile(cli: Cli, people: People, file: string, { country, map, reason }: Import) {
  const source =
    file === '-' ? { stream: cli.io.stdin } : { path: isAbsolute(file) ? file : resolve(cli.io.cwd, file) };
  const intake = await openCsv(source, { country, map });
  const done = { phones: 0, added: 0, known: 0, skipped: 0, rejected: 0 };
  for await (const { accepted, rejected } of intake.batches) {
    // Standing twice in the list is no fault of a row here.
    const broken = rejected.filter((row) => !row.reason.startsWith('duplicate of '));
    for (const { row, reason } of broken) {
      if (done.rejected < mostNotes) cli.note(`Line ${row}: ${reason}.`);
      done.rejected += 1;
    }
    const phones = accepted.map((row) => row.phone);
    if (phones.length === 0) continue;
    const { added, skipped } = await people.suppress(phones, reason);
    done.phones += phones.length;
    done.added += added;
    done.known += phones.length - added;
    done.skipped += skipped;
  }
  if (done.rejected > mostNotes)
    cli.note(`${count(done.rejected - mostNotes)} more lines could not be read.`);
  return done;
}

function listCommand(cli: Cli): Command {
  return command('list', 'List the suppressed phone numbers.', 'carillon suppress list --json')
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withBooks(async ({ ledger }) => {
        // A list may be longer than the memory: it is written as it is read.
        if (options.json) cli.io.stdout.write('{"suppressions":[');
        let listed = 0;
        for (let after = ''; ; ) {
          const rows = await ledger.people.suppressions(after, page);
          for (const { phone, reason, createdAt } of rows) {
            if (options.json) {
              const entry = JSON.stringify({ phone, reason, created_at: createdAt });
              cli.io.stdout.write(listed > 0 ? `,${entry}` : entry);
            } else cli.out(`${phone.padEnd(16)}  ${timeText(createdAt)}  ${reason ?? ''}`.trimEnd());
            listed += 1;
          }
          const last = rows.at(-1);
          if (!last || rows.length < page) break;
          after = last.phone;
        }
        if (options.json) cli.io.stdout.write(']}\n');
        else if (listed === 0) cli.out('Nobody is suppressed.');
      }),
    );
}

/** All of them or none: a number that was mistyped must not pass for one that was suppressed. */
function readPhones(words: readonly string[], code: string | undefined): string[] {
  const country = code === undefined ? undefined : parseCountry(code);
  const phones = words.map((word) => {
    const reading = readPhone(word, country);
    if (reading.ok) return reading.phone;
    throw new CarillonError('usage-invalid', `Nothing was changed: ${reading.reason}`, {
      remedy: 'Write the number with its "+" and country code, for example +14155550123.',
    });
  });
  return [...new Set(phones)];
}

function tell(phones: number, added: number, skipped: number): string {
  const known = phones - added;
  const rows = skipped === 1 ? '1 waiting row was skipped' : `${count(skipped)} waiting rows were skipped`;
  return `${numbers(added)} suppressed${known > 0 ? `, ${count(known)} already on the list` : ''}; ${rows}.`;
}

function numbers(n: number): string {
  return n === 1 ? '1 number' : `${count(n)} numbers`;
}
