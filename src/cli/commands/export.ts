import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { exportRejects, exportResults } from '../../control/people/show.ts';
import { formatOf } from '../../export/results.ts';
import { type Cli, command } from '../cli.ts';
import { counted } from '../output/summary.ts';

/** `carillon campaign export`: the results so far, at any time, also during a run. */
export function exportCommand(cli: Cli): Command {
  return command(
    'export',
    'Write a campaign’s results to a file, one row per recipient.',
    'carillon campaign export march --out march.csv --rejected march.rejected.csv',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--out <file>', 'the file, .csv or .ndjson (default: <name>.results.csv); - is stdout, as CSV')
    .option('--rejected <file>', 'also write the rows that the import rejected, as CSV')
    .option('--json', 'print one JSON document about what was written')
    .action((name: string, options: { out?: string; rejected?: string; json?: true }) => {
      const toStdout = options.out === '-';
      if (toStdout && options.json) {
        throw new CarillonError('usage-invalid', '--out - and --json both write to stdout', {
          remedy: 'Give only one of the two.',
        });
      }
      const format = options.out && !toStdout ? formatOf(options.out) : 'csv';
      return cli.withBooks(async ({ ledger, clock }) => {
        const campaign = await ledger.campaigns.get(name);
        const out = options.out ?? `${fileName(campaign.name)}.results.csv`;
        const target = toStdout ? { stream: cli.io.stdout } : { path: resolve(cli.io.cwd, out) };
        const rows = await exportResults(ledger, clock.now(), campaign, target, format);
        const rejected = options.rejected
          ? await exportRejects(ledger, campaign, { path: resolve(cli.io.cwd, options.rejected) })
          : null;
        const tell = toStdout ? cli.note : cli.out;
        if (options.json) {
          cli.json({
            campaign: campaign.name,
            out,
            rows,
            ...(options.rejected ? { rejected_out: options.rejected, rejected } : {}),
          });
          return;
        }
        tell(
          `${counted(rows, 'row')} of ${campaign.name} ${rows === 1 ? 'is' : 'are'} in ${toStdout ? 'the output' : out}.`,
        );
        if (options.rejected)
          tell(`${counted(rejected ?? 0, 'rejected row is', 'rejected rows are')} in ${options.rejected}.`);
      });
    });
}

/** A campaign's name may hold characters that a file's name may not. */
function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}._ -]+/gu, '-');
}
