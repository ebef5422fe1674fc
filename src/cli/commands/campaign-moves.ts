import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { cancelCampaign, pauseAll, pauseCampaign, startCampaign } from '../../control/campaigns/moves.ts';
import { type ShownCampaign, showCampaign } from '../../control/campaigns/show.ts';
import { agrees } from '../agree.ts';
import { type Cli, command } from '../cli.ts';
import { count } from '../output/summary.ts';

/** The verbs that pause a campaign, resume it, and end it. */
export function pauseCommand(cli: Cli): Command {
  return command(
    'pause',
    'Stop dialling a campaign, or every one; calls under way go on.',
    'carillon campaign pause march\ncarillon campaign pause --all',
  )
    .argument('[name]', 'the campaign’s name, or its id')
    .option('--all', 'the stop button: every running campaign, of every service')
    .option('--json', 'print one JSON document')
    .action((name: string | undefined, options: { all?: true; json?: true }) => {
      if ((name === undefined) === (options.all === undefined)) {
        throw new CarillonError('usage-invalid', 'carillon campaign pause takes either a name or --all', {
          remedy: 'Name the campaign, or give --all to stop every one.',
        });
      }
      return cli.withBooks(async ({ ledger }) => {
        if (name !== undefined) {
          const paused = await pauseCampaign(ledger, name);
          if (options.json) return cli.json(paused);
          return cli.out(tellPaused(paused.name));
        }
        const paused = await pauseAll(ledger);
        if (options.json) return cli.json(paused);
        if (paused.items.length === 0) return cli.out('No campaign is running.');
        for (const campaign of paused.items) cli.out(tellPaused(campaign.name));
      });
    });
}

function tellPaused(name: string): string {
  return `${name} is paused: nobody new is called. \`carillon campaign resume\` continues it.`;
}

export function resumeCommand(cli: Cli): Command {
  return command('resume', 'Continue a campaign on the background workers.', 'carillon campaign resume march')
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { json?: true }) =>
      cli.withApp(async (app) => {
        const campaign = await startCampaign(app.service({ note: cli.note }), name);
        const inRun = campaign.driver === 'run' && campaign.run_active;
        if (options.json) cli.json(campaign);
        else if (inRun) cli.out(`${campaign.name} continues in its active run.`);
        else cli.out(`${campaign.name} continues: the background workers dial it.`);
        if (!inRun) cli.note('`carillon up` or `carillon worker` must be running; nothing else dials it.');
      }),
    );
}

export function cancelCommand(cli: Cli): Command {
  return command(
    'cancel',
    'End a campaign: nobody else is called, calls under way are followed to their end.',
    'carillon campaign cancel march --yes',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { yes?: true; json?: true }) =>
      cli.withBooks(async ({ ledger }) => {
        const before = await showCampaign(ledger, name);
        const left = leftOf(before);
        const question = `Cancel ${before.name}? ${rows(left)} will not be called any more.`;
        if (before.state !== 'canceled' && !options.yes && !(await agrees(cli, question))) {
          cli.note('Nothing was changed.');
          return;
        }
        const after = await cancelCampaign(ledger, name);
        if (options.json) return cli.json(after);
        if (before.state === 'canceled') return cli.out(`${after.name} was canceled before.`);
        cli.out(`${after.name} is canceled: ${rows(left)} skipped.`);
        const { calling } = after.balance;
        if (calling > 0) {
          cli.out(`${count(calling)} calls are under way; the workers follow them to their end.`);
        }
      }),
    );
}

function leftOf({ balance }: ShownCampaign): number {
  return balance.waiting + balance.queued + balance.parked;
}

function rows(n: number): string {
  return n === 1 ? '1 row' : `${count(n)} rows`;
}
