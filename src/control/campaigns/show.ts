import { z } from 'zod';
import {
  type Campaign,
  type CampaignLine,
  campaignKinds,
  campaignStates,
  drivers,
} from '../../ledger/campaigns/campaigns.ts';
import { judgements, spokenOutcomes } from '../../ledger/judgements/judgements.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Sums, sumsOf } from '../../ledger/tallies/tallies.ts';
import type { Standstill } from '../../rules/standstill.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { notesOn, orderAnswer, showOrder } from '../order/order.ts';
import { several } from '../people/filter.ts';
import { showWaits, waitsOf, waitsShape } from '../people/waits.ts';
import { read, text } from '../requests/input.ts';
import { type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { budgetShape, rounded, showBudget } from './budget.ts';
import { answersShape, showAnswers } from './report.ts';
import { createStandstills, type StandstillLedger, standstillShape } from './standstill.ts';

/** A campaign as CLI and API show it: its order as sent, its state, and its balance. */
const count = z.int().min(0);
const outcomeCounts = z.partialRecord(z.enum(outcomes), count);

/** The numbers of a summary, from `rows` to `cost`. */
export const balanceShape = z
  .object({
    rows: count.describe('The sum of `rejected` to `unknown`.'),
    rejected: count,
    skipped: count,
    waiting: count,
    queued: count,
    calling: count,
    done: count,
    parked: count,
    unknown: count,
    outcomes: outcomeCounts,
    attempts: count,
    requests: count,
    polls: count,
    cost: z.number().nullable(),
  })
  .meta({ id: 'Balance' });

/** A list leaves out why the rows wait. */
export const campaignItem = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(campaignKinds).describe('`list`, or `calls`: it gathers single calls.'),
    service: z.string().describe('The VOICE_BASE_URL that it belongs to.'),
    state: z.enum(campaignStates),
    reason: z.string().nullable(),
    since: z.date().describe('Since when it is in this state: when a done or canceled campaign ended.'),
    driver: z.enum(drivers),
    run_active: z.boolean().describe('Whether a run holds it now; a campaign of a run is dialled only then.'),
    created_at: z.date(),
    revision: z.int().describe('The order’s revision, which grows with each change and each start.'),
    ...orderAnswer,
    notes: z.array(z.string()).describe('Parts of the order that have no effect, and parts that it lacks.'),
    first_outcomes: outcomeCounts.describe(
      'How the calls to the first people ended, where the order says to pause after them.',
    ),
    first_judged: z
      .object({ fine: count, wrong: count, opt_out: count, left: count })
      .describe(
        'How many of these calls listeners judged so. `left` counts calls in which somebody spoke and that nobody has judged.',
      ),
    opt_outs: z
      .object({ people: count, read: count, found: count })
      .describe(
        'People who opted out, records that were checked for an opt-out, and records that had the field.',
      ),
    balance: balanceShape,
    currency: z
      .string()
      .nullable()
      .describe('The currency of its costs; null if the service does not report it, or reports several.'),
    answers: answersShape.describe('How well its calls are answered; a report tells the same figures.'),
    standstill: standstillShape
      .nullable()
      .describe('Why it makes no call; null while it makes calls, or has nobody to call.'),
  })
  .meta({ id: 'CampaignItem' });

export const campaignAnswer = campaignItem
  .extend({
    waits: waitsShape,
    budget: budgetShape.nullable().describe('How its `max_cost` stands; null without one.'),
    unknown_placed: count.describe(
      'Unknown attempts whose calls were placed: only their end is missing. Of the others nobody knows whether they were placed.',
    ),
  })
  .meta({ id: 'Campaign' });
export const campaignsAnswer = pageOf(campaignItem);

export type ShownCampaign = z.output<typeof campaignAnswer>;
export type CampaignItem = z.output<typeof campaignItem>;

export const listQuery = z.strictObject({
  ...pageInput,
  state: several(campaignStates).describe(
    `Campaigns in one of these states, separated by commas: ${campaignStates.join(', ')}.`,
  ),
  name: text(300).optional().describe('Only the campaign that has this name today, of either kind.'),
  kind: several(campaignKinds).describe(
    'The default is `list`; `calls` answers the campaigns of single calls, and `list,calls` both.',
  ),
});

export async function showCampaign(
  ledger: Pick<Ledger, 'campaigns'> & StandstillLedger,
  nameOrId: string,
): Promise<ShownCampaign> {
  const campaign = await ledger.campaigns.get(nameOrId);
  const standing = await ledger.reports.standing(campaign.id);
  const waits = await waitsOf(ledger, campaign, standing.counts);
  const budget = await ledger.budgets.ofCampaign(campaign.id);
  const standstill = await createStandstills(ledger)(campaign, standing.counts, waits);
  return {
    ...shape(campaign, standing, standing.currency, standstill),
    waits: showWaits(waits),
    budget: budget && showBudget(budget),
    unknown_placed: standing.unknownPlaced,
  };
}

/** Every campaign of the ledger, of any service, newest first. Campaigns of single calls only if asked for. */
export async function listCampaigns(ledger: Ledger, input: unknown): Promise<Page<CampaignItem>> {
  const { state = null, name = null, kind, ...wanted } = read(listQuery, input);
  const kinds = kind ?? (name === null ? (['list'] as const) : null);
  const standstillOf = createStandstills(ledger);
  return readPage(
    wanted,
    { schema: z.tuple([z.uuid()]), of: (line: CampaignLine) => [line.id] },
    (after, most) => ledger.campaigns.page(after?.[0] ?? null, most, state, name, kinds),
    async (line) => {
      const sums = sumsOf(line);
      return shape(line, sums, line.currency, await standstillOf(line, sums.counts));
    },
  );
}

function shape(
  campaign: Omit<Campaign, 'columns' | 'runId' | 'renewing'>,
  sums: Sums,
  currency: string | null,
  standstill: Standstill | null,
): CampaignItem {
  return shownAs(campaignItem, campaign, {
    service: campaign.baseUrl,
    run_active: campaign.runLives,
    ...showOrder(campaign),
    notes: notesOn(campaign, (name) => name),
    first_outcomes: sums.firstOutcomes,
    first_judged: showJudged(sums),
    opt_outs: sums.optOuts,
    balance: showBalance(sums),
    currency,
    answers: showAnswers(sums.answers),
    standstill: standstill && shownAs(standstillShape, standstill, {}),
  });
}

export function showJudged({
  firstJudged: judged,
  firstOutcomes: ended,
}: Pick<Sums, 'firstJudged' | 'firstOutcomes'>): CampaignItem['first_judged'] {
  const [fine, wrong, opt_out] = judgements.map((as) => judged[as] ?? 0) as [number, number, number];
  const spoken = spokenOutcomes.reduce((sum, outcome) => sum + (ended[outcome] ?? 0), 0);
  return { fine, wrong, opt_out, left: Math.max(0, spoken - fine - wrong - opt_out) };
}

export function showBalance(sums: Sums): z.output<typeof balanceShape> {
  const { counts, cost } = sums;
  return shownAs(balanceShape, { ...sums, ...counts }, { cost: cost === null ? null : rounded(cost) });
}
