import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { settle } from '../../dispatch/settle.ts';
import { campaignStates } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AttemptReport } from '../../ledger/reports/reports.ts';
import { attemptStates, recipientStates } from '../../ledger/states.ts';
import type { Call } from '../../voice/call.ts';
import { askForCall } from '../calls/service-record.ts';
import { read, text } from '../requests/input.ts';
import { shownAs } from '../requests/shown.ts';
import type { ServiceAccess } from '../service/access.ts';
import { campaignId, tookCall } from './show.ts';

/**
 * Settles unknown attempts, one or many, by what a person found out: from the service's own record where there is one.
 */
const as = z.enum(['called', 'not-called']);
const force = z
  .literal(true)
  .optional()
  .describe('Resolves as not called even if the service began to answer that it made the call.');
export const resolveInput = z.strictObject({
  as,
  force,
  call_id: text(200).optional(),
  reason: text(500).optional(),
});
export const resolveManyInput = z.strictObject({
  as,
  force,
  reason: text(500).optional(),
  campaign: text(300).optional(),
  all: z.literal(true).optional(),
  attempts: z
    .array(z.strictObject({ attempt: text(100), call_id: text(200).optional() }))
    .min(1)
    .optional(),
});

export const settledAnswer = z
  .object({
    attempt: z.string(),
    state: z.enum(attemptStates),
    campaign: z.string(),
    campaign_state: z.enum(campaignStates),
    recipient: z.string(),
    recipient_state: z.enum(recipientStates),
    row: z.int(),
    phone: z.string(),
    call_id: z.string().nullable(),
    status: z.string().nullable(),
    outcome: z.string().nullable(),
  })
  .meta({ id: 'Settled' });
export const manySettledAnswer = z.object({
  as,
  matched: z.int(),
  resolved: z.int(),
  failed: z.array(z.object({ attempt: z.string(), code: z.string(), detail: z.string() })),
});

export type Settled = z.output<typeof settledAnswer>;
type ManySettled = z.output<typeof manySettledAnswer>;
type Many = z.output<typeof resolveManyInput>;

/** `call_id`: the call that a person found at the service. */
export type NamedUnknown = { attempt: string; call_id?: string | undefined };
/** `force`: as not called, even where the service began to answer that it made the call. */
type Finding = Pick<Many, 'as' | 'reason' | 'force'>;
type Resolved = Pick<ManySettled, 'failed'> & { resolved: string[] };

export async function resolveUnknown(
  service: ServiceAccess,
  attempt: string,
  body: unknown,
): Promise<Settled> {
  const { call_id, ...finding } = read(resolveInput, body);
  const settled = await resolveOne(service, { attempt, call_id }, finding);
  const { id, campaignId: campaign, state } = settled;
  await service.ledger.activity.record({
    verb: 'unknown.resolve',
    subject: id,
    campaign,
    before: { state: 'unknown' },
    after: { state, as: finding.as, call_id, force: finding.force },
  });
  return shownAs(settledAnswer, settled, { attempt: id, recipient: String(settled.recipientId) });
}

/** At most `most` per request, because someone waits for the answer; the rest takes another request. */
export async function resolveUnknowns(
  service: ServiceAccess,
  body: unknown,
  most?: number,
): Promise<ManySettled> {
  const wanted = read(resolveManyInput, body);
  if (most !== undefined && wanted.attempts && wanted.attempts.length > most) {
    throw new CarillonError('request-invalid', `attempts: more than ${most} in one request`, {
      remedy: 'Send them in several requests.',
    });
  }
  const found = await listed(service.ledger, wanted);
  const { resolved, failed } = await resolveEach(service, found.slice(0, most), wanted);
  if (resolved.length > 0) {
    const after = { as: wanted.as, resolved: resolved.length, attempts: resolved };
    await service.ledger.activity.record({ verb: 'unknown.resolve', after });
  }
  return { as: wanted.as, matched: found.length, resolved: resolved.length, failed };
}

/** The attempts that `resolveUnknowns` would settle: a person confirms exactly these, and only these are settled. */
export async function findUnknowns(ledger: Ledger, body: unknown): Promise<NamedUnknown[]> {
  return listed(ledger, read(resolveManyInput, body));
}

/** The service took these calls, so they are passed over when all are resolved as not called. */
async function listed(ledger: Ledger, wanted: Many): Promise<NamedUnknown[]> {
  const chosen = [wanted.campaign, wanted.all, wanted.attempts].filter((each) => each !== undefined);
  if (chosen.length !== 1) {
    throw new CarillonError('request-invalid', 'It is not clear which attempts are meant', {
      remedy: 'Send one of `campaign`, `attempts` and `"all": true`.',
    });
  }
  if (wanted.attempts) return wanted.attempts;
  const found = await ledger.unknowns.list(await campaignId(ledger, wanted.campaign));
  return found
    .filter((each) => wanted.as === 'called' || (wanted.force ? each.callId === null : !tookCall(each)))
    .map(({ attempt }) => ({ attempt }));
}

/** Anything but a uuid cannot be an attempt’s id, and would be a broken statement to Postgres. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Settles as many as it can, for one reason; returns which, and why not the others. The plain ones that were not called
 * are settled in few statements.
 */
export async function resolveEach(
  service: ServiceAccess,
  named: readonly NamedUnknown[],
  finding: Finding,
): Promise<Resolved> {
  const { as, reason = null, force } = finding;
  const plain = named.flatMap(({ attempt, call_id }) =>
    as === 'not-called' && !call_id && uuid.test(attempt) ? attempt : [],
  );
  const freed = new Set<string>();
  for (let i = 0; i < plain.length; i += 1_000)
    for (const id of await service.ledger.unknowns.freeAll(plain.slice(i, i + 1_000), reason, force))
      freed.add(id);
  const told: Resolved = { resolved: [], failed: [] };
  for (const each of named) {
    const { attempt } = each;
    try {
      if (!freed.has(attempt)) await resolveOne(service, each, finding);
      told.resolved.push(attempt);
    } catch (error) {
      if (!(error instanceof CarillonError) || error.code === 'ledger-unreachable') throw error;
      told.failed.push({ attempt, code: error.code, detail: error.message });
    }
  }
  return told;
}

/** Returns the attempt as it stands after; throws, without a change, if it cannot be done. */
async function resolveOne(
  service: ServiceAccess,
  { attempt: id, call_id: named }: NamedUnknown,
  finding: Finding,
): Promise<AttemptReport> {
  const { reports } = service.ledger;
  const attempt = await reports.attempt(id);
  if (!attempt) throw new CarillonError('attempt-unknown', `The attempt was not found: ${id}`);
  if (attempt.state !== 'unknown') throw notUnknown(attempt);
  await (finding.as === 'not-called' ? free : call)(service, attempt, named, finding);
  return (await reports.attempt(id)) ?? attempt;
}

/** Nobody may be called again while the first request may still arrive, nor when the service has the call. */
async function free(
  { ledger, clock }: ServiceAccess,
  attempt: AttemptReport,
  named: string | undefined,
  { reason, force }: Finding,
): Promise<void> {
  const callId = attempt.callId ?? named;
  if (callId)
    throw wrong(`The service accepted this call, as ${callId}`, 'It was made: resolve it as called.');
  if (attempt.reason === 'accepted' && !force)
    throw wrong(
      'The service began to answer that it made this call',
      'Resolve it as called. If you are sure that nobody was called, resolve it as not called with --force, or `"force": true` in a request.',
    );
  if (await ledger.unknowns.free(attempt.id, reason, force)) return;
  const now = await ledger.reports.attempt(attempt.id);
  if (now?.state !== 'unknown' || now.callId || !now.freeFrom) throw notUnknown(now ?? attempt);
  const left = Math.max(1, Math.ceil((now.freeFrom.getTime() - clock.now()) / 1_000));
  throw wrong('The request of this attempt may still be on its way', `Try again in ${left} s.`);
}

/** The call's id is known, from the person or from the service: its own record settles the attempt. */
async function call(
  service: ServiceAccess,
  attempt: AttemptReport,
  named: string | undefined,
  { reason }: Finding,
): Promise<void> {
  const { attempts, reports, unknowns } = service.ledger;
  const callId = named ?? attempt.callId;
  const overtaken = async () => notUnknown((await reports.attempt(attempt.id)) ?? attempt);
  if (callId) await refuseOther(service, attempt, callId);
  const told = callId ? await fetchCall(service, attempt, callId, named !== undefined) : null;
  const outcome = told?.stage.kind === 'ended' ? told.stage.outcome : null;
  // The service lost the call, or still says that it is in progress: a person has the last word.
  if (!callId || (named === undefined && outcome === null)) {
    if (await unknowns.called(attempt.id, reason)) return;
    throw await overtaken();
  }
  const placed = await unknowns.place(attempt.id, callId, service.deadlineMs / 1_000, reason);
  if (!placed) {
    // Another finding was faster.
    await refuseOther(service, attempt, callId);
    throw await overtaken();
  }
  const loaded = told && outcome !== null ? await attempts.load(attempt.id) : null;
  if (loaded) await settle(service, loaded, outcome!, told!);
  else {
    // Without a queue, the reconciler finds it.
    const lane = service.lanes.find(({ id }) => id === placed.laneId);
    if (lane) await service.addJobs(lane, 'track', [placed.id]);
  }
}

/** An attempt has one call, and a call one attempt. */
async function refuseOther({ ledger }: ServiceAccess, attempt: AttemptReport, callId: string): Promise<void> {
  if (attempt.callId && attempt.callId !== callId)
    throw wrong(
      `The attempt has a call already, ${attempt.callId}`,
      'Leave the call’s id out, or give that one.',
    );
  const owner = await ledger.reports.attemptOf(attempt.baseUrl, callId);
  if (owner && owner !== attempt.id)
    throw wrong(`The call ${callId} belongs to the attempt ${owner}`, 'Check the call’s id.');
}

/**
 * Null when nobody can be asked, so that a person's word counts, or when the service no longer knows a call that it
 * named itself.
 */
async function fetchCall(
  service: ServiceAccess,
  attempt: AttemptReport,
  callId: string,
  named: boolean,
): Promise<Call | null> {
  if (attempt.baseUrl !== service.baseUrl || service.lanes.length === 0) {
    service.note(
      'The service was not asked for the call: the attempt is of another service, or no key is set.',
    );
    return null;
  }
  const told = await askForCall(service, { ...attempt, callId }).catch((error: unknown) => {
    if (!(error instanceof CarillonError)) throw error;
    if (error.code === 'call-unknown' && !named) return null;
    throw new CarillonError(error.code, `Nothing was changed. ${error.message}`, { remedy: error.remedy });
  });
  if (told === null) return null;
  const { call, mismatch } = told;
  if (mismatch === null) return call;
  if (named)
    throw wrong(
      `Nothing was changed: asked for ${callId}, ${mismatch}`,
      'Check the call’s id; if the call was made but its record is not available, resolve it without the id.',
    );
  service.note(`The record was not used: asked for ${callId}, ${mismatch}.`);
  return null;
}

const wrong = (message: string, remedy: string) => new CarillonError('attempt-state', message, { remedy });

export function notUnknown({ id, state }: { id: string; state: string }): CarillonError {
  return new CarillonError('attempt-state', `The attempt ${id} is not unknown, it is ${state}`);
}
