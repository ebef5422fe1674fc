import type { Unknown } from '../ledger/unknowns/verbs.ts';
import { callerText } from './order/tell.ts';
import { whys } from './resolve.ts';

/** An unknown attempt as it is shown, with the names that the API and `--json` use. */
export function showUnknown(unknown: Unknown) {
  return {
    attempt: unknown.attempt,
    campaign: unknown.campaign,
    row: unknown.row,
    phone: unknown.phone,
    name: unknown.name,
    agent: unknown.agent,
    from: callerText(unknown.caller),
    key: unknown.key,
    reason: unknown.reason,
    detail: unknown.detail,
    why: whys[unknown.reason],
    call_id: unknown.callId,
    status: unknown.status,
    dialing_at: unknown.dialingAt,
    placed_at: unknown.placedAt,
    // From when on it can be resolved as not called; null when the service took the call.
    not_called_from: unknown.callId ? null : unknown.freeFrom,
    redial: willRedial(unknown),
  };
}

/** The owner's rule will have this person called again. */
export function willRedial({ onUnknown, redials, callId }: Unknown): boolean {
  return onUnknown === 'redial' && redials === 0 && callId === null;
}
