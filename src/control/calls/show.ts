import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { recipientShape, showRecipient } from '../../export/recipient.ts';
import { recordShape, showRecord } from '../../export/record-fields.ts';
import type { CallEvent, CallRow, Located } from '../../ledger/calls/calls.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { attemptStates } from '../../ledger/states.ts';
import { waitsOn } from '../people/waits.ts';

/** One call as the ledger knows it: the recipient, the latest attempt, and the history. */
export const callAnswer = recipientShape
  .extend({
    attempt: z.string().nullable().describe('The id of the latest attempt.'),
    attempt_state: z.enum(attemptStates).nullable(),
    key: z.string().nullable().describe('The key of the latest attempt.'),
    links: z.object({ self: z.string(), campaign: z.string() }),
  })
  .meta({ id: 'Call' });

export const historyShape = z
  .array(
    z.object({
      at: z.date(),
      kind: z.string(),
      detail: z.string().nullable(),
      attempt: z.string().nullable(),
    }),
  )
  .describe('The latest events, in order.');

export const callWithHistory = callAnswer
  .extend({ history: historyShape, record: recordShape })
  .meta({ id: 'CallWithHistory' });

export type ShownCall = z.output<typeof callAnswer>;
export type CallHistory = z.output<typeof callWithHistory>;

const longestHistory = 500;

export type CallDeps = { ledger: Ledger; baseUrl: string; clock: { now(): number } };

/** `ref` is a recipient's id, an attempt's, or the service's id of the call. */
export async function showCall(deps: CallDeps, ref: string): Promise<CallHistory> {
  const { call } = await knownCall(deps, ref);
  const [shown, history] = await Promise.all([callShape(deps, call), historyOf(deps, call)]);
  return { ...shown, history, record: showRecord(call) };
}

/** The answer to a new call: it has no history yet. */
export async function shownCall(deps: CallDeps, ref: string): Promise<ShownCall> {
  return callShape(deps, (await knownCall(deps, ref)).call);
}

/** Throws when it is not known. */
export async function knownCall(deps: CallDeps, ref: string): Promise<FoundCall> {
  const found = await findCall(deps, ref);
  if (found) return found;
  throw new CarillonError('call-unknown', `The call ${ref} is not known`);
}

export function historyOf({ ledger }: CallDeps, { id }: CallRow): Promise<CallEvent[]> {
  return ledger.calls.history(id, longestHistory);
}

/** `named` is the attempt that the reference named, unless it was the recipient's own id. */
export type FoundCall = { call: CallRow; named: Located | null };

export async function findCall({ ledger, baseUrl }: CallDeps, ref: string): Promise<FoundCall | null> {
  if (ref.trim() === '') throw new CarillonError('call-unknown', 'The id of the call is empty');
  const own = /^\d{1,15}$/.test(ref) ? await ledger.calls.find(Number(ref)) : null;
  if (own) return { call: own, named: null };
  const named = await ledger.calls.locate(baseUrl, ref);
  const call = named && (await ledger.calls.find(named.recipient));
  return call && { call, named };
}

export async function callShape({ ledger, clock }: CallDeps, call: CallRow): Promise<ShownCall> {
  const waits = await waitsOn(ledger, [call], clock.now());
  return {
    ...showRecipient(call, call.campaign, waits(call)),
    attempt: call.attempt,
    attempt_state: call.attemptState,
    key: call.key,
    links: { self: `/api/calls/${call.id}`, campaign: `/api/campaigns/${call.campaignId}` },
  };
}
