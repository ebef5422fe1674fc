import type { Command } from 'commander';
import { readOutcomes, retryCampaign } from '../../control/campaigns/retry.ts';
import { showCampaign } from '../../control/campaigns/show.ts';
import { outcomes as allOutcomes } from '../../voice/outcomes.ts';
import { agrees } from '../agree.ts';
import { someOf } from '../choices.ts';
import { type Cli, command, required } from '../cli.ts';
import { counted } from '../output/summary.ts';

/** `carillon campaign retry`: people who are done with some outcomes are tried once more. */
export function retryCommand(cli: Cli): Command {
  return command(
    'retry',
    'Try people again who are done with some outcomes: once more at least, whatever the maximum of attempts.',
    'carillon campaign retry march --outcome failed,no-answer',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .addOption(someOf('--outcome <outcomes>', 'which outcomes, with commas between them', allOutcomes))
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { outcome?: string; yes?: true; json?: true }) =>
      cli.withBooks(async ({ ledger, config }) => {
        const outcomes = readOutcomes(required(options.outcome, '--outcome <outcomes>').split(','));
        const service = { ledger, baseUrl: config.voice.baseUrl ?? '' };
        const { name: campaign, balance } = await showCampaign(ledger, name);
        const done = outcomes.reduce((sum, each) => sum + (balance.outcomes[each] ?? 0), 0);
        const question = `Call ${people(done)} of ${campaign} again, who ended ${outcomes.join(' or ')}?`;
        if (!options.yes && !(await agrees(cli, question))) {
          cli.note('Nothing was changed.');
          return;
        }
        const { answer } = await retryCampaign(service, name, { outcomes });
        if (options.json) return cli.json(answer);
        if (answer.retried === 0) return cli.out(`Nobody of ${campaign} is done with these outcomes.`);
        cli.out(`${campaign}: ${people(answer.retried)} will be called again.`);
        if (answer.state === 'running') return;
        cli.out(
          `The campaign is ${answer.state}: continue it with \`carillon campaign resume ${campaign}\`, or with \`carillon run\`.`,
        );
      }),
    );
}

function people(n: number): string {
  return counted(n, 'person', 'people');
}
