import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { ServiceAccess } from '../service/access.ts';
import { hangUpOne, nothingToHangUp } from '../stopping/hang-ups.ts';
import { changeCall, type FetchedCall, fetchedCall, latestCall } from './service-record.ts';
import { type CallHistory, callWithHistory, type FoundCall, findCall, showCall } from './show.ts';

/** Ends a call: a call not yet dialled is withdrawn, a call in progress is hung up and followed to its end. */
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
