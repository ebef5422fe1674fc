import { CarillonError } from '../../base/errors.ts';
import { callbackIn, lateOutcome, lateRecord, missingIn, optOutOf, settle } from '../../dispatch/settle.ts';
import type { Call } from '../../voice/call.ts';
import { findMismatch } from '../../voice/mismatch.ts';
import { seeOptOut } from '../../voice/opt-out.ts';
import type { ServiceAccess } from '../service/access.ts';
import { anotherCall, askOwner, latestCall, latestLane } from './service-record.ts';
import { type CallHistory, findCall, showCall } from './show.ts';

/** Asks the service now for the latest attempt's call, and keeps what is new. Returns the call as it then is. */
export async function refreshCall(service: ServiceAccess, ref: string): Promise<CallHistory> {
  const found = await findCall(service, ref);
  if (!found) throw new CarillonError('call-unknown', `The call ${ref} is not known`);
  const callId = await latestCall(service, found, ref);
  const { phone, caller, attempt, agent } = found.call;
  const { call } = await askOwner(service, latestLane(found), callId, 'cannot be fetched', (client) =>
    client.get({ id: callId, agentId: agent }),
  );
  const mismatch = findMismatch({ callId, phone, caller }, call);
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
