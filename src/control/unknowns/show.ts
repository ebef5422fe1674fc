import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Unknown } from '../../ledger/unknowns/unknowns.ts';
import { callerText } from '../../rules/order.ts';
import { read, text, yes } from '../requests/input.ts';
import { pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** Unknown attempts: what was sent, what came back, and why the outcome is unknown. */
export const whys: Record<Unknown['reason'], string> = {
  lost: 'The request may have reached the service before the answer was lost.',
  accepted:
    'The service began to answer that it made the call, and the answer was cut off before the call’s id: it was surely made.',
  crashed:
    'The process that dialled ended between its intent and the answer: the request may or may not have left.',
  stale: 'The call was placed, and the service never reported its end.',
  mismatch:
    'The service answered the request with another person’s call, or with the call of another attempt: nobody can tell who was called.',
  'lost-history':
    'The ledger lost some of its history, as after a restore, and this person may have been called in the part that is gone.',
};

export const unknownShape = z
  .object({
    attempt: z.string(),
    number: z.int().describe('The first try at the person is 1.'),
    campaign: z.string(),
    recipient: z.string(),
    row: z.int(),
    phone: z.string(),
    name: z.string().nullable(),
    agent: z.string().nullable().describe('Null where the part of the history that knew it is lost.'),
    from: z.string().nullable(),
    key: z.string(),
    reason: z.enum(Object.keys(whys) as [Unknown['reason'], ...Unknown['reason'][]]),
    detail: z.string().nullable().describe('The answer that came back.'),
    why: z.string(),
    call_id: z.string().nullable(),
    status: z.string().nullable(),
    dialing_at: z.date(),
    placed_at: z.date().nullable(),
    not_called_from: z
      .date()
      .nullable()
      .describe('The time from which it can be resolved as not called; null when the service took the call.'),
    phone_held_until: z
      .date()
      .describe(
        'The time until which no other call may go to the phone, unless the attempt is settled before.',
      ),
    asked: z
      .object({
        times: z.int(),
        last: z.date().nullable(),
        next: z.date().nullable(),
        calls: z.array(z.string()).describe('Calls of the service that may be the attempt’s.'),
        why: z.string().nullable().describe('Why they do not settle it.'),
      })
      .nullable()
      .describe('What the service’s own list of calls showed; null while it was not asked.'),
    redial: z.boolean().describe('The campaign’s rule will redial this person.'),
  })
  .meta({ id: 'Unknown' });
export type ShownUnknown = z.output<typeof unknownShape>;
export const unknownsAnswer = pageOf(unknownShape).extend({
  campaigns: z
    .array(
      z.object({
        campaign: z.string(),
        unknown: z.int(),
        placed: z.int().describe('How many of these calls were placed: only their end is missing.'),
      }),
    )
    .optional()
    .describe(
      'With `counts=1`: the unknown attempts of each campaign that has any, whatever the page and the filter.',
    ),
});
type ShownUnknowns = z.output<typeof unknownsAnswer>;

export const unknownsQuery = z.strictObject({
  ...pageInput,
  campaign: text(300).optional(),
  counts: yes.optional().describe('Also counts the unknown attempts of each campaign.'),
});

export async function campaignId(ledger: Ledger, name: string | undefined): Promise<string | null> {
  return name === undefined ? null : (await ledger.campaigns.get(name)).id;
}

/** The unknown attempts of this service, oldest first. */
export async function listUnknown(ledger: Ledger, input: unknown): Promise<ShownUnknowns> {
  const query = read(unknownsQuery, input);
  const campaign = await campaignId(ledger, query.campaign);
  const [page, campaigns] = await Promise.all([
    readPage(
      query,
      { schema: z.tuple([z.uuid()]), of: (unknown: Unknown) => [unknown.attempt] },
      (after, most) => ledger.unknowns.list(campaign, most, after?.[0] ?? null),
      showUnknown,
    ),
    query.counts ? ledger.unknowns.counts() : undefined,
  ]);
  return { ...page, ...(campaigns && { campaigns }) };
}

export function showUnknown(unknown: Unknown): ShownUnknown {
  const { looks, lookedAt, lookAt, looked } = unknown;
  const { calls = [], why = null } = looked ?? {};
  return shownAs(unknownShape, unknown, {
    recipient: String(unknown.recipient),
    from: callerText(unknown.caller),
    why: whys[unknown.reason],
    not_called_from: tookCall(unknown) ? null : unknown.freeFrom,
    phone_held_until: unknown.phoneUntil,
    asked: looks === 0 ? null : { times: looks, last: lookedAt, next: lookAt, calls, why },
    redial: willRedial(unknown),
  });
}

function willRedial({ onUnknown, redials, callId, reason }: Unknown): boolean {
  return onUnknown === 'redial' && redials === 0 && !tookCall({ callId, reason }) && reason !== 'mismatch';
}

/** Whether the service said that it made the call. */
export function tookCall({ callId, reason }: Pick<Unknown, 'callId' | 'reason'>): boolean {
  return callId !== null || reason === 'accepted';
}
