import { z } from 'zod';
import type { Campaign, CampaignLine } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Sums, sumsOf } from '../../ledger/reports/counts.ts';
import { read } from '../input.ts';
import { showOrder } from '../order/order.ts';
import { type Page, pageInput, readPage } from '../page.ts';
import { type ShownWaits, showWaits, waitsOf } from './waits.ts';

/** A campaign as CLI and API show it: its order as sent, its state, and its balance. */
export type ShownCampaign = ReturnType<typeof shape> & {
  /** Why its rows wait, how many for each reason, and the earliest time at which one stops to wait. */
  waits: ShownWaits;
};
/** A list leaves out why the rows wait. */
export type CampaignItem = ReturnType<typeof shape>;

const listInput = z.strictObject(pageInput);

export async function showCampaign(ledger: Ledger, nameOrId: string): Promise<ShownCampaign> {
  const campaign = await ledger.campaigns.get(nameOrId);
  const standing = await ledger.reports.standing(campaign.id);
  const waits = await waitsOf(ledger, campaign, standing.counts.parked);
  return { ...shape(campaign, standing), waits: showWaits(waits) };
}

/** Every campaign of the ledger, of any service, the newest first. */
export async function listCampaigns(ledger: Ledger, input: unknown): Promise<Page<CampaignItem>> {
  return readPage(
    read(listInput, input),
    { schema: z.tuple([z.uuid()]), of: (line: CampaignLine) => [line.id] },
    (after, most) => ledger.campaigns.page(after?.[0] ?? null, most),
    (line) => shape(line, sumsOf(line)),
  );
}

function shape(campaign: Omit<Campaign, 'columns' | 'runId' | 'reopening'>, sums: Sums) {
  return {
    id: campaign.id,
    name: campaign.name,
    kind: campaign.kind,
    service: campaign.baseUrl,
    state: campaign.state,
    reason: campaign.reason,
    driver: campaign.driver,
    /** Whether a run holds it now; a campaign of a run is dialled only then. */
    run_active: campaign.runLives,
    created_at: campaign.createdAt,
    /** Of the order: what a change names that must not overwrite another. */
    revision: campaign.revision,
    ...showOrder(campaign),
    /** How the calls to the first people ended, where the order says to pause after them. */
    first_outcomes: sums.firstOutcomes,
    /** People who wanted no more calls; the records that were read for it, and those that had the field. */
    opt_outs: sums.optOuts,
    balance: showBalance(sums),
  };
}

/** The numbers of a summary, from `rows` to `cost`. */
export function showBalance({ rows, counts, outcomes, attempts, requests, polls, cost }: Sums) {
  const { rejected, skipped, waiting, queued, calling, done, parked, unknown } = counts;
  return {
    rows,
    rejected,
    skipped,
    waiting,
    queued,
    calling,
    done,
    parked,
    unknown,
    outcomes,
    attempts,
    requests,
    polls,
    // Binary sums of cents leave rounding errors.
    cost: cost === null ? null : Math.round(cost * 1e6) / 1e6,
  };
}
