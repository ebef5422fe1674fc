import { CarillonError } from '../../base/errors.ts';
import { showRecipient } from '../../export/recipient.ts';
import type { Call } from '../../ledger/calls/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createWaits } from '../../rules/waiting.ts';

/** One call as the ledger knows it: the recipient with the latest attempt, and what happened on the way. */
export type ShownCall = ReturnType<typeof callShape>;

const longestHistory = 500;

export type CallDeps = { ledger: Ledger; baseUrl: string; clock: { now(): number } };

/** `ref` is a recipient's id, an attempt's, or the service's id of the call. */
export async function showCall(deps: CallDeps, ref: string) {
  const call = await findCall(deps, ref);
  if (!call) throw new CarillonError('call-unknown', `There is no call ${ref}`);
  return { ...callShape(deps, call), history: await deps.ledger.calls.history(call.id, longestHistory) };
}

export async function findCall({ ledger, baseUrl }: CallDeps, ref: string): Promise<Call | null> {
  const own = /^\d{1,15}$/.test(ref) ? await ledger.calls.find(Number(ref)) : null;
  if (own) return own;
  const id = await ledger.calls.locate(baseUrl, ref);
  return id === null ? null : ledger.calls.find(id);
}

export function callShape({ clock }: CallDeps, call: Call) {
  const { hours, driver, runLives } = call;
  const waits = createWaits({ state: call.campaignState, driver, runLives, hours }, clock.now())(call);
  return {
    ...showRecipient(call, call.campaign, waits),
    /** The latest attempt, and its key. */
    attempt: call.attempt,
    key: call.key,
    links: { self: `/api/calls/${call.id}`, campaign: `/api/campaigns/${call.campaignId}` },
  };
}
