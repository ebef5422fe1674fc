import type { Command } from 'commander';
import { describeOrder } from '../../control/order/tell.ts';
import type { Campaign, CampaignLine } from '../../ledger/campaigns/verbs.ts';
import { countsOf, rowsOf } from '../../ledger/reports/counts.ts';
import type { Standing } from '../../ledger/reports/verbs.ts';
import { type Cli, command } from '../cli.ts';
import { group } from '../group.ts';
import { count, outcomeWords } from '../output/summary.ts';
import { factLines, tableLines, timeText } from '../output/table.ts';
import { cancelCommand, mostCampaigns, pauseCommand, resumeCommand } from './campaign-moves.ts';
import { exportCommand } from './export.ts';

/** `carillon campaign`: what there is, where each stands, and the verbs that rest, resume and end it. */
export function campaignCommand(cli: Cli): Command {
  return group(
    'campaign',
    'Look at campaigns, and pause, resume, cancel or export them.',
    'carillon campaign list',
    [
      listCommand(cli),
      showCommand(cli),
      pauseCommand(cli),
      resumeCommand(cli),
      cancelCommand(cli),
      exportCommand(cli),
    ],
  );
}

function listCommand(cli: Cli): Command {
  return command('list', 'List every campaign with its rows by state.', 'carillon campaign list')
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withBooks(async ({ ledger }) => {
        const lines = await ledger.campaigns.page(null, null, mostCampaigns);
        if (options.json) return cli.json({ campaigns: lines.map(lineJson) });
        if (lines.length === 0) return cli.out('There are no campaigns yet; `carillon run` makes one.');
        for (const line of drawList(lines)) cli.out(line);
      }),
    );
}

function showCommand(cli: Cli): Command {
  return command('show', 'Show where one campaign stands, and why.', 'carillon campaign show march')
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { json?: true }) =>
      cli.withBooks(async ({ ledger }) => {
        const campaign = await ledger.campaigns.get(name);
        const [standing, due] = await Promise.all([
          ledger.reports.standing(campaign.id),
          ledger.campaigns.nextDue(campaign.id),
        ]);
        if (options.json) return cli.json(showJson(campaign, standing, due));
        for (const line of drawCampaign(campaign, standing, due)) cli.out(line);
      }),
    );
}

type Driven = Pick<CampaignLine, 'driver' | 'runLives'>;

/** A campaign of a run dials only while that run lives. */
function driverOf({ driver, runLives }: Driven): 'run' | 'nobody' | 'background' {
  return driver === 'background' ? 'background' : runLives ? 'run' : 'nobody';
}

const driverWords = {
  run: 'dialled by a run that lives',
  nobody:
    'resting: its run has ended; `carillon run` with the same name or `carillon campaign resume` goes on',
  background: 'dialled by the background workers',
} as const;

function lineJson(line: CampaignLine) {
  const counts = countsOf(line);
  return {
    id: line.id,
    name: line.name,
    kind: line.kind,
    state: line.state,
    reason: line.reason,
    dialled_by: driverOf(line),
    service: line.baseUrl,
    agent: line.agentId,
    created_at: line.createdAt,
    rows: rowsOf(counts),
    ...counts,
  };
}

function drawList(lines: readonly CampaignLine[]): string[] {
  const services = new Set(lines.map((line) => line.baseUrl)).size;
  const some = (n: number) => (n === 0 ? null : n);
  return tableLines(
    [
      'CAMPAIGN',
      'STATE',
      'DIALLED BY',
      'ROWS',
      'DONE',
      'WAITING',
      'CALLING',
      'PARKED',
      'UNKNOWN',
      'SERVICE',
      'WHY',
    ],
    lines.map((line) => {
      const { rows, ...c } = lineJson(line);
      return [
        line.name,
        line.state,
        line.state === 'running' ? c.dialled_by : null,
        rows,
        c.done,
        some(c.waiting + c.queued),
        some(c.calling),
        some(c.parked),
        some(c.unknown),
        services > 1 ? line.baseUrl : null,
        line.reason,
      ];
    }),
  );
}

function showJson(campaign: Campaign, standing: Standing, nextAt: Date | null) {
  const { counts } = standing;
  return {
    id: campaign.id,
    name: campaign.name,
    kind: campaign.kind,
    state: campaign.state,
    reason: campaign.reason,
    dialled_by: driverOf(campaign),
    service: campaign.baseUrl,
    created_at: campaign.createdAt,
    agent: campaign.agentId,
    callers: campaign.callers,
    hours: campaign.hours,
    timezone: campaign.timezone,
    max_calls: campaign.maxCalls,
    weight: campaign.weight,
    max_attempts: campaign.maxAttempts,
    retry: campaign.retry,
    rows: standing.rows,
    ...counts,
    outcomes: standing.outcomes,
    attempts: standing.attempts,
    requests: standing.requests,
    polls: standing.polls,
    cost: standing.cost,
    next_due: nextAt,
  };
}

function drawCampaign(campaign: Campaign, standing: Standing, nextAt: Date | null): string[] {
  const { counts } = standing;
  const states = (
    ['done', 'waiting', 'queued', 'calling', 'parked', 'unknown', 'skipped', 'rejected'] as const
  ).filter((state) => counts[state] > 0);
  const spent = `${count(standing.attempts)} attempts, ${count(standing.requests)} requests of which ${count(standing.polls)} polls`;
  const live = campaign.state === 'running' || campaign.state === 'paused';
  return [
    `${campaign.name} is ${campaign.state}${campaign.reason ? `: ${campaign.reason}` : ''}`,
    ...factLines([
      ['Dialling', live ? driverWords[driverOf(campaign)] : null],
      ['Service', `${campaign.baseUrl}, agent ${campaign.agentId}`],
      ['Order', describeOrder(campaign).join('; ')],
      ['Made', timeText(campaign.createdAt)],
      [
        'Rows',
        [count(standing.rows), states.map((state) => `${count(counts[state])} ${state}`).join(', ')]
          .filter(Boolean)
          .join(': '),
      ],
      ['Outcomes', outcomeWords(standing.outcomes) || null],
      ['Spent', `${spent}${standing.cost === null ? '' : `, cost ${standing.cost.toFixed(2)}`}`],
      ['Next', live && nextAt ? `a row is due ${timeText(nextAt)}` : null],
      ['Parked', counts.parked > 0 ? '`carillon keys` shows which key has no credit' : null],
      [
        'Unknown',
        counts.unknown > 0 ? `\`carillon unknown list --campaign ${campaign.name}\` shows them` : null,
      ],
    ]),
  ];
}
