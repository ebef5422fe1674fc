import type { Command } from 'commander';
import { quoteWord } from '../../../base/terminal-safe.ts';
import { beginBulk, type CountedBulk } from '../../../control/bulk/begin.ts';
import { readOutcomes, retryCampaign } from '../../../control/campaigns/retry.ts';
import { withoutKeys } from '../../../ledger-only.ts';
import { outcomes as allOutcomes } from '../../../voice/outcomes.ts';
import { someOf } from '../../closed-lists.ts';
import { type Cli, command, required } from '../../command-io.ts';
import { agrees } from '../../confirm.ts';
import { people } from '../../output/summary.ts';
import { tellPassed } from '../bulk/act.ts';

/** `carillon campaign retry`: tries people once more who are done with certain outcomes. */
export function retryCommand(cli: Cli): Command {
  return command(
    'retry',
    'Call people again whose calls ended with these outcomes: at least once more, even beyond the maximum of attempts.',
    'carillon campaign retry march --outcome failed,no-answer',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .addOption(someOf('--outcome <outcomes>', 'which outcomes, with commas between them', allOutcomes))
    .option('--yes', 'do not ask (required in scripts)')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { outcome?: string; yes?: true; json?: true }) =>
      cli.withLedger(async (opened) => {
        const { ledger, log } = opened;
        const outcomes = readOutcomes(required(options.outcome, '--outcome <outcomes>').split(','));
        const { id, name: campaign } = await ledger.campaigns.get(name);
        const filter = { campaign: id, outcome: outcomes.join(',') };
        const { answer: counted } = await beginBulk(opened, { act: 'retry', filter, dry_run: true });
        const { able, passed } = counted as CountedBulk;
        const question = `Call ${people(able)} of ${campaign} again, whose last call ended ${outcomes.join(' or ')}?`;
        if (able > 0 && !options.yes && !(await agrees(cli, question))) {
          cli.note('Nothing was changed.');
          return;
        }
        const { answer } = await retryCampaign({ ...withoutKeys(opened, { note: cli.note }), log }, name, {
          outcomes,
        });
        if (options.json) return cli.json(answer);
        cli.out(
          answer.retried === 0
            ? `Nobody of ${campaign} can be called again for these outcomes.`
            : `${campaign}: ${people(answer.retried)} will be called again.`,
        );
        for (const line of tellPassed(passed)) cli.out(line);
        if (answer.retried === 0) return;
        if (answer.state === 'running') return;
        cli.out(
          `The campaign is ${answer.state}: continue it with \`carillon campaign resume ${quoteWord(campaign)}\`, or with \`carillon run\`.`,
        );
      }),
    );
}
