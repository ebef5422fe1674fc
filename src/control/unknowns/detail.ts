import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { callInputOf } from '../../dispatch/call-input.ts';
import type { SentCreate } from '../../ledger/unknowns/unknowns.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { courseAnswer, showAttemptCourse } from '../calls/course.ts';
import { askForCall } from '../calls/service-record.ts';
import { read, text, yes } from '../requests/input.ts';
import { ask, type ServiceAccess } from '../service/access.ts';
import { notUnknown } from './resolve.ts';
import { showUnknown, unknownShape } from './show.ts';

/** One unknown attempt with all that a person needs to settle it: what was sent, and what the service says now. */
export const unknownQuery = z.strictObject({
  ask: yes
    .optional()
    .describe('Asks the service for the call that the attempt has. It counts against the key’s budget.'),
  call_id: text(300)
    .optional()
    .describe(
      'Asks the service for this call, which a person has found there and which may be the attempt’s.',
    ),
});

const sentShape = z
  .object({
    method: z.string(),
    url: z.string(),
    body: z.unknown().describe('The body; the key is not in it, but in a header.'),
    requests: z.int().describe('How many creates were sent for the attempt; all but the last were refused.'),
    by: z.string().nullable().describe('The process that sent it.'),
    answer_by: z.date().describe('The attempt’s expiry: the latest time at which an answer could come.'),
  })
  .describe(
    'The create as it was sent. The agent and the caller number are as they were; name, variables and override as they are kept now.',
  );

const recordShape = z
  .object({
    call_id: z.string(),
    found: z.boolean().describe('Whether the service knows the call.'),
    mismatch: z
      .string()
      .nullable()
      .describe('Why the record cannot be the attempt’s call; null when it may be.'),
    status: z.string().nullable(),
    outcome: z.enum(outcomes).nullable().describe('Null while the call has not ended.'),
    record: z.looseObject({}).nullable().describe('As the service reports it.'),
  })
  .describe('The service’s own record of the call, as it is now.');

export const unknownAnswer = unknownShape
  .extend({
    sent: sentShape,
    course: courseAnswer.shape.course,
    at_service: recordShape.nullable().describe('Null when the service was not asked.'),
  })
  .meta({ id: 'UnknownDetail' });
export type UnknownDetail = z.output<typeof unknownAnswer>;

export async function showUnknownDetail(
  service: ServiceAccess,
  attempt: string,
  input: unknown,
): Promise<UnknownDetail> {
  const { ask: asks = false, call_id: given } = read(unknownQuery, input);
  const { ledger } = service;
  const { course, state, recipient } = await showAttemptCourse(service, attempt);
  const sent = await ledger.unknowns.sent(attempt);
  const unknown = await ledger.unknowns.get(attempt);
  if (!sent || !unknown) throw notUnknown({ id: attempt, state });
  if (asks && given === undefined && sent.callId === null)
    throw new CarillonError(
      'attempt-state',
      `The attempt ${attempt} has no call that the service could be asked about`,
      { remedy: 'Look for the call at the service, and give its id as `call_id`.' },
    );
  const callId = given ?? (asks ? sent.callId : null);
  const at_service = callId === null ? null : await askFor(service, sent, callId);
  return { ...showUnknown(unknown), recipient, sent: showSent(service, sent), course, at_service };
}

function showSent(service: ServiceAccess, sent: SentCreate): UnknownDetail['sent'] {
  const described = service.describe(callInputOf({ ...sent, agentId: sent.agent }));
  return {
    method: described.method,
    url: described.url.replace(service.baseUrl, sent.baseUrl),
    body: described.body,
    requests: sent.requests,
    by: sent.dialer,
    answer_by: sent.expiresAt,
  };
}

async function askFor(
  service: ServiceAccess,
  sent: SentCreate,
  callId: string,
): Promise<UnknownDetail['at_service']> {
  if (sent.baseUrl !== service.baseUrl)
    throw new CarillonError('campaign-elsewhere', `The attempt ${sent.id} belongs to ${sent.baseUrl}`, {
      remedy: 'Use a Carillon whose VOICE_BASE_URL is that address.',
    });
  const none = { call_id: callId, mismatch: null, status: null, outcome: null, record: null };
  try {
    const { phone, caller, agent: agentId, laneId } = sent;
    const { call, mismatch } = await askForCall(service, { callId, phone, caller, agentId, laneId }, ask);
    // Another person's record is not shown.
    if (mismatch !== null) return { ...none, found: true, mismatch };
    const outcome = call.stage.kind === 'ended' ? call.stage.outcome : null;
    return { call_id: callId, found: true, mismatch, status: call.status, outcome, record: call.record };
  } catch (error) {
    if (error instanceof CarillonError && error.code === 'call-unknown') return { ...none, found: false };
    throw error;
  }
}
