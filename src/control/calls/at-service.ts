import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { ask, faultError } from '../../lane/ask.ts';
import type { Call } from '../../ledger/calls/verbs.ts';
import type { Answer, VoiceClient } from '../../voice/client.ts';
import { normaliseStatus } from '../../voice/outcomes.ts';
import type { CallRecord } from '../../voice/wire.ts';
import { read, text } from '../input.ts';
import type { Service } from '../service.ts';
import { callShape, findCall, type ShownCall } from './show.ts';

/** A call as the service tells of it: fetched, or changed there. Answers what the ledger knows, with the record laid over it. */
const changeInput = z
  .strictObject({ status: text(100).optional(), metadata: z.record(z.string(), z.unknown()).optional() })
  .refine((wanted) => Object.keys(wanted).length > 0, 'give status, metadata or both');

export type FetchedCall = Awaited<ReturnType<typeof fetchCall>>;

/** The service is asked unless the ledger has the call's end. */
export async function fetchCall(service: Service, ref: string) {
  const call = await findCall(service, ref);
  const over = call !== null && (call.attempt === null || call.attemptState === 'done');
  if (over || (call && !call.callId)) return lay(service, call, null);
  return lay(
    service,
    call,
    await askOwner(service, call, ref, 'cannot be fetched', (client, id) => client.getCall(id)),
  );
}

/** Changes the call of the latest attempt. */
export async function changeCall(service: Service, ref: string, body: unknown) {
  const { status, metadata } = read(changeInput, body);
  const call = await findCall(service, ref);
  if (call && !call.callId) {
    throw new CarillonError(
      'attempt-state',
      `The call ${ref} has not been placed: the service has nothing to change`,
    );
  }
  const change =
    status === undefined ? {} : normaliseStatus(status) === 'canceled' ? service.cancelBody() : { status };
  const sent = { ...change, ...(metadata ? { metadata } : {}) };
  return lay(
    service,
    call,
    await askOwner(service, call, ref, 'cannot be changed', (client, id) => client.updateCall(id, sent)),
  );
}

type Told = { record: CallRecord; key: string };

/** The key that made the call is asked; where the ledger knows none, each key in turn. */
async function askOwner(
  service: Service,
  call: Call | null,
  ref: string,
  what: string,
  send: (client: VoiceClient, id: string) => Promise<Answer<CallRecord>>,
): Promise<Told> {
  const id = call?.callId ?? ref;
  const owner = service.lanes.filter((lane) => lane.name === call?.key);
  let missing = new CarillonError('call-unknown', `There is no call ${ref}`);
  for (const lane of owner.length > 0 ? owner : service.lanes) {
    const answer = await ask(lane, service, (client) => send(client, id));
    if (answer.ok) return { record: answer.value, key: lane.name };
    const { fault } = answer;
    if (fault.kind !== 'refused' || fault.status !== 404)
      throw faultError(fault, lane.name, `The call ${id} ${what}`);
    missing = new CarillonError('call-unknown', `The service knows no call ${id}: ${fault.message}`);
  }
  throw missing;
}

function lay(service: Service, call: Call | null, told: Told | null) {
  const known = call ? callShape(service, call) : nothing;
  if (!told) return { ...known, record: null };
  const { record } = told;
  return {
    ...known,
    phone: known.phone ?? record.phone_number ?? null,
    key: told.key,
    call_id: record.id,
    status: record.status ?? known.status,
    outcome: service.outcomeOf(record.status) ?? known.outcome,
    duration: record.duration ?? known.duration,
    cost: record.cost ?? known.cost,
    transcript: record.transcript ?? known.transcript,
    recording_url: record.recording_url ?? known.recording_url,
    structured_data: record.structured_data ?? known.structured_data,
    /** As the service told it. */
    record,
  };
}

/** A call that stands in no ledger: made by somebody else, or with another ledger. */
const nothing: Record<keyof ShownCall, null> = {
  id: null,
  campaign: null,
  row: null,
  phone: null,
  name: null,
  state: null,
  reason: null,
  until: null,
  outcome: null,
  attempts: null,
  call_id: null,
  status: null,
  duration: null,
  cost: null,
  started_at: null,
  ended_at: null,
  transcript: null,
  recording_url: null,
  structured_data: null,
  error: null,
  input: null,
  attempt: null,
  key: null,
  links: null,
};
