import { showOrder } from '../control/order/tell.ts';
import type { Call } from '../ledger/calls/verbs.ts';
import type { Campaign, CampaignLine } from '../ledger/campaigns/verbs.ts';
import { type Counts, countsOf, outcomesOf } from '../ledger/reports/counts.ts';
import type { ResultLine, Standing } from '../ledger/reports/verbs.ts';
import type { RecipientState } from '../ledger/states.ts';

/**
 * What answers look like: an order's options are spelled as they are sent, the balance as `run --json` spells it,
 * and what is known of a person and a call as the columns of the results.
 */
export type Balance = Record<RecipientState | 'rows', number> & { outcomes: Record<string, number> };

export function campaignShape(campaign: Campaign, standing: Standing) {
  return {
    id: campaign.id,
    name: campaign.name,
    kind: campaign.kind,
    state: standing.state,
    reason: standing.reason,
    driver: standing.driver,
    created_at: campaign.createdAt,
    ...showOrder(campaign),
    balance: {
      ...balance(standing.counts, standing.outcomes),
      attempts: standing.attempts,
      requests: standing.requests,
      polls: standing.polls,
      // Sums of cents in binary end in dust.
      cost: standing.cost === null ? null : Math.round(standing.cost * 1e6) / 1e6,
    },
  };
}

/** A campaign in the list: what takes long to count is left to the campaign's own address. */
export function campaignLineShape(line: CampaignLine) {
  return {
    id: line.id,
    name: line.name,
    kind: line.kind,
    state: line.state,
    reason: line.reason,
    driver: line.driver,
    created_at: line.createdAt,
    agent: line.agentId,
    balance: balance(countsOf(line), outcomesOf(line)),
  };
}

export function recipientShape(line: ResultLine) {
  return {
    id: String(line.id),
    row: line.row,
    phone: line.phone,
    name: line.name,
    state: line.state,
    outcome: line.outcome,
    attempts: line.attempts,
    call_id: line.callId,
    status: line.status,
    duration: line.duration,
    cost: line.cost,
    started_at: line.startedAt,
    ended_at: line.endedAt,
    transcript: line.transcript,
    recording_url: line.recordingUrl,
    structured_data: line.structuredData,
    error: line.error,
    input: line.input,
  };
}

export function callShape(call: Call) {
  return {
    ...recipientShape(call),
    campaign: call.campaign,
    links: callLinks(String(call.id), call.campaignId),
  };
}

export function callLinks(id: string, campaignId: string) {
  return { self: `/api/calls/${id}`, campaign: `/api/campaigns/${campaignId}` };
}

function balance(counts: Counts, outcomes: Record<string, number>): Balance {
  const { rejected, skipped, waiting, queued, calling, done, parked, unknown } = counts;
  const rows = rejected + skipped + waiting + queued + calling + done + parked + unknown;
  return { rows, rejected, skipped, waiting, queued, calling, done, parked, unknown, outcomes };
}
