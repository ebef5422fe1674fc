import type { Call } from '../ledger/calls/verbs.ts';
import type { Campaign, CampaignLine } from '../ledger/campaigns/verbs.ts';
import { type Counts, countsOf, outcomesOf } from '../ledger/reports/counts.ts';
import type { ResultLine, Standing } from '../ledger/reports/verbs.ts';
import type { RecipientState } from '../ledger/states.ts';
import type { Window } from '../rules/time/window.ts';

/**
 * What answers look like: an order's options are spelled as they are sent, the balance as `run --json` spells it,
 * and what is known of a person and a call as the columns of the results.
 */
export type Balance = Record<RecipientState | 'rows', number> & { outcomes: Record<string, number> };

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

export function campaignShape(campaign: Campaign, standing: Standing) {
  return {
    id: campaign.id,
    name: campaign.name,
    kind: campaign.kind,
    state: standing.state,
    reason: standing.reason,
    driver: standing.driver,
    created_at: campaign.createdAt,
    ...orderShape(campaign),
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

/** The order in the form in which a request takes it. */
export function orderShape({ callers, hours, ...order }: Campaign) {
  return {
    agent: order.agentId,
    from: callers.flatMap((caller) => ('number' in caller ? [caller.number] : [])),
    numberIds: callers.flatMap((caller) => ('numberId' in caller ? [caller.numberId] : [])),
    window: hours && `${time(hours.from)}-${time(hours.to)}`,
    days: hours && daysText(hours),
    timezone: order.timezone,
    maxCalls: order.maxCalls,
    maxAttempts: order.maxAttempts,
    retry: Object.fromEntries(Object.entries(order.retry).map(([name, seconds]) => [name, span(seconds)])),
    onUnknown: order.onUnknown,
    resultDelay: order.resultDelay === null ? null : `${order.resultDelay}s`,
    weight: order.weight,
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

function daysText(hours: Window): string {
  return hours.days.map((day) => days[day - 1]).join(',');
}

function time(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** In the greatest unit that divides it, as an order takes it. */
function span(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
