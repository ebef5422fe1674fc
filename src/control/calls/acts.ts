import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { callbackIn, lateOutcome, lateRecord, missingIn, optOutOf, settle } from '../../dispatch/settle.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { completeRecord, refreshAfter } from '../../rules/late-fields.ts';
import type { Call } from '../../voice/call.ts';
import { seeOptOut } from '../../voice/opt-out.ts';
import type { ServiceAccess } from '../service/access.ts';
import { hangUpOne, nothingToHangUp } from '../stopping/hang-ups.ts';
import {
  anotherCall,
  askForCall,
  changeCall,
  type FetchedCall,
  fetchedCall,
  latestCall,
} from './service-record.ts';
import { type CallHistory, callWithHistory, type FoundCall, findCall, knownCall, showCall } from './show.ts';

/** What a person may do to a call: ends it, or asks the service again. A call not yet dialled is withdrawn, a call in progress is hung up and followed to its end. */
export const canceledCall = z.union([callWithHistory, fetchedCall]);

export async function cancelCall(service: ServiceAccess, ref: string): Promise<CallHistory | FetchedCall> {
  const found = await findCall(service, ref);
  // The call was made by someone else, or with another ledger: the service is told, and nothing is followed.
  if (!found) return changeCall(service, ref, { status: 'canceled' });
  const { id, campaignId: campaign, state } = found.call;
  // It was canceled before.
  if (state === 'skipped') return showCall(service, String(id));
  await endCall(service, found, ref);
  const shown = await showCall(service, String(id));
  const change = { subject: String(id), campaign, before: { state }, after: { state: shown.state } };
  await service.ledger.activity.record({ verb: 'call.cancel', ...change });
  return shown;
}

async function endCall(service: ServiceAccess, found: FoundCall, ref: string): Promise<void> {
  const { call } = found;
  const { attempts, calls } = service.ledger;
  // Nobody has planned it yet. If a planner takes it just now, the plan is withdrawn below.
  if (call.state === 'waiting' && call.campaignKind === 'calls') {
    if (await calls.withdraw(call.id, 'canceled')) return;
    const now = await findCall(service, ref);
    return now ? endCall(service, now, ref) : undefined;
  }
  if (call.attempt !== null && (call.attemptState === 'planned' || call.attemptState === 'parked')) {
    if (await attempts.skip(call.attempt, 'canceled')) return;
  }
  const before = call.attempt === null ? null : await attempts.load(call.attempt);
  if (before?.state !== 'dialing') await latestCall(service, found, ref);
  if (before === null) {
    throw new CarillonError('attempt-state', `The call ${ref} has ended`, { remedy: nothingToHangUp });
  }
  await hangUpOne(service, before.id, ref);
}

/** Asks the service now for the latest attempt's call, and keeps what is new. Returns the call as it then is. */
export async function refreshCall(service: ServiceAccess, ref: string): Promise<CallHistory> {
  const found = await knownCall(service, ref);
  const callId = await latestCall(service, found, ref);
  const { phone, caller, attempt, agent: agentId, laneId } = found.call;
  const { call, mismatch } = await askForCall(service, { callId, phone, caller, agentId, laneId });
  if (mismatch !== null) throw anotherCall(callId, mismatch);
  await keep(service, attempt!, call);
  const { id, campaignId: campaign } = found.call;
  await service.ledger.activity.record({ verb: 'call.refresh', subject: String(id), campaign });
  return showCall(service, String(found.call.id));
}

/** Settles a call in progress if the record shows its end; adds what is new to a call that has ended. */
async function keep(service: ServiceAccess, id: string, call: Call): Promise<void> {
  const { ledger } = service;
  const { stage } = call;
  const live = await ledger.attempts.load(id);
  if (live && stage.kind === 'ended' && (await settle(service, live, stage.outcome, call))) return;
  const report = await ledger.reports.attempt(id);
  if (report?.state === 'placed') {
    const nextPollAt = (report.nextPollAt ?? new Date()).toISOString();
    await ledger.attempts.asked({ id, at: live?.at ?? null, status: call.status, nextPollAt });
  } else if (report?.state === 'done') {
    const told = lateRecord(call);
    const over = missingIn(report.outcome ?? '', call).length === 0;
    const { optOut, callbackAt: path, timezone, times } = await ledger.campaigns.get(report.campaignId);
    const sight = seeOptOut(optOutOf(optOut, service.optOut), call.record);
    const { place, callbacks } = report;
    const wish = { path, timezone, place, callbacks, calendar: ledger.calendarOf(times) };
    const callback = callbackIn(wish, sight, report.outcome ?? '', call, service.clock.now());
    await ledger.refreshes.keep({
      id,
      asked: 1,
      ...told,
      outcome: lateOutcome(report.outcome, call),
      next: null,
      over,
      optOut: sight === 'absent' ? null : sight,
      ...callback,
    });
    if (callback?.callbackAt) await ledger.campaigns.wake(report.campaignId);
  }
}

/** Schedules one more request for each ended call of a campaign with an incomplete record; the workers make it. */
export const scheduledRefresh = z.object({
  campaign: z.string(),
  scheduled: z.int().describe('How many calls.'),
});
type ScheduledRefresh = z.output<typeof scheduledRefresh>;

export async function refreshCampaign(ledger: Ledger, nameOrId: string): Promise<ScheduledRefresh> {
  const { id, name } = await ledger.campaigns.get(nameOrId);
  // Scheduled as if all but the last request had been made.
  const scheduled = await ledger.refreshes.schedule(id, completeRecord, refreshAfter.length - 1);
  await ledger.activity.record({ verb: 'campaign.refresh', subject: id, campaign: id, after: { scheduled } });
  return { campaign: name, scheduled };
}
