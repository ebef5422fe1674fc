import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Added, createAdder } from '../../../control/imports/add.ts';
import type { TriedImport } from '../../../control/imports/try.ts';
import { formatOf } from '../../../intake/list.ts';
import { isAddress } from '../../../intake/remote/address.ts';
import type { OpenAddress } from '../../../intake/remote/open.ts';
import { openSource } from '../../../intake/source.ts';
import { type BodyFormat, bodyFormats } from '../../../ledger/background/background.ts';
import { type OnKnown, onKnowns } from '../../../ledger/people/import.ts';
import { oneOf } from '../../closed-lists.ts';
import { type Cli, command } from '../../command-io.ts';
import { balanceLine, count, counted, knownWords, rejectWords, skipWords } from '../../output/summary.ts';
import { factLines } from '../../terminal/table.ts';

/** `carillon campaign add`: adds the people of a file to a campaign's list. */
type Flags = {
  map?: string;
  sheet?: string;
  country?: string;
  onKnown?: OnKnown;
  format?: BodyFormat;
  dryRun?: true;
  json?: true;
};

export function addCommand(cli: Cli): Command {
  return command(
    'add',
    'Add the people in a file to a campaign’s list, all or nothing. People who are already on it are not called twice.',
    'carillon campaign add march more.csv --dry-run\ncarillon campaign add march more.csv --country US',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .argument(
      '<file>',
      'a CSV, XLSX, JSON or NDJSON file, its https:// or s3:// address, or - for standard input',
    )
    .option(
      '--map <columns>',
      'which columns to read: phone=COL,name=COL,timezone=COL,state=COL,agent=COL, VARIABLE:TYPE=COL',
    )
    .option('--sheet <name>', 'the sheet of a workbook, by its name or its number (default: the first)')
    .option('--country <code>', 'country of numbers in national form, such as US (default: the campaign’s)')
    .addOption(
      oneOf(
        '--format <format>',
        'the format (default: from the file’s name; for standard input, from its text)',
        bodyFormats,
      ),
    )
    .addOption(
      oneOf(
        '--on-known <what>',
        'for people on the list who were not called yet: keep their columns, merge this file’s into them, or replace them (default: keep)',
        onKnowns,
      ),
    )
    .option('--dry-run', 'say what would happen, and store nothing')
    .option('--json', 'print one JSON document')
    .action((name: string, file: string, { map, sheet, country, onKnown, dryRun, ...flags }: Flags) =>
      cli.withLedger(async (opened) => {
        const { ledger, clock, config } = opened;
        const adder = createAdder({ ledger, clock, baseUrl: config.voice.baseUrl ?? '', door: 'cli' });
        const { opened: source, format: found } = isAddress(file)
          ? await (await import('../../../intake/remote/open.ts')).openAddress(file, config, { sheet })
          : await openFile(cli, file);
        try {
          const format = flags.format ?? found;
          const query = { map, sheet, country, on_known: onKnown, dry_run: dryRun && '1' };
          const { answer } = await adder.add(name, { source, format }, query);
          if (flags.json) return cli.json(answer);
          if (!('dry_run' in answer) && answer.hint) cli.note(answer.hint);
          for (const line of 'dry_run' in answer ? tellTried(answer) : tellAdded(answer)) cli.out(line);
        } finally {
          await source.handle.close();
        }
      }),
    );
}

async function openFile(cli: Cli, file: string): Promise<OpenAddress> {
  const opened = await openSource(
    file === '-' ? { stream: cli.io.stdin } : { path: resolve(cli.io.cwd, file) },
  );
  return { opened, format: await formatOf(file, opened) };
}

function tellAdded({ campaign, state, accepted, rejected, rejects, ...sums }: Added): string[] {
  const known = knownWords(sums, 'changed');
  return [
    `${campaign}: ${counted(accepted, 'row', 'rows')} accepted${known && ` (${known})`}, ${count(rejected)} rejected; the campaign is ${state}.`,
    ...tellRejects(rejects),
  ];
}

const mostTold = 5;

function tellRejects(rejects: Added['rejects']): string[] {
  const lines = rejects.slice(0, mostTold).map(({ row, reason }) => `  row ${row}: ${reason}`);
  return rejects.length > mostTold ? [...lines, '  ...'] : lines;
}

function tellTried(tried: TriedImport): string[] {
  const { mapping, rejected } = tried;
  const columns =
    mapping &&
    Object.entries(mapping).flatMap(([role, column]) =>
      typeof column === 'string' ? [`${role}=${column}`] : [],
    );
  const some = (n: number, words: string) => (n > 0 ? [`${count(n)} ${words}`] : []);
  const known = knownWords(tried, 'would change');
  const of = [...(known ? [known] : []), ...some(tried.suppressed, 'suppressed')].join(', ');
  return [
    `Nothing was stored. ${tried.campaign} would take:`,
    ...factLines([
      ['Columns', columns?.join(', ') ?? null],
      ['Read as', tried.encoding && `${tried.encoding}, separated by ${JSON.stringify(tried.delimiter)}`],
      ['Accepted', `${count(tried.accepted)}${of && ` (${of})`}`],
      ['Rejected', `${count(rejected)}${rejected > 0 ? ` (${rejectWords(tried)})` : ''}`],
      ['Then', balanceLine(tried.balance)],
      ['Skipped', skipWords(tried.skips) || null],
      ['Hint', tried.hint],
    ]),
    ...tellRejects(tried.rejects),
    ...tried.samples.map(
      ({ row, phone, name, timezones }) =>
        `  row ${row}: ${[phone, name, timezones.join(' or ')].filter(Boolean).join(', ')}`,
    ),
  ];
}
