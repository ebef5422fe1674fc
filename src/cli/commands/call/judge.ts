import type { Command } from 'commander';
import { type FirstAnswer, judgeCall, listFirst } from '../../../control/calls/judge.ts';
import { judgements } from '../../../ledger/judgements/judgements.ts';
import { oneOf } from '../../closed-lists.ts';
import { type Cli, command } from '../../command-io.ts';
import { count, counted } from '../../output/summary.ts';
import { tableLines } from '../../terminal/table.ts';

/** `carillon campaign first` and `carillon call judge`: the calls to listen to, and what was heard. */
export function firstCommand(cli: Cli): Command {
  return command(
    'first',
    'List the calls to the first people, with each listener’s judgement.',
    'carillon campaign first march\ncarillon campaign first march --said "wrong number"',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--said <text>', 'only calls whose transcript contains this')
    .option('--json', 'print one JSON document')
    .action((name: string, { said, json }: { said?: string; json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const answer = await listFirst({ ledger }, name, { limit: 1_000, ...(said ? { said } : {}) });
        if (json) return cli.json(answer);
        for (const line of draw(answer, said, cli.width())) cli.out(line);
      }),
    );
}

function draw({ items, judged }: FirstAnswer, said: string | undefined, width: number): string[] {
  const { fine, wrong, opt_out: optOut, left } = judged;
  if (fine + wrong + optOut + left === 0)
    return [
      'Nobody has spoken in a call to its first people yet. `--first N` makes a campaign pause after N people.',
    ];
  return [
    `${counted(left, 'call')} to judge; ${count(fine)} fine, ${count(wrong)} wrong, ${count(optOut)} opted out.`,
    ...(items.length === 0
      ? [`No transcript contains “${said}”.`]
      : tableLines(
          ['row', 'phone', 'name', 'outcome', 'judgement', 'attempt', 'note'],
          items.map(({ row, phone, name, outcome, judgement, attempt }) => [
            row,
            phone,
            name,
            outcome,
            judgement?.as ?? '-',
            attempt,
            judgement?.note ?? null,
          ]),
          width,
        )),
  ];
}

export function judgeCommand(cli: Cli): Command {
  return command(
    'judge',
    'Judge a call that you listened to; `opt-out` suppresses the person for every campaign.',
    'carillon call judge 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11 --as fine\n' +
      'carillon call judge 0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11 --as wrong --note "it named another clinic"',
  )
    .argument('<attempt>', 'the attempt’s id, as `carillon campaign first` lists it')
    .addOption(oneOf('--as <judgement>', 'your judgement', judgements).makeOptionMandatory())
    .option('--note <text>', 'why, in a few words')
    .option('--json', 'print one JSON document')
    .action((attempt: string, flags: { as: string; note?: string; json?: true }) =>
      cli.withLedger(async ({ ledger, clock }) => {
        const { as, note } = flags;
        const kept = await judgeCall({ ledger, clock }, attempt, { as, ...(note ? { note } : {}) });
        if (flags.json) return cli.json(kept);
        cli.out(kept.as === 'opt-out' ? 'Kept: nobody calls this person any more.' : `Kept: ${kept.as}.`);
      }),
    );
}
