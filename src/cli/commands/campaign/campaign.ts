import { quoteWord } from '../../../base/terminal-safe.ts';
import type { ShownBudget } from '../../../control/campaigns/budget.ts';
import { forecastCampaign } from '../../../control/campaigns/forecast.ts';
import {
  type CampaignItem,
  listCampaigns,
  type ShownCampaign,
  showCampaign,
} from '../../../control/campaigns/show.ts';
import { describeOrder } from '../../../control/order/order.ts';
import { waitsOf } from '../../../control/people/waits.ts';
import { type Dialers, findDialers } from '../../../control/processes/dialers.ts';
import type { Order } from '../../../rules/order.ts';
import { type Cli, type Command, command, group } from '../../command-io.ts';
import { several } from '../../flags.ts';
import { forecastWords, limitWords, waitsLine } from '../../output/outlook-words.ts';
import {
  answeredWords,
  count,
  counted,
  optOutWarning,
  outcomeWords,
  reachedWords,
  spentWords,
} from '../../output/summary.ts';
import { eachPage, onApp, printItems } from '../../reporting.ts';
import { type Columns, factLines, localTimes, tableOf, timeText } from '../../terminal/table.ts';
import { firstCommand } from '../call/call.ts';
import { unknownWords } from '../run/words.ts';
import { addCommand } from './add.ts';
import {
  changePersonCommand,
  cloneCommand,
  createCommand,
  deleteCommand,
  removePersonCommand,
  renameCommand,
} from './everyday.ts';
import { exportCommand } from './export.ts';
import {
  cancelCommand,
  pauseCommand,
  refreshCommand,
  resumeCommand,
  retryCommand,
  startCommand,
} from './moves.ts';

/**
 * `carillon campaign`: makes, lists and shows campaigns, and holds the commands that start, pause, resume and cancel
 * them.
 */
export function campaignCommand(cli: Cli): Command {
  return group('campaign', 'carillon campaign list', [
    createCommand(cli),
    startCommand(cli),
    listCommand(cli),
    showCommand(cli),
    pauseCommand(cli),
    resumeCommand(cli),
    cancelCommand(cli),
    exportCommand(cli),
    forecastCommand(cli),
    refreshCommand(cli),
    retryCommand(cli),
    firstCommand(cli),
    addCommand(cli),
    cloneCommand(cli),
    renameCommand(cli),
    deleteCommand(cli),
    changePersonCommand(cli),
    removePersonCommand(cli),
  ]);
}

function listCommand(cli: Cli): Command {
  const made = command('list', 'List all campaigns with their rows by state.', 'carillon campaign list')
    .option('--calls', 'list the campaigns of single calls instead')
    .option('--json', 'print one JSON document');
  return made.action((options: { calls?: true; json?: true }) =>
    cli.withLedger(async ({ ledger }) => {
      const list = (page: object) =>
        listCampaigns(ledger, { ...page, ...(options.calls && { kind: 'calls' }) });
      if (options.json) return printItems(cli, list);
      const lines: CampaignItem[] = [];
      for await (const items of eachPage(list)) lines.push(...items);
      if (lines.length === 0 && options.calls) return cli.out('There are no single calls yet.');
      if (lines.length === 0) return cli.out('There are no campaigns yet. Start one with `carillon run`.');
      for (const line of tableOf(listColumns(lines), lines, cli.width())) cli.out(line);
    }),
  );
}

function showCommand(cli: Cli): Command {
  return command(
    'show',
    'Show one campaign: its order, its progress, and why it waits.',
    'carillon campaign show march',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const shown = await showCampaign(ledger, name);
        if (options.json) return cli.json(shown);
        const order = await ledger.campaigns.get(shown.id);
        const waits = await waitsOf(ledger, order, shown.balance);
        const dialers = await findDialers(ledger);
        for (const line of drawCampaign(shown, order, dialers, waitsLine(waits, Date.now()))) cli.out(line);
      }),
    );
}

/** When a campaign will end, also under another order. */
function forecastCommand(cli: Cli): Command {
  return onApp(cli, {
    name: 'forecast',
    does: 'Forecast when a campaign will end, how many calls it will still make, and what limits it.',
    example:
      'carillon campaign forecast march\ncarillon campaign forecast march --with max_calls=40 --with window=09:00-21:00',
    takes: [
      ['<name>', 'the campaign’s name, or its id'],
      [
        '--with <field=value>',
        'forecast as if this field of the order had this value; may be given several times',
        several,
      ],
    ],
    find: (app, name: string, options: { with?: string[] }) =>
      forecastCampaign(app, name, { with: options.with }),
    tell(shown) {
      const words = forecastWords(shown, Date.now());
      const { p10, p50, p90 } = shown.ends_at;
      const ends =
        p10 && p50 && p90
          ? [`Ends ${timeText(p50)}; probably (8 in 10) between ${timeText(p10)} and ${timeText(p90)}.`]
          : [];
      return [`${words[0]!.toUpperCase()}${words.slice(1)}.`, ...ends, `Limited by ${limitWords(shown)}.`];
    },
  });
}

/** A campaign of single calls never ends: while it may dial, its state says nothing. */
function stateOf({ kind, state }: CampaignItem): string | null {
  return kind === 'calls' && state === 'running' ? null : state;
}

/** A campaign of a run dials only while that run is active. */
function driverOf({ driver, run_active }: CampaignItem): 'run' | 'nobody' | 'background' {
  return driver === 'background' ? 'background' : run_active ? 'run' : 'nobody';
}

const driverWords = {
  run: 'an active run',
  nobody:
    'nothing: its run has ended; continue with `carillon run` under the same name, or `carillon campaign resume`',
  background: 'the background workers',
} as const;

function listColumns(all: readonly CampaignItem[]): Columns<CampaignItem> {
  const services = new Set(all.map(({ service }) => service)).size;
  const some = (n: number) => (n === 0 ? null : n);
  return {
    CAMPAIGN: ({ name }) => name,
    STATE: (line) => stateOf(line) ?? 'open',
    'DRIVEN BY': (line) => (line.state === 'running' ? driverOf(line) : null),
    ROWS: ({ balance }) => balance.rows,
    DONE: ({ balance }) => balance.done,
    WAITING: ({ balance }) => some(balance.waiting + balance.queued),
    CALLING: ({ balance }) => some(balance.calling),
    PARKED: ({ balance }) => some(balance.parked),
    UNKNOWN: ({ balance }) => some(balance.unknown),
    SERVICE: ({ service }) => (services > 1 ? service : null),
    WHY: ({ reason, standstill }) => reason ?? standstill?.message ?? null,
  };
}

/** Since when it makes no call and why, and what to do. */
function standstillWords({ standstill }: ShownCampaign): string | null {
  if (standstill === null) return null;
  const { message, since, until, act } = standstill;
  return `since ${timeText(since)}${until ? `, until ${timeText(until)}` : ''}: ${message}. ${act}`;
}

function costWords({ balance: { cost }, currency }: ShownCampaign): string | null {
  return cost === null ? null : ['cost', cost.toFixed(2), currency].filter(Boolean).join(' ');
}

/** How the calls to the first people ended, and how to call the others. */
function firstWords({ name, reason, first, first_outcomes }: ShownCampaign): string | null {
  if (first === null) return null;
  const ended = outcomeWords(first_outcomes);
  const next =
    reason === 'first' ? `; call the others with \`carillon campaign resume ${quoteWord(name)}\`` : '';
  return `${counted(first, 'person', 'people')}${ended && `: ${ended}`}${next}`;
}

/** The process that dials it now, and what the reader can do if there is none. */
function driverText(campaign: ShownCampaign, { alive, barred }: Dialers): string {
  const driver = driverOf(campaign);
  const words = driverWords[driver];
  if (driver !== 'background' || campaign.state !== 'running') return words;
  if (alive === 0) return `${words}, but none is running: start \`carillon up\` or \`carillon worker\``;
  if (barred.length === alive) return `${words}, but none may dial`;
  return words;
}

function barredText(campaign: ShownCampaign, { barred }: Dialers): string | null {
  if (campaign.state !== 'running' || driverOf(campaign) !== 'background' || barred.length === 0) return null;
  return barred.map(({ process, why, remedy }) => `${process}: ${why}. ${remedy}`).join(' ');
}

function drawCampaign(
  campaign: ShownCampaign,
  order: Order,
  dialers: Dialers,
  waits: string | null,
): string[] {
  const { balance, answers, opt_outs: optOuts } = campaign;
  const states = (
    ['done', 'waiting', 'queued', 'calling', 'parked', 'unknown', 'skipped', 'rejected'] as const
  ).filter((state) => balance[state] > 0);
  const spent = spentWords(balance);
  const live = campaign.state === 'running' || campaign.state === 'paused';
  const state = stateOf(campaign);
  const stands = [
    campaign.kind === 'calls' ? 'gathers single calls' : null,
    state === null ? null : `is ${state}${campaign.reason ? `: ${campaign.reason}` : ''}`,
  ].filter((each) => each !== null);
  return [
    `${campaign.name} ${stands.join(', and ')}`,
    ...factLines([
      ['Driven by', live ? driverText(campaign, dialers) : null],
      ['Not dialling', barredText(campaign, dialers)],
      ['Service', `${campaign.service}, agent ${[campaign.agent].flat().join(', ')}`],
      ['Order', localTimes(describeOrder(order).join('; '))],
      ['Created', timeText(campaign.created_at)],
      [
        'Rows',
        [count(balance.rows), states.map((state) => `${count(balance[state])} ${state}`).join(', ')]
          .filter(Boolean)
          .join(': '),
      ],
      ['Outcomes', outcomeWords(balance.outcomes) || null],
      ['Answered', answers.calls > 0 ? answeredWords(answers) : null],
      ['Reached', answers.calls > 0 ? reachedWords(answers) : null],
      ['First', firstWords(campaign)],
      ['Opted out', optOuts.people > 0 ? counted(optOuts.people, 'person', 'people') : null],
      ['Warning', optOutWarning(optOuts)],
      ['Spent', [spent, costWords(campaign)].filter(Boolean).join(', ')],
      ['Budget', campaign.budget === null ? null : budgetWords(campaign.budget)],
      ['Stands still', standstillWords(campaign)],
      ['Waiting', live ? waits : null],
      ['Parked', balance.parked > 0 ? '`carillon keys` shows which key has no credit' : null],
      [
        'Unknown',
        balance.unknown > 0
          ? `${unknownWords(balance.unknown, campaign.unknown_placed)}. Review: carillon unknown list --campaign ${campaign.name}`
          : null,
      ],
    ]),
  ];
}

function budgetWords({ max, spent, reserved, calls, next_cost: each, currency }: ShownBudget): string {
  const held =
    calls === 0 ? '' : `, ${reserved.toFixed(2)} reserved for ${counted(calls, 'call')} not paid yet`;
  const next =
    each === null
      ? 'one call at a time until a cost is known'
      : `${each.toFixed(2)} is reserved for another call`;
  return `${spent.toFixed(2)} of ${max.toFixed(2)}${currency === null ? '' : ` ${currency}`} spent${held}; ${next}`;
}
