import type { App } from '../../../app.ts';
import { CarillonError } from '../../../base/errors.ts';
import { quoteWord } from '../../../base/terminal-safe.ts';
import { beginBulk, type CountedBulk } from '../../../control/bulk/begin.ts';
import { refreshCampaign } from '../../../control/calls/acts.ts';
import { cancelCampaign, pauseAll, pauseCampaign, startCampaign } from '../../../control/campaigns/moves.ts';
import { resumeAll } from '../../../control/campaigns/resume-all.ts';
import { readOutcomes, retryCampaign } from '../../../control/campaigns/retry.ts';
import { type ShownCampaign, showCampaign } from '../../../control/campaigns/show.ts';
import { findDialers } from '../../../control/processes/dialers.ts';
import { withoutKeys } from '../../../ledger-only.ts';
import { limitReached } from '../../../run/drive.ts';
import { outcomes as allOutcomes } from '../../../voice/outcomes.ts';
import { someOf } from '../../closed-lists.ts';
import { type Cli, type Command, command, required } from '../../command-io.ts';
import { agrees } from '../../confirm.ts';
import { tellHungUp, waitFor } from '../../output/hang-up-words.ts';
import { counted, people } from '../../output/summary.ts';
import { onLedger } from '../../reporting.ts';
import { tellPassed } from '../bulk/act.ts';

/** The commands that start, pause, resume and cancel a campaign, and that try again. */
export function pauseCommand(cli: Cli): Command {
  return command(
    'pause',
    'Stop dialling a campaign, or all of them; calls in progress continue.',
    'carillon campaign pause march\ncarillon campaign pause --all --hang-up',
  )
    .argument('[name]', 'the campaign’s name, or its id')
    .option('--all', 'every running campaign, of every service: the stop button')
    .option('--hang-up', 'end the calls in progress too')
    .option('--json', 'print one JSON document')
    .action((name: string | undefined, options: { all?: true; hangUp?: true; json?: true }) => {
      if ((name === undefined) === (options.all === undefined)) {
        throw new CarillonError('usage-invalid', '`carillon campaign pause` takes either a name or --all', {
          remedy: 'Name the campaign, or give --all to stop them all.',
        });
      }
      const stop = options.hangUp ? { hangUp: waitFor(cli) } : {};
      return cli.withLedger(async (opened) => {
        if (name !== undefined) {
          const paused = await pauseCampaign(opened, name, stop);
          if (options.json) return cli.json(paused);
          cli.out(tellPaused(paused));
          if (paused.hang_ups) cli.out(tellHungUp(paused.hang_ups));
          return;
        }
        const paused = await pauseAll(opened, stop);
        if (options.json) return cli.json(paused);
        for (const campaign of paused.items) cli.out(tellPaused(campaign));
        const { seconds, calling } = paused;
        const calls =
          calling === 0
            ? 'no call is in progress'
            : `${counted(calling, 'call is', 'calls are')} in progress`;
        if (paused.items.length === 0) cli.out(`No campaign is running${calling === 0 ? '' : `; ${calls}`}.`);
        else cli.out(`Everything stopped in ${seconds.toFixed(1)} s; ${calls}.`);
        const isSaid = paused.items.length > 0 && calling === 0 && paused.hang_ups?.calls === 0;
        if (paused.hang_ups && !isSaid) cli.out(tellHungUp(paused.hang_ups));
      });
    });
}

function tellPaused({ name, kind }: Pick<ShownCampaign, 'name' | 'kind'>): string {
  if (kind === 'calls')
    return `Single calls are paused. Continue them with \`carillon campaign resume ${quoteWord(name)}\`.`;
  return `${name} is paused: no new calls. Continue it with \`carillon campaign resume\`.`;
}

export function startCommand(cli: Cli): Command {
  return starting(
    cli,
    command(
      'start',
      'Start a draft on the background workers. The order is checked first.',
      'carillon campaign start march',
    ),
    'is started',
  );
}

export function resumeCommand(cli: Cli): Command {
  const made = command(
    'resume',
    'Continue a campaign on the background workers, or all that the stop button stopped.',
    'carillon campaign resume march\ncarillon campaign resume --all --reason "the list was corrected"',
  );
  return starting(cli, made, 'continues');
}

/** Both do the same: a draft or a paused campaign is dialled from now on. */
function starting(cli: Cli, made: Command, words: 'is started' | 'continues'): Command {
  if (words === 'is started') made.argument('<name>', 'the campaign’s name, or its id');
  else {
    made
      .argument('[name]', 'the campaign’s name, or its id')
      .option('--all', 'every campaign that `pause --all` stopped, and no other')
      .option('--reason <words>', 'with --all: why it continues; the activity keeps it');
  }
  type Typed = { json?: true; all?: true; reason?: string };
  return made
    .option('--json', 'print one JSON document')
    .action((name: string | undefined, options: Typed) => {
      if ((name === undefined) === (options.all === undefined)) {
        throw new CarillonError('usage-invalid', '`carillon campaign resume` takes either a name or --all', {
          remedy: 'Name the campaign, or give --all for those that `pause --all` stopped.',
        });
      }
      return cli.withApp(async (app) => {
        if (name === undefined) return resumeStopped(cli, app, options);
        const { state, reason } = await app.ledger.campaigns.get(name);
        const campaign = await startCampaign(app.service({ note: cli.note }), name);
        const inRun = campaign.driver === 'run' && campaign.run_active;
        if (options.json) cli.json(campaign);
        else if (inRun) cli.out(`${campaign.name} ${words}: its active run dials it.`);
        else cli.out(`${campaign.name} ${words}: the background workers dial it.`);
        if (inRun) return;
        const left = leftOf(campaign);
        if (state === 'paused' && reason === limitReached && left > 0) {
          const whom = counted(left, 'person is', 'people are');
          cli.note(`The run’s --limit no longer applies: ${whom} left and will be called.`);
        }
        const { alive, barred } = await findDialers(app.ledger);
        if (alive === 0)
          cli.note('`carillon up` or `carillon worker` must be running; nothing else dials it.');
        for (const each of barred) cli.note(`${each.process} does not dial: ${each.why}. ${each.remedy}`);
      });
    });
}

type ResumeOptions = { json?: true; reason?: string };

async function resumeStopped(cli: Cli, app: App, { json, reason }: ResumeOptions): Promise<void> {
  const told = await resumeAll(app.service({ note: cli.note }), reason === undefined ? {} : { reason });
  if (told.refused.length > 0) cli.exit(1);
  if (json) return cli.json(told);
  for (const { name } of told.items) cli.out(`${name} continues.`);
  for (const { campaign, message, remedy } of told.refused)
    cli.note(`${campaign} stays paused: ${message}. ${remedy}`);
  if (told.items.length + told.refused.length === 0)
    cli.out('Nothing to resume: no campaign is still paused by `pause --all`.');
}

export function refreshCommand(cli: Cli): Command {
  const made = command(
    'refresh',
    'Fetch again the records of ended calls that lack cost, transcript, recording or data.',
    'carillon campaign refresh march',
  ).argument('<name>', 'the campaign’s name, or its id');
  return onLedger(cli, made, {
    async find({ ledger }, name: string) {
      const done = await refreshCampaign(ledger, name);
      if (done.scheduled > 0)
        cli.note(
          '`carillon up`, `carillon worker` or a run asks while the key has nothing else to do; run `carillon campaign export` again afterwards.',
        );
      return done;
    },
    tell: ({ campaign, scheduled }) =>
      scheduled === 0
        ? `The records of ${campaign} are complete.`
        : `${campaign}: the records of ${counted(scheduled, 'call')} will be asked for again.`,
  });
}

/** Tries people once more who are done with certain outcomes. */
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
        if (able > 0 && !options.yes && !(await agrees(cli, question)))
          return cli.note('Nothing was changed.');
        const service = { ...withoutKeys(opened, { note: cli.note }), log };
        const { answer } = await retryCampaign(service, name, { outcomes });
        if (options.json) return cli.json(answer);
        cli.out(
          answer.retried === 0
            ? `Nobody of ${campaign} can be called again for these outcomes.`
            : `${campaign}: ${people(answer.retried)} will be called again.`,
        );
        for (const line of tellPassed(passed)) cli.out(line);
        if (answer.retried === 0 || answer.state === 'running') return;
        cli.out(
          `The campaign is ${answer.state}: continue it with \`carillon campaign resume ${quoteWord(campaign)}\`, or with \`carillon run\`.`,
        );
      }),
    );
}

export function cancelCommand(cli: Cli): Command {
  return command(
    'cancel',
    'End a campaign: no new calls; calls in progress are followed to their end.',
    'carillon campaign cancel march --yes',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--hang-up', 'end the calls in progress too')
    .option('--yes', 'do not ask (required in scripts)')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { hangUp?: true; yes?: true; json?: true }) =>
      cli.withLedger(async (opened) => {
        const { ledger } = opened;
        const before = await showCampaign(ledger, name);
        const left = leftOf(before);
        const question = `Cancel ${before.name}? ${counted(left, 'row')} will not be called.`;
        if (before.state !== 'canceled' && !options.yes && !(await agrees(cli, question)))
          return cli.note('Nothing was changed.');
        const after = await cancelCampaign(opened, name, options.hangUp ? { hangUp: waitFor(cli) } : {});
        if (options.json) return cli.json(after);
        if (before.state === 'canceled') cli.out(`${after.name} was already canceled.`);
        else cli.out(`${after.name} is canceled: ${counted(left, 'row')} skipped.`);
        if (after.hang_ups) cli.out(tellHungUp(after.hang_ups));
        const { calling } = after.balance;
        if (calling > 0) {
          cli.out(
            `${counted(calling, 'call is', 'calls are')} in progress; the workers follow them to their end.`,
          );
        }
      }),
    );
}

function leftOf({ balance }: ShownCampaign): number {
  return balance.waiting + balance.queued + balance.parked;
}
