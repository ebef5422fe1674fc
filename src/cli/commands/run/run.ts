import { statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { CarillonError } from '../../../base/errors.ts';
import { notesOn, readOrder } from '../../../control/order/order.ts';
import { sayIssue } from '../../../control/requests/field-issues.ts';
import { campaignName } from '../../../control/requests/input.ts';
import { attemptsPath, rejectedPath } from '../../../export/csv.ts';
import { formatOf } from '../../../export/results.ts';
import { parseMap } from '../../../intake/columns.ts';
import { isAddress, nameOfAddress, shownAddress } from '../../../intake/remote/address.ts';
import { aFolder } from '../../../intake/source.ts';
import { oneOf } from '../../closed-lists.ts';
import { besideRows, type Cli, type Command, required, topCommand } from '../../command-io.ts';
import { addOrderFlags, orderOf } from '../../flags.ts';
import { refuseOtherHome } from '../../sudo-home.ts';
import type { RunOrder } from './input.ts';
import { commandAgain } from './words.ts';

/** `carillon run`: a list in, calls out, results in a file, in one command that can be started again. */
type Flags = {
  agent?: string[];
  name?: string;
  map?: string;
  sheet?: string;
  out?: string;
  attempts?: boolean;
  limit?: number;
  on402: 'wait' | 'exit';
  dryRun?: boolean;
  new?: boolean;
  yes?: boolean;
  json?: boolean;
  quiet?: boolean;
};

const example = `carillon run people.csv --agent agent_123 --from +14155550100 --country US
carillon run people.csv --agent agent_123 --dry-run
carillon run people.csv --agent agent_123 --window 09:00-20:00 --days mon-fri --max-attempts 3 --retry no-answer=30m,busy=10m`;

export function runCommand(cli: Cli): Command {
  const run = topCommand('run', example).argument(
    '<file>',
    'a CSV file with a header row, an .xlsx workbook, a .json array or .ndjson, its https:// or s3:// address, or - for standard input',
  );
  return addOrderFlags(run)
    .option(
      '--name <name>',
      'the campaign’s name (default: the file’s name, with the sheet’s if --sheet is given)',
    )
    .option(
      '--map <columns>',
      'which column is which: phone=COL (again for a person’s other numbers),name=COL,timezone=COL,state=COL,agent=COL; VARIABLE:TYPE=COL for a variable that is text, number, boolean or json',
    )
    .option('--sheet <name>', 'the sheet of a workbook, by its name or its number (default: the first)')
    .option('--limit <n>', 'end this run after this many new calls', wholeNumber)
    .addOption(
      oneOf('--on-402 <what>', 'when the account has no credit: wait for it, or exit', [
        'wait',
        'exit',
      ]).default('wait'),
    )
    .option(
      '--out <file>',
      'results as .csv, .ndjson or .parquet, also at an s3:// address (default: <name>.results.csv); - is stdout, as CSV, and everything else goes to stderr',
    )
    .option('--attempts', 'also write one row per attempt, to <out>.attempts.csv (or the ending of <out>)')
    .option('--dry-run', 'check everything and count, but store and dial nothing')
    .option('--new', 'start over, even if a campaign of this name exists')
    .option('--yes', 'do not ask before dialling')
    .option('-q, --quiet', 'no progress: only warnings, errors and the summary at the end')
    .option('--json', 'print the summary as one JSON line, and nothing else, on stdout')
    .action(async (file: string, flags: Flags) => {
      const order = readRun(file, flags, cli.io.argv ?? []);
      refuseOtherHome(cli, order.name);
      const told = order.out === '-' ? besideRows(cli) : cli;
      for (const note of notesOn(order.order, (name) => `--${name.replace('_', '-')}`)) cli.note(note);
      if (flags.dryRun) await (await import('./dry.ts')).runDry(told, order);
      else await (await import('./live.ts')).runLive(told, order);
    });
}

function readRun(file: string, flags: Flags, argv: readonly string[]): RunOrder {
  const ownName = ownNameOf(file, flags.sheet);
  const name = readName(flags.name ?? checkNamed(ownName, file));
  const usual = `${name.replace(/[^\p{L}\p{N}._ -]+/gu, '-')}.results.csv`;
  const out = flags.out || usual;
  const named = out === '-' ? usual : out;
  formatOf(named);
  return {
    file,
    name,
    isOwnName: name === ownName,
    out,
    rejects: rejectedPath(named),
    attempts: flags.attempts ? attemptsPath(named) : null,
    order: readOrder({ ...orderOf(flags), agent: required(flags.agent, '--agent <id>') }),
    map: flags.map === undefined ? undefined : parseMap(flags.map),
    sheet: flags.sheet,
    on402: flags.on402,
    mostCalls: flags.limit ?? null,
    startOver: Boolean(flags.new),
    yes: Boolean(flags.yes),
    json: Boolean(flags.json),
    quiet: Boolean(flags.quiet),
    again: commandAgain(argv),
  };
}

/** A folder gives no valid name; the mistake to report is that it is a folder. */
function nameOf(file: string): string {
  if (file === '-') return 'stdin';
  if (isAddress(file)) return nameOfAddress(file) ?? '';
  if (isFolder(file)) throw aFolder(file);
  return basename(file, extname(file));
}

/** A path that cannot be read is reported when it is opened. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Each sheet is a list of its own: under one name, the next would take the place of the first. Spelled in other capitals,
 * it is the same sheet, and must be the same campaign.
 */
function ownNameOf(file: string, sheet: string | undefined): string {
  const name = nameOf(file);
  return name === '' || sheet === undefined ? name : `${name} ${sheet.trim().toLowerCase()}`;
}

/** An address that may name several lists does not name a campaign: the next list would take the place of the first. */
function checkNamed(name: string, file: string): string {
  if (name !== '' || !isAddress(file)) return name;
  throw new CarillonError('usage-invalid', `${shownAddress(file)} does not say which list it is`, {
    remedy: 'Give the campaign a name with --name, and the same name when the list is read again.',
  });
}

function readName(text: string): string {
  const { data, error } = campaignName.safeParse(text, { error: sayIssue });
  if (data !== undefined) return data;
  throw new CarillonError('usage-invalid', `The campaign’s name ${error!.issues[0]!.message}`, {
    remedy: 'Give another with --name.',
  });
}

function wholeNumber(text: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError('It must be a whole number of 1 or more');
  return n;
}
