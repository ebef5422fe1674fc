import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import { agrees } from '../agree.ts';
import { type Cli, command } from '../cli.ts';
import { count } from '../output/summary.ts';

/** The verbs that rest a campaign, let it go on, and end it. */
const why = 'paused by hand';
/** More than anybody has. */
export const mostCampaigns = 10_000;

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
        const paused = name === undefined ? await pauseAll() : await pauseOne(name);
        if (options.json) return cli.json({ paused: paused.map((campaign) => campaign.name) });
        if (paused.length === 0) return cli.out('No campaign is running.');
        for (const campaign of paused) {
          cli.out(`${campaign.name} is paused: nobody new is called. \`carillon campaign resume\` goes on.`);
        }

        async function pauseAll() {
          const lines = await ledger.campaigns.page(null, null, mostCampaigns);
          const running = lines.filter((line) => line.state === 'running').map((line) => line.id);
          return ledger.campaigns.pause(running, why);
        }

        async function pauseOne(wanted: string) {
          const campaign = await ledger.campaigns.get(wanted);
          const moved = await ledger.campaigns.pause([campaign.id], why);
          if (moved.length > 0) return moved;
          const { state } = await ledger.campaigns.get(campaign.id);
          // Asked for twice is no fault: it is as it was wanted.
          if (state === 'paused') return [campaign];
          throw new CarillonError('campaign-state', `${campaign.name} is ${state} and cannot be paused`);
        }
      });
    });
}

export function resumeCommand(cli: Cli): Command {
  return command('resume', 'Let a campaign go on.', 'carillon campaign resume march')
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { json?: true }) =>
      cli.withBooks(async ({ ledger, config }) => {
        const campaign = await ledger.campaigns.get(name);
        const driver = await ledger.campaigns.resume(campaign.id);
        if (driver === null) {
          throw new CarillonError('campaign-state', `${campaign.name} is canceled and cannot go on`, {
            remedy: 'Start it over with `carillon run --new`.',
          });
        }
        // Rows that a run parked when it left for lack of credit have no attempt that a probe would free.
        await ledger.campaigns.unpark(campaign.id);
        if (options.json) cli.json({ name: campaign.name, state: 'running', dialled_by: driver });
        else if (driver === 'run') cli.out(`${campaign.name} goes on in its run, which lives.`);
        else cli.out(`${campaign.name} goes on: the background workers dial it.`);
        if (driver === 'background') {
          cli.note('`carillon up` or `carillon worker` must be running; nothing else dials it.');
          remindOfService(campaign, config.voice.baseUrl);
        }
      }),
    );

  function remindOfService(campaign: Campaign, baseUrl: string | undefined): void {
    if (campaign.baseUrl === baseUrl) return;
    cli.note(
      `It belongs to ${campaign.baseUrl}: only workers that are started with that VOICE_BASE_URL dial it.`,
    );
  }
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
        const campaign = await ledger.campaigns.get(name);
        if (campaign.state === 'canceled') {
          throw new CarillonError('campaign-state', `${campaign.name} is canceled already`);
        }
        const before = (await ledger.reports.standing(campaign.id)).counts;
        const pending = before.waiting + before.queued + before.parked;
        const question = `Cancel ${campaign.name}? ${rows(pending)} will not be called any more.`;
        if (!options.yes && !(await agrees(cli, question))) {
          cli.note('Nothing was changed.');
          return;
        }
        await ledger.campaigns.cancel(campaign.id);
        const { counts } = await ledger.reports.standing(campaign.id);
        const skipped = Math.max(0, counts.skipped - before.skipped);
        if (options.json) {
          return cli.json({ name: campaign.name, state: 'canceled', skipped, calling: counts.calling });
        }
        cli.out(`${campaign.name} is canceled: ${rows(skipped)} skipped.`);
        if (counts.calling > 0) {
          cli.out(`${count(counts.calling)} calls are under way; the workers follow them to their end.`);
        }
      }),
    );
}

function rows(n: number): string {
  return n === 1 ? '1 row' : `${count(n)} rows`;
}
