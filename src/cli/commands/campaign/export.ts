import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CarillonError } from '../../../base/errors.ts';
import { exportAttempts } from '../../../control/people/person.ts';
import { exportRejects, exportResults, readFilter } from '../../../control/people/show.ts';
import { formatOf } from '../../../export/results.ts';
import { isObject, targetAt } from '../../../export/target.ts';
import type { Campaign } from '../../../ledger/campaigns/campaigns.ts';
import type { PeopleFilter } from '../../../ledger/search/search.ts';
import { recipientStates } from '../../../ledger/states.ts';
import { outcomes } from '../../../voice/outcomes.ts';
import { someOf } from '../../closed-lists.ts';
import { besideRows, type Cli, command } from '../../command-io.ts';
import { counted } from '../../output/summary.ts';

type Flags = {
  out?: string;
  attempts?: true;
  state?: string;
  outcome?: string;
  since?: string;
  rejected?: string;
  json?: true;
};

/** `carillon campaign export`: the results so far, at any time, even during a run. */
export function exportCommand(cli: Cli): Command {
  return command(
    'export',
    'Write a campaign’s results to a file, one row per recipient, or one per attempt.',
    'carillon campaign export march --out march.csv --rejected march.rejected.csv\n' +
      'carillon campaign export march --attempts --out s3://results/march.attempts.parquet\n' +
      'carillon campaign export march --state done --outcome answered --since 2026-03-01T09:00:00Z',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option(
      '--out <file>',
      'the file, .csv, .ndjson or .parquet, or its s3:// address (default: <name>.results.csv); - is stdout, as CSV',
    )
    .option(
      '--attempts',
      'one row per attempt, with its times, agent, key and caller number (default file: <name>.attempts.csv)',
    )
    .addOption(someOf('--state <states>', 'only rows in these states, such as done,skipped', recipientStates))
    .addOption(
      someOf('--outcome <outcomes>', 'only rows with these outcomes, such as answered,voicemail', outcomes),
    )
    .option('--since <time>', 'only rows that changed since then, such as 2026-03-01T09:00:00Z')
    .option('--rejected <file>', 'also write the rejected rows, as CSV')
    .option('--json', 'print one JSON document about what was written; with --out - on stderr')
    .action((name: string, options: Flags) => {
      const toStdout = options.out === '-';
      const told = toStdout ? besideRows(cli) : cli;
      const format = options.out && !toStdout ? formatOf(options.out) : 'csv';
      return cli.withLedger(async ({ ledger, clock, config }) => {
        const campaign = await ledger.campaigns.get(name);
        const filter = filterOf(campaign, options);
        const kind = options.attempts ? 'attempts' : 'results';
        const out = options.out ?? `${fileName(campaign.name)}.${kind}.csv`;
        const at = (path: string) => targetAt(isObject(path) ? path : resolve(cli.io.cwd, path), config);
        const target = toStdout ? { stream: cli.io.stdout } : at(out);
        const rows = options.attempts
          ? await exportAttempts(ledger, campaign, target, format)
          : await exportResults(ledger, clock.now(), campaign, target, format, filter);
        const rejected = options.rejected
          ? await exportRejects(ledger, campaign, at(options.rejected))
          : null;
        if (options.json) {
          told.json({
            campaign: campaign.name,
            out,
            rows,
            ...(options.rejected ? { rejected_out: options.rejected, rejected } : {}),
          });
          return;
        }
        told.out(
          `${counted(rows, 'row')} of ${campaign.name} ${rows === 1 ? 'is' : 'are'} in ${toStdout ? 'the output' : out}.`,
        );
        if (options.rejected)
          told.out(
            `${counted(rejected ?? 0, 'rejected row is', 'rejected rows are')} in ${options.rejected}.`,
          );
      });
    });
}

/** The attempts of a campaign are always written in full. */
function filterOf(campaign: Campaign, { attempts, state, outcome, since }: Flags): PeopleFilter | null {
  const given = [state, outcome, since].some((each) => each !== undefined);
  if (!attempts) return readFilter(campaign, { state, outcome, since });
  if (!given) return null;
  throw new CarillonError(
    'usage-invalid',
    '--attempts cannot be combined with --state, --outcome or --since',
    { remedy: 'Leave these out; each row shows the state, outcome and times of its attempt.' },
  );
}

/** A campaign's name may hold characters that a file's name may not. */
function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}._ -]+/gu, '-');
}
