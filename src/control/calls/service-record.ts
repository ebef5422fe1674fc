import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { recordShape, showRecord } from '../../export/record-fields.ts';
import type { CallRow } from '../../ledger/calls/calls.ts';
import type { Call as ToldCall } from '../../voice/call.ts';
import type { Answer, VoiceClient } from '../../voice/client.ts';
import { type Asked, findMismatch } from '../../voice/mismatch.ts';
import { read, text } from '../requests/input.ts';
import { type Asking, act, ask, faultError, type ServiceAccess } from '../service/access.ts';
import {
  callAnswer,
  callShape,
  type FoundCall,
  findCall,
  historyOf,
  historyShape,
  type ShownCall,
} from './show.ts';

/** A call as the service reports it, fetched or changed there: what the ledger knows, overlaid with the record. */
export const callChange = z
  .strictObject({ status: text(100).optional(), metadata: z.record(z.string(), z.unknown()).optional() })
  .refine((wanted) => Object.keys(wanted).length > 0, 'give status, metadata or both');

const ofLedger = callAnswer.shape;
const names = Object.keys(ofLedger) as (keyof ShownCall)[];

/** A call that is not in the ledger: made by someone else, or with another ledger. */
const nothing = Object.fromEntries(names.map((name) => [name, null])) as Record<keyof ShownCall, null>;

/** Fields are null for such a call. */
export const fetchedCall = z
  .object({
    ...(Object.fromEntries(names.map((name) => [name, ofLedger[name].nullable()])) as {
      [Field in keyof ShownCall]: z.ZodNullable<(typeof ofLedger)[Field]>;
    }),
    outcome: z.string().nullable(),
    history: historyShape,
    record: recordShape,
  })
  .meta({ id: 'FetchedCall' });

export type FetchedCall = z.output<typeof fetchedCall>;

/** Asks the service unless the ledger has the end of the call. */
export async function fetchCall(service: ServiceAccess, ref: string): Promise<FetchedCall> {
  const found = await findCall(service, ref);
  if (found && (found.call.baseUrl !== service.baseUrl || hasEnd(found)))
    return lay(service, found.call, null);
  const id = found ? callOf(found) : ref;
  if (id === null) return lay(service, found!.call, null);
  const asked = { ...askedOf(id, found), laneId: laneOf(found), agentId: found?.call.agent };
  const { mismatch, ...told } = await askForCall(service, asked, ask);
  if (mismatch === null) return lay(service, found?.call ?? null, told);
  if (!found) throw anotherCall(id, mismatch);
  service.note(`The service’s record is not shown: asked for ${id}, ${mismatch}.`);
  return lay(service, found.call, null);
}

function askedOf(callId: string, found: FoundCall | null): AskedCall {
  return { callId, phone: found?.call.phone ?? '', caller: found?.call.caller };
}

/** The service answered about something else: nothing may be read from it. */
export function anotherCall(id: string, mismatch: string): CarillonError {
  return new CarillonError('service-answer', `Asked for the call ${id}, ${mismatch}`, {
    remedy: 'Try again later; if it happens again, tell the service’s support.',
  });
}

/** Changes the call of the latest attempt. */
export async function changeCall(service: ServiceAccess, ref: string, body: unknown): Promise<FetchedCall> {
  const { status, metadata } = read(callChange, body);
  const found = await findCall(service, ref);
  const id = found ? await latestCall(service, found, ref) : ref;
  const told = await askOwner(service, latestLane(found), id, 'cannot be changed', (client) =>
    client.update(id, { status, metadata }),
  );
  const mismatch = told.call && findMismatch(askedOf(id, found), told.call);
  if (mismatch !== null) throw anotherCall(id, `which may have been changed, ${mismatch}`);
  await service.ledger.activity.record({
    verb: 'call.change',
    subject: found ? String(found.call.id) : id,
    campaign: found?.call.campaignId ?? null,
    // Metadata may be about the person.
    after: {
      ...(status === undefined ? {} : { status }),
      ...(metadata ? { metadata: Object.keys(metadata) } : {}),
    },
  });
  return lay(service, found?.call ?? null, told);
}

/**
 * The latest attempt's call, whichever attempt was named. It must be certain: not another service's call, and not
 * another call with the same id.
 */
export async function latestCall(service: ServiceAccess, found: FoundCall, ref: string): Promise<string> {
  const { call, named } = found;
  if (call.baseUrl !== service.baseUrl) {
    throw new CarillonError('campaign-elsewhere', `The call ${ref} belongs to ${call.baseUrl}`, {
      remedy: 'Use a Carillon whose VOICE_BASE_URL is that address.',
    });
  }
  if (call.latestCallId === null) {
    throw new CarillonError(
      'attempt-state',
      `The call ${ref} has not been placed: the service has nothing to change`,
      { remedy: 'Wait until it is placed, or cancel it if it still waits.' },
    );
  }
  const other = named ? null : await service.ledger.calls.locate(service.baseUrl, ref);
  if (other && other.recipient !== call.id) {
    throw new CarillonError('request-invalid', `${ref} is a recipient’s id and a call’s id at the service`, {
      remedy: 'Give the id of the attempt instead.',
    });
  }
  return call.latestCallId;
}

function callOf({ call, named }: FoundCall): string | null {
  return named ? named.callId : call.latestCallId;
}

/** Whether the ledger has the call that was asked for, with its end. */
function hasEnd(found: FoundCall): boolean {
  const { call } = found;
  const id = callOf(found);
  if (id === null || id !== call.callId) return false;
  return id !== call.latestCallId || call.attemptState === 'done';
}

/** The lane of the named attempt, to look at its call. */
function laneOf(found: FoundCall | null): number | null {
  return found?.named?.laneId ?? latestLane(found);
}

/** The lane of the latest attempt, which acts are about. */
function latestLane(found: FoundCall | null): number | null {
  return found?.call.laneId ?? null;
}

type AskedCall = Asked & { callId: string };
type Reported<T = ToldCall | null> = { call: T; key: string };

/** The call as the service reports it now, and why that cannot be the call that was asked for. */
export async function askForCall(
  service: ServiceAccess,
  { laneId, agentId, ...asked }: AskedCall & { laneId: number | null; agentId: string | null | undefined },
  asking: Asking = act,
): Promise<Reported<ToldCall> & { mismatch: string | null }> {
  const { callId: id } = asked;
  // A question ends when nobody waits for it any more.
  const signal = asking === ask ? service.signal : undefined;
  const told = await askOwner(
    service,
    laneId,
    id,
    'cannot be fetched',
    (client) => client.get({ id, agentId }, { signal }),
    asking,
  );
  return { ...told, mismatch: findMismatch(asked, told.call) };
}

/** Asks with the key that made the call; if the ledger does not know it, with each key in turn. */
async function askOwner<T>(
  service: ServiceAccess,
  laneId: number | null,
  id: string,
  what: string,
  send: (client: VoiceClient) => Promise<Answer<T>>,
  asking: Asking = act,
): Promise<Reported<T>> {
  const owner = service.lanes.filter((lane) => lane.id === laneId);
  let missing = new CarillonError('call-unknown', `The call ${id} was not found`);
  for (const lane of owner.length > 0 ? owner : service.lanes) {
    const answer = await asking(lane, service, send);
    if (answer.ok) return { call: answer.value, key: lane.name };
    const { fault } = answer;
    if (fault.kind !== 'refused' || !fault.missing)
      throw faultError(fault, lane.name, `The call ${id} ${what}`);
    missing = new CarillonError('call-unknown', `The service does not know the call ${id}: ${fault.message}`);
  }
  throw missing;
}

async function lay(
  service: ServiceAccess,
  call: CallRow | null,
  told: Reported | null,
): Promise<FetchedCall> {
  const known = call ? await callShape(service, call) : nothing;
  const history = call ? await historyOf(service, call) : [];
  if (!told?.call) return { ...known, history, record: call && showRecord(call) };
  const { stage, kept, ...said } = told.call;
  return {
    ...known,
    ...kept,
    phone: known.phone ?? said.phone,
    key: told.key,
    call_id: said.id,
    status: said.status,
    outcome: stage.kind === 'ended' ? stage.outcome : null,
    ended_reason: said.endedReason,
    provider_call_sid: kept.provider_call_sid ?? known.provider_call_sid,
    org_id: said.orgId,
    agent_id: said.agentId,
    history,
    record: said.record,
  };
}
