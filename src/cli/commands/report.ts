import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import {
  type Report,
  type ReportNumbers,
  reportCampaign,
  reportParts,
} from '../../control/campaigns/report.ts';
import { csvLine } from '../../export/csv.ts';
import { openTarget } from '../../export/target.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, topCommand } from '../command-io.ts';
import { answeredWords, reachedWords } from '../output/summary.ts';
import { type Columns, tableOf } from '../terminal/table.ts';

/** `carillon report`: how a campaign's calls ended, as a table, CSV or JSON. */
export function reportCommand(cli: Cli): Command {
  return topCommand('report', 'carillon report march --by hour')
    .argument('<name>', 'the campaign’s name, or its id')
    .addOption(
      oneOf(
        '--by <part>',
        'a line for each hour, day or weekday of the person’s local time, caller number, agent, or attempt number',
        reportParts,
      ),
    )
    .option('--csv', 'print CSV')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { by?: string; csv?: true; json?: true }) => {
      if (options.csv && options.json) {
        throw new CarillonError('usage-invalid', '--csv and --json both write to stdout', {
          remedy: 'Give only one of the two.',
        });
      }
      return cli.withLedger(async ({ ledger }) => {
        const report = await reportCampaign(ledger, name, { by: options.by });
        if (options.json) return cli.json(report);
        if (options.csv) await (await openTarget({ stream: cli.io.stdout })).write(drawCsv(report));
        else for (const line of drawTable(report, cli.width())) cli.out(line);
      });
    });
}

type Line = { value: string | null } & ReportNumbers;

/** `unknown` is a state, and would mean something else here. */
function nameless(by: Report['by']): string {
  return by === 'caller' ? 'chosen by the service' : 'not known';
}

function linesOf({ by, items, total }: Report): Line[] {
  const all = { value: 'all', ...total };
  return by === null
    ? [all]
    : [...items.map((item) => ({ ...item, value: item.value ?? nameless(by) })), all];
}

function drawCsv(report: Report): string {
  const head = ['calls', 'connect_rate', ...outcomes, 'cost', 'cost_per_connect', 'mean_duration'];
  const lines = report.by === null ? linesOf(report) : linesOf(report).slice(0, -1);
  return [
    csvLine([report.by ?? 'campaign', ...head]),
    ...lines.map((line) =>
      csvLine([
        report.by === null ? report.campaign : line.value,
        line.calls,
        line.connect_rate,
        ...outcomes.map((outcome) => line.outcomes[outcome] ?? 0),
        line.cost,
        line.cost_per_connect,
        line.mean_duration,
      ]),
    ),
  ].join('');
}

function drawTable(report: Report, width: number): string[] {
  if (report.total.calls === 0) return [`No call of ${report.campaign} has ended yet.`];
  const seen = outcomes.filter((outcome) => report.total.outcomes[outcome]);
  const fixed = (n: number | null, digits: number) => (n === null ? null : n.toFixed(digits));
  const columns: Columns<Line> = {
    [(report.by ?? 'calls').toUpperCase()]: ({ value }) => value,
    CALLS: ({ calls }) => calls,
    'ANSWERED %': ({ connect_rate: rate }) => (rate === null ? null : (rate * 100).toFixed(1)),
    ...Object.fromEntries(
      seen.map((outcome) => [outcome.toUpperCase(), ({ outcomes }: Line) => outcomes[outcome] ?? 0]),
    ),
    COST: ({ cost }) => fixed(cost, 2),
    'PER ANSWER': ({ cost_per_connect: cost }) => fixed(cost, 2),
    'MEAN S': ({ mean_duration: seconds }) => fixed(seconds, 1),
  };
  const { total } = report;
  const answered = total.outcomes.answered ?? 0;
  return [
    ...tableOf(columns, linesOf(report), width),
    `Answered: ${answeredWords({ ...total, answered })}.`,
    `Reached: ${reachedWords(total)}.`,
  ];
}
