import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { campaignStates } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AttemptReport } from '../../ledger/reports/reports.ts';
import { attemptStates, recipientStates } from '../../ledger/states.ts';
import { read, text } from '../requests/input.ts';
import { shownAs } from '../requests/shown.ts';
import type { ServiceAccess } from '../service/access.ts';
import { createResolver, type NamedUnknown } from './resolve.ts';
import { campaignId, tookCall } from './show.ts';

/** A person's answer about one unknown attempt, or about many. */
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

export async function resolveUnknown(
  service: ServiceAccess,
  attempt: string,
  body: unknown,
): Promise<Settled> {
  const { as, call_id, reason, force } = read(resolveInput, body);
  const settled = await createResolver(service).one({ attempt, call_id }, { as, reason, force });
  const { id, campaignId: campaign, state } = settled;
  const after = { state, as, call_id, force };
  await service.ledger.activity.record({
    verb: 'unknown.resolve',
    subject: id,
    campaign,
    before: { state: 'unknown' },
    after,
  });
  return shape(settled);
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
  const { resolved, failed } = await createResolver(service).many(found.slice(0, most), wanted);
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

function shape(report: AttemptReport): Settled {
  return shownAs(settledAnswer, report, { attempt: report.id, recipient: String(report.recipientId) });
}
