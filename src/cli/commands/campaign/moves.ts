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
import { agrees, declined } from '../../confirm.ts';
import { tellHungUp, waitFor } from '../../output/hang-up-words.ts';
import { counted, people } from '../../output/summary.ts';
import { onLedger } from '../../reporting.ts';
import { tellPassed } from '../bulk/act.ts';

/** The commands that start, pause, resume and cancel a campaign, and that try again. */
export function pauseCommand(cli: Cli): Command {
  type Typed = { all?: true; hangUp?: true };
  return onLedger(cli, {
    name: 'pause',
    does: 'Stop dialling a campaign, or all of them; calls in progress continue.',
    example: 'carillon campaign pause march\ncarillon campaign pause --all --hang-up',
    takes: [
      ['[name]', 'the campaign’s name, or its id'],
      ['--all', 'every running campaign, of every service: the stop button'],
      ['--hang-up', 'end the calls in progress too'],
    ],
    async find(opened, name: string | undefined, { hangUp }: Typed) {
      const stop = hangUp ? { hangUp: waitFor(cli) } : {};
      return name === undefined ? pauseAll(opened, stop) : pauseCampaign(opened, name, stop);
    },
    tell: (paused) =>
      'items' in paused
        ? tellAllPaused(paused)
        : [tellPaused(paused), ...(paused.hang_ups ? [tellHungUp(paused.hang_ups)] : [])],
    check: ([name, { all }]) => checkMeant('pause', name, all, 'or give --all to stop them all'),
  });
}

/** One campaign, or all of them. */
function checkMeant(verb: string, name: string | undefined, all: true | undefined, remedy: string): void {
  if ((name === undefined) !== (all === undefined)) return;
  throw new CarillonError('usage-invalid', `\`carillon campaign ${verb}\` takes either a name or --all`, {
    remedy: `Name the campaign, ${remedy}.`,
  });
}

function tellAllPaused({ items, seconds, calling, hang_ups: hangUps }: Awaited<ReturnType<typeof pauseAll>>) {
  const calls =
    calling === 0 ? 'no call is in progress' : `${counted(calling, 'call is', 'calls are')} in progress`;
  const isSaid = items.length > 0 && calling === 0 && hangUps?.calls === 0;
  return [
    ...items.map(tellPaused),
    items.length === 0
      ? `No campaign is running${calling === 0 ? '' : `; ${calls}`}.`
      : `Everything stopped in ${seconds.toFixed(1)} s; ${calls}.`,
    ...(hangUps && !isSaid ? [tellHungUp(hangUps)] : []),
  ];
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
      checkMeant('resume', name, options.all, 'or give --all for those that `pause --all` stopped');
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
  return onLedger(cli, {
    name: 'refresh',
    does: 'Fetch again the records of ended calls that lack cost, transcript, recording or data.',
    example: 'carillon campaign refresh march',
    takes: [['<name>', 'the campaign’s name, or its id']],
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
  let passed: CountedBulk['passed'] = {};
  return onLedger(cli, {
    name: 'retry',
    does: 'Call people again whose calls ended with these outcomes: at least once more, even beyond the maximum of attempts.',
    example: 'carillon campaign retry march --outcome failed,no-answer',
    takes: [
      ['<name>', 'the campaign’s name, or its id'],
      someOf('--outcome <outcomes>', 'which outcomes, with commas between them', allOutcomes),
      ['--yes', 'do not ask (required in scripts)'],
    ],
    async find(opened, name: string, { outcome, yes }: { outcome?: string; yes?: true }) {
      const { ledger, log } = opened;
      const outcomes = readOutcomes(required(outcome, '--outcome <outcomes>').split(','));
      const { id, name: campaign } = await ledger.campaigns.get(name);
      const filter = { campaign: id, outcome: outcomes.join(',') };
      const { answer: counts } = await beginBulk(opened, { act: 'retry', filter, dry_run: true });
      const { able } = counts as CountedBulk;
      passed = (counts as CountedBulk).passed;
      const question = `Call ${people(able)} of ${campaign} again, whose last call ended ${outcomes.join(' or ')}?`;
      if (able > 0 && !yes && !(await agrees(cli, question))) return declined(cli);
      const service = { ...withoutKeys(opened, { note: cli.note }), log };
      return (await retryCampaign(service, name, { outcomes })).answer;
    },
    tell: ({ campaign, retried, state }) => [
      retried === 0
        ? `Nobody of ${campaign} can be called again for these outcomes.`
        : `${campaign}: ${people(retried)} will be called again.`,
      ...tellPassed(passed),
      ...(retried === 0 || state === 'running'
        ? []
        : [
            `The campaign is ${state}: continue it with \`carillon campaign resume ${quoteWord(campaign)}\`, or with \`carillon run\`.`,
          ]),
    ],
  });
}

export function cancelCommand(cli: Cli): Command {
  let before: ShownCampaign;
  return onLedger(cli, {
    name: 'cancel',
    does: 'End a campaign: no new calls; calls in progress are followed to their end.',
    example: 'carillon campaign cancel march --yes',
    takes: [
      ['<name>', 'the campaign’s name, or its id'],
      ['--hang-up', 'end the calls in progress too'],
      ['--yes', 'do not ask (required in scripts)'],
    ],
    async find(opened, name: string, { hangUp, yes }: { hangUp?: true; yes?: true }) {
      before = await showCampaign(opened.ledger, name);
      const question = `Cancel ${before.name}? ${counted(leftOf(before), 'row')} will not be called.`;
      if (before.state !== 'canceled' && !yes && !(await agrees(cli, question))) return declined(cli);
      return cancelCampaign(opened, name, hangUp ? { hangUp: waitFor(cli) } : {});
    },
    tell: ({ name, hang_ups: hangUps, balance: { calling } }) => [
      before.state === 'canceled'
        ? `${name} was already canceled.`
        : `${name} is canceled: ${counted(leftOf(before), 'row')} skipped.`,
      ...(hangUps ? [tellHungUp(hangUps)] : []),
      ...(calling > 0
        ? [`${counted(calling, 'call is', 'calls are')} in progress; the workers follow them to their end.`]
        : []),
    ],
  });
}

function leftOf({ balance }: ShownCampaign): number {
  return balance.waiting + balance.queued + balance.parked;
}
