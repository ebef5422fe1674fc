import type { MaxCalls } from '../base/config/keys.ts';
import type { Belief } from '../rules/limit/belief.ts';
import { type Creates, capOf } from '../rules/limit/creates.ts';
import { inboundNow, leftToMake } from '../rules/limit/inbound.ts';
import { isShut } from '../rules/limit/pace.ts';
import { sureOf } from '../rules/limit/pace-state.ts';

/** A lane's believed limit, for people and metrics. */
export type View = {
  rate: number;
  learned: boolean;
  /** The believed limit, requests a second; null until one is met. */
  limit: number | null;
  /** How sure it is, from 0 to 1, and since when it has been about this value. */
  sure: number;
  since: number;
  /** The service's window, if its refusals show one. */
  windowMs: number | null;
  cap: number | null;
  /** Creates a second, if creates have a limit of their own. */
  createRate: number | null;
  probing: boolean;
  /** The keys that it shares the limit with, if any. */
  account: string[] | null;
  /** The owner's number of calls at once; null without one. */
  calls: CallLimit | null;
};

/** Calls at once: all of the key, those kept free for calls that come in, those that did, and those left to make. */
type CallLimit = { most: number; kept: number; inbound: number | null; now: number };

export function callLimitOf(
  calls: MaxCalls | null | undefined,
  { inbound }: Pick<Belief, 'inbound'>,
  now: number,
): CallLimit | null {
  if (!calls) return null;
  const { most, inbound: kept } = calls;
  return { most, kept, inbound: inboundNow(inbound, now), now: leftToMake(calls, inbound, now) };
}

/** `fixed` is the rate that the owner set, if any. */
export function viewOf({ pace, creates }: Belief, fixed: number | null): Omit<View, 'account' | 'calls'> {
  return {
    rate: fixed ?? pace.rate,
    learned: fixed === null,
    limit: pace.limit,
    sure: sureOf(pace),
    since: pace.changedAt,
    windowMs: pace.window && pace.window.turns > 0 ? pace.window.ms : null,
    cap: capOf(creates),
    createRate: rateOf(creates),
    probing: isShut(pace.stall),
  };
}

/** The view as the API and `--json` show it: rounded, with their names. */
export function showView(view: View) {
  const round = (value: number) => Math.round(value * 1_000) / 1_000;
  return {
    limit: view.limit === null ? null : round(view.limit),
    sure: round(view.sure),
    since: new Date(view.since).toISOString(),
    window_ms: view.windowMs,
    max_calls: view.cap,
    creates: view.createRate === null ? null : round(view.createRate),
    probing: view.probing,
    account: view.account,
  };
}

function rateOf({ pace }: Creates): number | null {
  return pace && (pace.limit ?? pace.rate);
}
